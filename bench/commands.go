package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"

	"wf/bench/dag"
)

// commandNodes is the size of the workfile of the timed commands.
const commandNodes = 5000

// caseCommands is the name of the case in a commandReport.
const caseCommands = "commands"

// commandReport is one line of results.jsonl: the durations of single commands.
type commandReport struct {
	Time     time.Time         `json:"time"`
	Machine  machine           `json:"machine"`
	Case     string            `json:"case"` // caseCommands
	Rounds   int               `json:"rounds"`
	Commands []*commandFigures `json:"commands"`
}

// commandFigures are the results of one command. The budget is the promised duration; it is printed, not
// asserted. Commands of make have none: they are there to compare with.
type commandFigures struct {
	Command  string    `json:"command"`
	BudgetMS float64   `json:"budget_ms,omitempty"`
	WallMS   []float64 `json:"wall_ms"` // every timed round, in order
	MedianMS float64   `json:"median_ms"`
}

// A timedCommand is a command line whose duration is measured.
type timedCommand struct {
	title   string
	budget  float64 // milliseconds
	program string  // "" = wf
	dir     string
	args    []string
	cold    bool // no daemon runs at the start
}

// Titles of commands that are compared.
const (
	titleHelp    = "wf --help"
	titleOne     = "wf run, one node"
	titleVersion = "make --version"
	titleMakeOne = "make, one target"
)

// timedCommands are the commands that users type most, and those that their shells call for completion.
func timedCommands(one, many string) []timedCommand {
	status := []string{"status", "Workfile"}
	run := []string{"run", "Workfile", "--fresh", "--progress", "none"}
	return []timedCommand{
		{title: titleHelp, budget: 10, dir: one, args: []string{"--help"}},
		{title: "wf --version", budget: 10, dir: one, args: []string{"--version"}},
		{title: titleOne, budget: 20, dir: one, args: run},
		{title: "wf run, one node, no daemon yet", budget: 100, dir: one, args: run, cold: true},
		{title: "wf status, 5,000 nodes", budget: 100, dir: many, args: status},
		{title: "wf status, 5,000 nodes, no daemon yet", budget: 200, dir: many, args: status, cold: true},
		{title: "wf run --nodes TAB, 5,000 nodes", budget: 200, dir: many, args: []string{"__complete", "run", "--nodes", "t"}},
	}
}

// makeCommands are the commands of make that the first ones of wf are compared with.
func makeCommands(one string) []timedCommand {
	return []timedCommand{
		{title: titleVersion, program: "make", dir: one, args: []string{"--version"}},
		{title: titleMakeOne, program: "make", dir: one, args: []string{"-r"}},
	}
}

// measureCommands times every command in turn, once to warm up and then for each round.
func (k *kit) measureCommands(ctx context.Context) (*commandReport, error) {
	one, many := filepath.Join(k.work, "one"), filepath.Join(k.work, "many")
	for dir, n := range map[string]int{one: 1, many: commandNodes} {
		if err := writeGraph(dir, n, k.o.seed); err != nil {
			return nil, err
		}
	}
	commands := timedCommands(one, many)
	if !k.lacks(toolMake) {
		commands = append(commands, makeCommands(one)...)
	}
	warm, err := startDaemon(ctx, k.builds()[0], k.work, slices.Max(k.o.jobs))
	if err != nil {
		return nil, err
	}
	cold, err := os.MkdirTemp(k.work, "c")
	if err != nil {
		return nil, err
	}
	rep := &commandReport{Time: time.Now().UTC().Truncate(time.Second), Machine: k.machine, Case: caseCommands, Rounds: k.o.rounds}
	err = k.commandRounds(ctx, rep, commands, warm.env, coldEnv(cold))
	_, stopErr := warm.stop()
	return rep, errors.Join(err, stopErr)
}

// writeGraph writes a workfile and a makefile of n nodes without work into a new folder.
func writeGraph(dir string, n int, seed uint64) error {
	g, err := dag.New("layered", n, "true", seed)
	if err != nil {
		return err
	}
	c := &benchCase{graph: g, shell: shellPlain, dir: dir}
	return c.write()
}

// coldEnv returns the environment of commands with their own daemon, which ends with them.
func coldEnv(dir string) []string {
	return append(os.Environ(), "WF_RUNTIME_DIR="+filepath.Join(dir, "run"), "WF_STATE_DIR="+filepath.Join(dir, "state"))
}

func (k *kit) commandRounds(ctx context.Context, rep *commandReport, commands []timedCommand, warm, cold []string) error {
	for _, c := range commands {
		rep.Commands = append(rep.Commands, &commandFigures{Command: c.title, BudgetMS: c.budget})
	}
	for round := range k.o.rounds + 1 {
		for i, c := range commands {
			s, err := k.commandTool(c, warm, cold).time(ctx)
			if c.cold {
				err = errors.Join(err, k.stopDaemon(cold))
			}
			if err != nil {
				return err
			}
			if f := rep.Commands[i]; round > 0 {
				f.WallMS = append(f.WallMS, float64(s.wall.Microseconds())/1000)
				f.MedianMS = median(f.WallMS)
			}
		}
	}
	return nil
}

func (k *kit) commandTool(c timedCommand, warm, cold []string) *tool {
	env := warm
	if c.cold {
		env = cold
	}
	return &tool{name: c.title, command: func(ctx context.Context) *exec.Cmd {
		cmd := in(c.dir, exec.CommandContext(ctx, cmp.Or(c.program, k.wf), c.args...))
		cmd.Env = env
		return cmd
	}}
}

// stopDaemon ends the daemon that a command has started.
func (k *kit) stopDaemon(env []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, k.wf, "server", "stop", "--cancel")
	cmd.Env = env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, tail(string(out)))
	}
	return nil
}

func (r *commandReport) print(w io.Writer) {
	fmt.Fprintf(w, "single commands, %d rounds\n", r.Rounds)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range r.Commands {
		fmt.Fprintf(t, "%s\t%.1f ms", f.Command, f.MedianMS)
		if f.BudgetMS > 0 {
			fmt.Fprintf(t, "\tof %.0f", f.BudgetMS)
		}
		fmt.Fprintln(t)
	}
	t.Flush()
	for _, pair := range [][2]string{{titleHelp, titleVersion}, {titleOne, titleMakeOne}} {
		if ratio := r.ratio(pair[0], pair[1]); ratio > 0 {
			fmt.Fprintf(w, "%s takes %.2f times as long as %s\n", pair[0], ratio, pair[1])
		}
	}
}

// ratio returns the median time of a command divided by that of another one; 0 if one is missing.
func (r *commandReport) ratio(title, other string) float64 {
	a, b := r.median(title), r.median(other)
	if b == 0 {
		return 0
	}
	return a / b
}

// median returns the median time of a command in milliseconds, or 0 if it is missing.
func (r *commandReport) median(title string) float64 {
	for _, f := range r.Commands {
		if f.Command == title {
			return f.MedianMS
		}
	}
	return 0
}

// record appends r as one line; "-" means nowhere.
func (r *commandReport) record(path string) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return appendLine(path, line)
}
