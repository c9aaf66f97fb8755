// Command gen writes graphs for benchmarks: a shape of any size, or a recorded workflow, as a workfile, a
// ninja file or a makefile. The same arguments give the same bytes.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"wf/bench/dag"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "gen:", err)
		}
		os.Exit(2)
	}
}

func run(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("gen", flag.ContinueOnError)
	shape := flags.String("shape", "layered", strings.Join(dag.Shapes(), ", "))
	n := flags.Int("n", 1000, "number of nodes")
	command := flags.String("command", "", "what every node runs (default: true for a shape, its own with -from)")
	wrapper := flags.String("wrapper", "", "wrapper of the workfile, such as: bash -c '{}'")
	format := flags.String("format", "workfile", strings.Join(dag.Formats(), ", "))
	from := flags.String("from", "", "read this instead of making a shape: a WfCommons .json or a workfile")
	seed := flags.Uint64("seed", 1, "of the random choices")
	out := flags.String("o", "", "file to write (default: standard output)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unknown argument %q", flags.Arg(0))
	}
	g, err := load(*from, *shape, *n, *command, *seed)
	if err != nil {
		return err
	}
	if *wrapper != "" {
		g.Wrapper = *wrapper
	}
	if *out == "" {
		return g.Write(stdout, *format)
	}
	f, err := os.Create(*out)
	if err != nil {
		return err
	}
	return errors.Join(g.Write(f, *format), f.Close())
}

func load(from, shape string, n int, command string, seed uint64) (*dag.Graph, error) {
	if from == "" {
		if command == "" {
			command = "true"
		}
		return dag.New(shape, n, command, seed)
	}
	g, err := dag.ReadFile(from)
	if err == nil && command != "" {
		g.SetCommand(command)
	}
	return g, err
}
