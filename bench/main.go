// Command bench times `wf run` against ninja, make and the bare cost of starting processes, on the same
// graphs in turn (A B C A B C …), and appends the results to results.jsonl. It uses a private daemon in
// its own folders, which it removes at the end. See README.md.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "bench:", err)
		}
		stop()
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	sizes    []int
	shapes   []string
	files    []string
	shells   []string
	jobs     []int
	rounds   int
	seed     uint64
	command  string
	load     bool
	clients  []client
	cli      bool
	table    bool
	recorded bool
	wf       string
	other    string
	results  string
	timeout  time.Duration
}

func parseOptions(args []string) (options, error) {
	var o options
	var sizes, shapes, files, shells, jobs, clients string
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.StringVar(&sizes, "n", "1000", "numbers of nodes, comma-separated")
	flags.StringVar(&shapes, "shapes", "layered,flat,chain,fan", "shapes to make; empty = none")
	flags.StringVar(&files, "files", "", "recorded workflows besides: workfiles or WfCommons .json, comma-separated")
	flags.StringVar(&shells, "shells", "plain,bash", "plain: the command as it is; bash: wrapped in bash -c")
	flags.StringVar(&jobs, "j", "8", "commands at once (a chain has one), comma-separated")
	flags.IntVar(&o.rounds, "rounds", 5, "timed rounds, after one to warm up")
	flags.Uint64Var(&o.seed, "seed", 1, "of the shapes")
	flags.StringVar(&o.command, "command", "", "what every node runs (default: true for shapes, their own for -files)")
	flags.BoolVar(&o.load, "load", false, "time only the loading: wf check, ninja -t rules, make with nothing to do")
	flags.StringVar(&clients, "clients", "quiet", "how wf run follows its run, comma-separated: quiet (--progress none), watching (--progress plain), none (--detach)")
	flags.BoolVar(&o.cli, "cli", false, "time single commands instead: help, one node, status and completion of 5,000")
	flags.BoolVar(&o.table, "table", false, "measure every row of the table of issue 13 and print it as markdown; "+blast+".graphml is one of -files")
	flags.BoolVar(&o.recorded, "recorded", false, "with -table: measure nothing, print what -results has of the commit measured last")
	flags.StringVar(&o.wf, "wf", "", "binary to measure (default: bin/wf, built now)")
	flags.StringVar(&o.other, "other", "", "second wf binary, measured in turn with the first: an earlier build, or one with a change; the results contain its file name")
	flags.StringVar(&o.results, "results", "", "file to append to (default: bench/results.jsonl; - = none)")
	flags.DurationVar(&o.timeout, "timeout", 10*time.Minute, "of one timed run")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	o.shapes, o.files, o.shells = list(shapes), list(files), list(shells)
	var err error
	if o.sizes, err = numbers("-n", sizes); err != nil {
		return o, err
	}
	if o.jobs, err = numbers("-j", jobs); err != nil {
		return o, err
	}
	if o.clients, err = selectClients(list(clients)); err != nil {
		return o, err
	}
	for _, s := range o.shells {
		if s != shellPlain && s != shellBash {
			return o, fmt.Errorf("-shells: %q is neither %s nor %s", s, shellPlain, shellBash)
		}
	}
	if o.other != "" && o.cli {
		return o, errors.New("-other cannot be used with -cli")
	}
	if flags.NArg() > 0 || o.rounds < 1 {
		return o, errors.New("no arguments but flags, and -rounds of at least 1")
	}
	return o, nil
}

// numbers reads a list of positive numbers.
func numbers(flag, text string) (all []int, err error) {
	for _, s := range list(text) {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%s: %q is no positive number", flag, s)
		}
		all = append(all, n)
	}
	return all, nil
}

// list splits at commas; an empty text gives an empty list.
func list(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

func run(ctx context.Context, args []string) error {
	o, err := parseOptions(args)
	if err != nil {
		return err
	}
	root, err := repositoryRoot()
	if err != nil {
		return err
	}
	if o.results == "" {
		o.results = filepath.Join(root, "bench", "results.jsonl")
	}
	if o.table && o.recorded {
		all, err := readResults(o.results)
		if err == nil {
			printTable(os.Stdout, all)
		}
		return err
	}
	work, err := os.MkdirTemp("", "wfbench") // short, because it contains a socket
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	kit, err := newKit(ctx, o, root, work)
	if err != nil {
		return err
	}
	if o.table {
		return kit.measureTable(ctx)
	}
	all, err := kit.measureAll(ctx)
	if err == nil {
		printGrowth(os.Stdout, all.reports)
	}
	return err
}

// measureAll measures everything that the options select, prints it and records it.
func (k *kit) measureAll(ctx context.Context) (*results, error) {
	if k.o.cli {
		rep, err := k.measureCommands(ctx)
		if err != nil {
			return nil, err
		}
		rep.print(os.Stdout)
		return &results{commands: rep}, rep.record(k.o.results)
	}
	cases, err := makeCases(k.o, k.work)
	if err != nil {
		return nil, err
	}
	all := new(results)
	for _, c := range cases {
		rep, err := k.measure(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		rep.print(os.Stdout)
		if err := rep.record(k.o.results); err != nil {
			return nil, err
		}
		all.reports = append(all.reports, rep)
	}
	return all, nil
}

// measureTable measures all rows of the table and prints it.
func (k *kit) measureTable(ctx context.Context) error {
	all := new(results)
	for _, o := range tableSteps(k.o) {
		step := *k
		step.o = o
		some, err := step.measureAll(ctx)
		if err != nil {
			return err
		}
		all.reports = append(all.reports, some.reports...)
		all.commands = cmp.Or(all.commands, some.commands)
	}
	printTable(os.Stdout, all)
	return nil
}

// repositoryRoot returns the folder of go.mod, here or above.
func repositoryRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("run it inside the repository: no go.mod here or above")
		}
		dir = filepath.Dir(dir)
	}
}
