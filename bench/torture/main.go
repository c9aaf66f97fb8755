// Command torture attacks the real wf: it kills daemons and runners in the middle of runs, runs tens of
// thousands of nodes in one daemon, stops processes that resist, removes files, and connects many clients.
// It knows the expected result: every command records that it ran, and its output and exit code follow
// from its name. It uses processes and folders of its own, and touches no others. It prints speed but does
// not assert it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

const usage = `usage: torture COMMAND [flags]

  kill    kill -9 of daemon, runner or both, again and again: nothing lost, nothing twice
  control kill -9 of daemon or runner while items, loops, retries, timers and people are waited for
  leak    many nodes, or many openings, in one daemon: descriptors, goroutines, children, files, memory
  stop    commands that resist being stopped: nothing is left
  folders every file and folder of wf removed in the middle of a run: nothing twice, no word missing
  slots   many workfiles on few slots, calm and with kills, freezes, stops, restarts and edits: all get to their end
  forecast
          random workfiles checked, planned, run and explained: wf plan says what wf run then does
  watch   many watching clients, one of them stalled: no event is missing

torture COMMAND -help tells the flags. The exit status is 1 when something was violated.
`

// An attack is a sub-command. setup declares its flags; run attacks and reports.
type attack struct {
	name  string
	setup func(*flag.FlagSet) func(context.Context, *world) (*report, error)
}

var attacks = []attack{{"kill", setupKill}, {"control", setupControl}, {"leak", setupLeak}, {"stop", setupStop}, {"watch", setupWatch}, {"slots", setupSlots},
	{"folders", setupFolders}, {"forecast", setupForecast}}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	violated, err := run(ctx, os.Args[1:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "torture:", err)
		os.Exit(1)
	}
	if violated {
		os.Exit(1)
	}
}

// run executes the program. It reports whether there was a violation.
func run(ctx context.Context, args []string) (violated bool, err error) {
	if len(args) == 0 {
		fmt.Fprint(os.Stderr, usage)
		return false, errors.New("no command")
	}
	for _, a := range attacks {
		if a.name == args[0] {
			return a.run(ctx, args[1:])
		}
	}
	fmt.Fprint(os.Stderr, usage)
	return false, fmt.Errorf("no command is called %q", args[0])
}

func (a attack) run(ctx context.Context, args []string) (violated bool, err error) {
	flags := flag.NewFlagSet("torture "+a.name, flag.ContinueOnError)
	seed := flags.Uint64("seed", 1, "of everything that is left to chance")
	program := flags.String("wf", "", "binary to attack (default: built now)")
	keep := flags.Bool("keep", false, "keep the folder when something was violated")
	attack := a.setup(flags)
	if err := flags.Parse(args); err != nil {
		return false, err
	}
	if flags.NArg() > 0 {
		return false, fmt.Errorf("%s takes flags only, not %q", a.name, flags.Args())
	}
	w, err := newWorld(ctx, *program, *seed)
	if err != nil {
		return false, err
	}
	rep, err := attack(ctx, w)
	if rep != nil {
		fmt.Printf("%s, seed %d, load %s\n", a.name, *seed, loadAverage())
		rep.print(os.Stdout)
		violated = len(rep.violations) > 0
	}
	return violated, errors.Join(err, w.close(*keep && violated))
}

// loadAverage returns the load of the machine, for display; "unknown" if the kernel does not report it.
func loadAverage() string {
	data, err := os.ReadFile("/proc/loadavg")
	if fields := strings.Fields(string(data)); err == nil && len(fields) >= 3 {
		return strings.Join(fields[:3], " ")
	}
	return "unknown"
}
