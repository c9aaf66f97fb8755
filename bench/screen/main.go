// Command screen measures the terminal interface of wf from outside: the built binary on a pseudo
// terminal, its processor time, memory and wake-ups from /proc, and its output. Events come from a
// stand-in for the daemon that implements the protocol and pushes them at a set rate; start, idle times
// and memory are measured with the real daemon. It only prints and does not assert budgets. Linux only.
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
	"strconv"
	"strings"
	"syscall"
	"time"
)

const usage = `usage: screen [flags] load|keys|paint|idle ...

  load    processor time while events arrive, by view, size and rate
  keys    from a key to the screen while events arrive
  paint   from the start to the drawing, without a daemon and with one
  idle    processor time and wake-ups while nothing happens, and during a run of the daemon; memory

Without a command it does all of them.
`

// A bench contains what all measurements share.
type bench struct {
	program string // the binary
	dir     string // temporary, removed at the end
	nodes   int
	shape   string
	seed    uint64
	sizes   []size
	rates   []int
	views   []string
	span    time.Duration // of one measurement
	rounds  int
}

var measurements = map[string]func(*bench, context.Context) error{
	"load": (*bench).load, "keys": (*bench).keys, "paint": (*bench).paint, "idle": (*bench).idle,
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "screen:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	b := &bench{}
	flags := flag.NewFlagSet("screen", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(os.Stderr, usage)
		flags.PrintDefaults()
	}
	flags.IntVar(&b.nodes, "n", 5000, "nodes of the workfile, about")
	flags.StringVar(&b.shape, "shape", "pipeline", "of the workfile: pipeline, or one of bench/gen")
	flags.Uint64Var(&b.seed, "seed", 1, "of the workfile")
	flags.DurationVar(&b.span, "span", 10*time.Second, "of one measurement of load or rest")
	flags.IntVar(&b.rounds, "rounds", 20, "keys pressed, and starts")
	flags.StringVar(&b.program, "wf", "", "binary to measure (default: built now)")
	sizes := flags.String("sizes", "100x30,200x50", "of the terminal")
	rates := flags.String("rates", "1000,20000", "events a second")
	views := flags.String("views", "graph,list", "to measure load in")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if err := b.parse(*sizes, *rates, *views); err != nil {
		return err
	}
	what := flags.Args()
	if len(what) == 0 {
		what = []string{"load", "keys", "paint", "idle"}
	}
	for _, name := range what {
		if measurements[name] == nil {
			return fmt.Errorf("nothing is called %q", name)
		}
	}
	return b.measure(ctx, what)
}

// measure makes folder and binary, runs the selected measurements, and removes both.
func (b *bench) measure(ctx context.Context, what []string) error {
	dir, err := os.MkdirTemp("", "wfs")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b.dir = dir
	if err := b.install(ctx); err != nil {
		return err
	}
	fmt.Printf("%s, about %d nodes, load %s\n", b.shape, b.nodes, loadAverage())
	for _, name := range what {
		fmt.Printf("\n%s\n", name)
		if err := measurements[name](b, ctx); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// loadAverage returns the load of the machine, for display; "unknown" if the kernel does not report it.
func loadAverage() string {
	data, err := os.ReadFile("/proc/loadavg")
	if fields := strings.Fields(string(data)); err == nil && len(fields) >= 3 {
		return strings.Join(fields[:3], " ")
	}
	return "unknown"
}

// install builds the binary unless one is given.
func (b *bench) install(ctx context.Context) error {
	if b.program != "" {
		path, err := filepath.Abs(b.program)
		b.program = path
		return err
	}
	b.program = filepath.Join(b.dir, "wf")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", b.program, "wf/cmd/wf")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build wf: %w\n%s", err, out)
	}
	return nil
}

func (b *bench) parse(sizes, rates, views string) error {
	for _, text := range strings.Split(sizes, ",") {
		var s size
		if _, err := fmt.Sscanf(text, "%dx%d", &s.width, &s.height); err != nil {
			return fmt.Errorf("size %q: %w", text, err)
		}
		b.sizes = append(b.sizes, s)
	}
	for _, text := range strings.Split(rates, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return fmt.Errorf("%q is no rate", text)
		}
		b.rates = append(b.rates, n)
	}
	b.views = strings.Split(views, ",")
	return nil
}

// home makes a runtime folder and a state folder for a wf.
func (b *bench) home() (env []string, runtime string, err error) {
	dir, err := os.MkdirTemp(b.dir, "h")
	if err != nil {
		return nil, "", err
	}
	runtime = filepath.Join(dir, "run")
	if err := os.Mkdir(runtime, 0o700); err != nil {
		return nil, "", err
	}
	env = []string{"TERM=xterm-256color", "LANG=C.UTF-8", "HOME=" + dir, "PATH=" + os.Getenv("PATH"),
		"WF_RUNTIME_DIR=" + runtime, "WF_STATE_DIR=" + filepath.Join(dir, "state")}
	for _, name := range []string{"GOGC", "GODEBUG", "GOMEMLIMIT", "GOMAXPROCS"} {
		if value, set := os.LookupEnv(name); set {
			env = append(env, name+"="+value)
		}
	}
	return env, runtime, nil
}
