// Command destinations measures what those who are told about runs do to the runs: notifications, a collector of traces and
// somebody who asks for metrics, which answer, are down, never answer, or answer without an end. It times the same workfile with
// each of them in turn. Servers of the machine are measured with -also, for example a postfix or an nginx, also while they are
// stopped with SIGSTOP.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

var (
	nodes  = flag.Int("n", 100, "number of nodes of the workfile")
	rounds = flag.Int("rounds", 20, "runs with each destination, in turn; one more comes before and does not count")
	binary = flag.String("wf", "", "the program; empty: it is built")
	also   list
)

// list is a flag that can be given several times.
type list []string

func (l *list) String() string        { return strings.Join(*l, " ") }
func (l *list) Set(text string) error { *l = append(*l, text); return nil }

func main() {
	flag.Var(&also, "also", "a further destination, `NAME=LINE`, such as 'postfix=done -> mail: root@localhost'; @NAME is one of your configuration")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "destinations:", err)
		os.Exit(1)
	}
}

// A destination receives the notifications about the runs of a round.
type destination struct {
	name   string
	notify string // lines of notify
	traces string // the endpoint of the collector, "" for none
	server *server
	took   []time.Duration
}

// run measures. An interrupt ends it, and its daemon.
func run(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "wf")
	if err != nil {
		return err
	}
	p := place{dir: dir, program: *binary}
	defer func() { err = errors.Join(err, p.clean()) }()
	if err := p.prepare(*nodes); err != nil {
		return err
	}
	all, err := destinations()
	if err != nil {
		return err
	}
	for round := range *rounds + 1 {
		for _, d := range all {
			if err := ctx.Err(); err != nil {
				return err
			}
			took, err := p.run(ctx, d)
			if err != nil {
				return fmt.Errorf("%s: %w", d.name, err)
			}
			if round > 0 {
				d.took = append(d.took, took)
			}
		}
	}
	fmt.Printf("%d nodes, %d runs with each; the end of wf run after its start:\n", *nodes, *rounds)
	for _, d := range all {
		fmt.Println(d.report())
	}
	return nil
}

// report returns fastest, median and slowest, and what the server has seen.
func (d *destination) report() string {
	slices.Sort(d.took)
	at := func(q float64) time.Duration { return d.took[int(q*float64(len(d.took)-1))].Round(time.Millisecond) }
	text := fmt.Sprintf("%-10s fastest %v, median %v, slowest %v", d.name, at(0), at(0.5), at(1))
	if d.server != nil {
		text += fmt.Sprintf("  (%d connections)", d.server.connections.Load())
	}
	return text
}

// destinations returns those that are measured. Their servers live as long as the program.
func destinations() (all []*destination, err error) {
	all = []*destination{{name: "none"}}
	for _, behaviour := range []behaviour{answers, silent, floods, refuses} {
		s, err := serve(behaviour)
		if err != nil {
			return nil, err
		}
		all = append(all, &destination{name: string(behaviour), notify: "started, done -> " + s.url() + "/hook", traces: s.url(), server: s})
	}
	// Port 1 is in use on no machine.
	all = append(all, &destination{name: "down", notify: "started, done -> http://127.0.0.1:1/", traces: "http://127.0.0.1:1"},
		&destination{name: "hangs", notify: "started, done -> exec: sleep 20", traces: ""},
		&destination{name: "loud", notify: "started, done -> exec: timeout 20 yes", traces: ""})
	for _, text := range also {
		name, line, found := strings.Cut(text, "=")
		if !found {
			return nil, fmt.Errorf("-also %s: NAME=LINE is needed", text)
		}
		all = append(all, &destination{name: name, notify: line})
	}
	return all, nil
}

// A place is the folders of a daemon of its own.
type place struct{ dir, program string }

// prepare makes the folders and the workfile, and builds the program.
func (p *place) prepare(n int) error {
	for _, name := range []string{"run", "state"} {
		if err := os.Mkdir(filepath.Join(p.dir, name), 0o700); err != nil {
			return err
		}
	}
	if p.program != "" {
		var err error
		if p.program, err = filepath.Abs(p.program); err != nil {
			return err
		}
	} else {
		p.program = filepath.Join(p.dir, "wf")
		if out, err := exec.Command("go", "build", "-o", p.program, "./cmd/wf").CombinedOutput(); err != nil {
			return fmt.Errorf("build: %w: %s", err, out)
		}
	}
	var lines strings.Builder
	for range n {
		lines.WriteString("true\n")
	}
	path := filepath.Join(p.dir, "lines")
	if err := os.WriteFile(path, []byte(lines.String()), 0o600); err != nil {
		return err
	}
	_, err := p.wf(context.Background(), nil, "new", "Workfile", "--from-lines", path)
	return err
}

// clean stops the daemon and removes the folder.
func (p *place) clean() error {
	_, err := p.wf(context.Background(), nil, "server", "stop", "--cancel")
	return errors.Join(err, os.RemoveAll(p.dir))
}

// run times a run. Before the next one, all that its destination gets is forgotten.
func (p *place) run(ctx context.Context, d *destination) (time.Duration, error) {
	env := []string{"WF_NOTIFY=" + d.notify, "OTEL_EXPORTER_OTLP_ENDPOINT=" + d.traces}
	begin := time.Now()
	_, err := p.wf(ctx, env, "run", "--fresh", "--progress", "none")
	return time.Since(begin), err
}

func (p *place) wf(ctx context.Context, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, p.program, args...)
	cmd.Dir = p.dir
	cmd.Env = append(append(os.Environ(), "WF_RUNTIME_DIR="+filepath.Join(p.dir, "run"), "WF_STATE_DIR="+filepath.Join(p.dir, "state")), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("wf %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return string(out), err
}
