// Command flame records where client, daemon, runner and commands of `wf run` spend their CPU time, with
// perf, and draws one flame graph for each of them as SVG. It measures no wall time. See ../README.md.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "flame:", err)
		}
		stop()
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	wf        string
	out       string
	shape     string
	nodes     int
	jobs      int
	runs      int
	frequency int // samples per second and processor
}

func parseOptions(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("flame", flag.ContinueOnError)
	flags.StringVar(&o.wf, "wf", "", "binary to look at (default: built now, without C libraries)")
	flags.StringVar(&o.out, "o", filepath.Join("bench", "flame"), "folder of the SVG files")
	flags.StringVar(&o.shape, "shape", "layered", "shape of the workflow")
	flags.IntVar(&o.nodes, "n", 1000, "number of nodes")
	flags.IntVar(&o.jobs, "j", 2, "commands at once")
	flags.IntVar(&o.runs, "runs", 10, "recorded runs, after one to warm up")
	flags.IntVar(&o.frequency, "F", 4999, "samples per second")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 || o.nodes < 1 || o.jobs < 1 || o.runs < 1 || o.frequency < 1 {
		return o, errors.New("no arguments but flags, and numbers of at least 1")
	}
	return o, nil
}

func run(ctx context.Context, args []string) error {
	o, err := parseOptions(args)
	if err != nil {
		return err
	}
	if reason := perfIsMissing(ctx); reason != "" {
		fmt.Fprintf(os.Stderr, "flame: no flame graphs: %s\n", reason)
		return nil
	}
	work, err := os.MkdirTemp("", "wfflame") // short, because it contains a socket
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if o.wf == "" {
		o.wf = filepath.Join(work, "wf")
		if _, err := output(ctx, nil, "env", "CGO_ENABLED=0", "go", "build", "-trimpath", "-o", o.wf, "wf/cmd/wf"); err != nil {
			return err
		}
	}
	if o.wf, err = filepath.Abs(o.wf); err != nil {
		return err
	}
	p, err := record(ctx, o, work)
	if err != nil {
		return err
	}
	return p.draw(o, commit(ctx))
}

// perfIsMissing returns why perf cannot record here, or "".
func perfIsMissing(ctx context.Context) string {
	if _, err := exec.LookPath("perf"); err != nil {
		return "perf is not installed"
	}
	if _, err := output(ctx, nil, "perf", "record", "-q", "-a", "-e", "cpu-clock", "-o", "/dev/null", "--", "true"); err != nil {
		return "perf cannot record all processes here; it needs root, or the setting kernel.perf_event_paranoid=-1"
	}
	return ""
}

// draw writes the flame graphs of a profile and prints a line for each.
func (p *profile) draw(o options, commit string) error {
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	for _, role := range roles {
		stacks := p.stacks[role]
		g := graph{
			name:       role,
			conditions: fmt.Sprintf("%s %d, -j %d, %d runs with a watching client; commit %s; %d samples, %d per second", o.shape, o.nodes, o.jobs, o.runs, commit, stacks.count, o.frequency),
			sampleUS:   1e6 / float64(o.frequency) / float64(o.runs*o.nodes),
		}
		path := filepath.Join(o.out, role+".svg")
		if err := os.WriteFile(path, g.svg(stacks), 0o644); err != nil {
			return err
		}
		fmt.Printf("%-8s %6.1f us of CPU per node, %6d samples: %s\n", role, float64(stacks.count)*g.sampleUS, stacks.count, path)
	}
	return nil
}

func commit(ctx context.Context) string {
	text, err := output(ctx, nil, "git", "rev-parse", "--short=12", "HEAD")
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(text)
}

// output runs a command and returns its standard output. An error contains what it printed.
func output(ctx context.Context, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.String())
	}
	return stdout.String(), nil
}
