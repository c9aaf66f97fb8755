package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"wf/api"
	"wf/cmd/wf/convert"
	"wf/cmd/wf/exit"
	"wf/tui/plain"
	"wf/tui/words"
)

// importFormats returns the formats of --from, sorted.
func importFormats() []string {
	return slices.Sorted(slices.Values(append(convert.Formats(), "make")))
}

// read fills a request with the workflow of another program, and returns notes about it.
func (o *newOptions) read(ctx context.Context, e *env, req *api.NewRequest) (notes []string, err error) {
	data, name, err := o.readInput(e)
	if err != nil {
		return nil, err
	}
	var flow *convert.Workflow
	if o.from == "make" {
		flow, err = o.readMake(ctx, e, data, name)
	} else {
		flow, err = convert.Import(o.from, data, convert.Options{Command: o.command})
	}
	if err != nil {
		return nil, notExpressible(name, o.from, err)
	}
	req.Nodes, req.Edges, req.Attrs, notes = flow.Nodes, flow.Edges, flow.Attrs, flow.Notes
	if note := o.folder(e, req); note != "" {
		notes = append(notes, note)
	}
	if missing := withoutCommand(flow.Nodes); missing > 0 {
		notes = append(notes, fmt.Sprintf("%s no command: wf run refuses such nodes until they have one (wf check lists them)",
			have(missing, "node")))
	}
	return notes, nil
}

// fileComment returns the comment at the top of the new workfile, which names the source and repeats the notes. Without
// notes there is no comment.
func (o *newOptions) fileComment(e *env, notes []string) []string {
	if len(notes) == 0 {
		return nil
	}
	source := "standard input"
	if o.input != "-" {
		source = filepath.Base(e.Abs(o.input))
	}
	lines := []string{fmt.Sprintf("created by wf new from %s (%s)", source, cmp.Or(o.from, "lines"))}
	for _, note := range notes {
		lines = append(lines, "note: "+note)
	}
	return lines
}

// readInput reads the input file or standard input.
func (o *newOptions) readInput(e *env) (data []byte, name string, err error) {
	if o.input == "-" {
		data, err = io.ReadAll(e.Stdin)
		if err != nil {
			return nil, "", fmt.Errorf("standard input: %w", err)
		}
		return data, "standard input", nil
	}
	path := e.Abs(o.input)
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, "", &exit.Failure{Status: exit.BadWorkfile, What: plain.Line(o.input) + " is not a regular file"}
	}
	if err == nil {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, "", &exit.Failure{Status: exit.BadWorkfile, What: "cannot read " + plain.Line(o.input), Why: exit.Obstacle(err)}
	}
	return data, e.rel(path), nil
}

// notExpressible turns an error about the input into a failure with a place, a reason and a fix.
func notExpressible(name, format string, err error) error {
	var at *convert.Error
	if !errors.As(err, &at) {
		return err
	}
	where := name
	if at.Line > 0 {
		where += ":" + strconv.Itoa(at.Line)
	}
	if at.Column > 0 {
		where += ":" + strconv.Itoa(at.Column)
	}
	why := "nothing was written: this " + inputWord[format] + " cannot be expressed as a workfile"
	if format == "yaml" || strings.HasPrefix(at.Msg, makeSays) {
		why = "nothing was written"
	}
	if at.Others > 0 {
		why += "; " + words.Plural(at.Others, "more mistake")
	}
	return &exit.Failure{Status: exit.BadWorkfile, What: at.Msg, Where: where, Why: why, Fix: at.Fix}
}

// inputWord names the inputs in messages.
var inputWord = map[string]string{"dagu": "workflow", "dot": "graph", "make": "makefile", "mermaid": "diagram", "wfcommons": "instance", "nextflow": "graph", "script": "script", "snakemake": "output", "yaml": "text",
	"lines": "list of commands"}

// folder keeps the working folder of the commands of make, Snakemake and Dagu: if the workfile is in another folder than the
// input, it gets the folder of the input as its attribute cwd.
func (o *newOptions) folder(e *env, req *api.NewRequest) (note string) {
	if o.input == "-" || !slices.Contains([]string{"make", "dagu", "snakemake"}, o.from) || req.Attrs["cwd"] != "" {
		return ""
	}
	home := filepath.Dir(e.Abs(o.input))
	rel, err := filepath.Rel(filepath.Dir(req.Path), home)
	if err != nil || rel == "." {
		return ""
	}
	if req.Attrs == nil {
		req.Attrs = map[string]string{}
	}
	req.Attrs["cwd"] = rel
	return "its commands run in " + home + " (attribute cwd)"
}

func withoutCommand(nodes []api.NewNode) (n int) {
	for i := range nodes {
		if nodes[i].NoCommand && !nodes[i].Container && nodes[i].Attrs["workfile"] == "" {
			n++
		}
	}
	return n
}

// have returns "1 node has" or "2 nodes have".
func have(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " has"
	}
	return words.Plural(n, noun) + " have"
}
