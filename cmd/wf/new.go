package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"wf/api"
)

// newOptions are the flags of new.
type newOptions struct {
	file      string
	fromLines bool
	chain     bool
}

func newNew(e *env) *cobra.Command {
	o := &newOptions{}
	cmd := &cobra.Command{
		Use:   "new [FILE]",
		Short: "Make a new workfile",
		Example: `  wf new                                      an empty ./Workfile
  wf new --from-lines --chain < commands.txt  a node per line, one after the other`,
		Args: nargs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := fileArg(&o.file, args); err != nil {
				return err
			}
			return o.run(cmd.Context(), e)
		},
	}
	fileFlag(cmd, &o.file, "f")
	cmd.Flags().BoolVar(&o.fromLines, "from-lines", false, "read commands from standard input, one a line")
	cmd.Flags().BoolVar(&o.chain, "chain", false, "with --from-lines: each command waits for the one before")
	return cmd
}

func (o *newOptions) run(ctx context.Context, e *env) error {
	if o.chain && !o.fromLines {
		return usage("--chain orders lines: it needs --from-lines")
	}
	if o.file == "" {
		o.file = defaultWorkfile
	}
	req := api.NewRequest{Path: e.abs(o.file), Chain: o.chain}
	if o.fromLines {
		var err error
		if req.Lines, err = readLines(e.stdin); err != nil {
			return err
		}
	}
	c, err := e.connect(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.New(ctx, req); err != nil {
		return err
	}
	fmt.Fprintf(e.stderr, "made %s: %s\n", oneLine(e.rel(req.Path)), plural(len(req.Lines), "node"))
	return nil
}

// readLines reads commands; blank lines are none. A line has no limit.
func readLines(r io.Reader) ([]string, error) {
	var lines []string
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadString('\n')
		if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) != "" {
			lines = append(lines, line)
		}
		if err == io.EOF {
			return lines, nil
		}
		if err != nil {
			return nil, fmt.Errorf("standard input: %w", err)
		}
	}
}
