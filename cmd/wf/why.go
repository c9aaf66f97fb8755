package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"wf/api"
)

// whyOptions are the flags of why.
type whyOptions struct {
	file string
	run  string
	json bool
}

func newWhy(e *env) *cobra.Command {
	o := &whyOptions{}
	cmd := &cobra.Command{
		Use:   "why NODE",
		Short: "Say why a node ran, waits, did not run or failed",
		Example: `  wf why align
  wf why align --run 42`,
		Args: nargs(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.explain(cmd.Context(), e, args[0]) },
	}
	fileFlag(cmd, &o.file, "f")
	cmd.Flags().StringVar(&o.run, "run", "", "in this `RUN` (default: the only active one, else the latest)")
	cmd.Flags().BoolVar(&o.json, "json", false, "print the answer as JSON")
	return cmd
}

func (o *whyOptions) explain(ctx context.Context, e *env, node string) error {
	s, err := e.open(ctx, o.file)
	if err != nil {
		return err
	}
	defer s.close()
	why, err := s.ws.Why(ctx, node, o.run)
	if err != nil {
		return err
	}
	if o.json {
		return writeJSON(e.stdout, why)
	}
	return printWhy(e.stdout, e.outPaint(), why, time.Now())
}

// printWhy is the answer for people.
func printWhy(w io.Writer, p paint, why api.Why, now time.Time) error {
	head := fmt.Sprintf("%s %s  %s", p.glyph(why.Node.State), oneLine(why.Node.Name), stateDetail(why.Node, now))
	if why.Run != "" {
		head += "  in run " + why.Run
	}
	fmt.Fprintln(w, head)
	for _, line := range why.Text {
		fmt.Fprintf(w, "  %s\n", oneLine(line))
	}
	_, err := fmt.Fprintf(w, "  command: %s\n", oneLine(why.Node.Command))
	return err
}
