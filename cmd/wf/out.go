package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/tui/plain"
	"wf/tui/words"
)

// outOptions are the flags of out.
type outOptions struct {
	file, run string
	bare      bool
	json      bool
}

// outElsewhere is the advice for wf out where the daemon, which has the outputs, is on another machine.
const outElsewhere = "pass the value to the node: wf edit set NODE env 'NAME=${{ nodes.OTHER.outputs.KEY }}'"

func newOut(e *env) *cobra.Command {
	o := &outOptions{}
	cmd := &cobra.Command{
		Use: "out NODE.KEY",
		Long: `Out prints a value that a command wrote to $WF_OUTPUT. Texts and numbers are printed as they
are, lists and objects as JSON. Without a key it lists all outputs of the node.

Inside a command of a run it prints the outputs of that run, and inside an instance of a sub-flow
it looks for nodes of the same instance first. Elsewhere it prints the outputs of the latest run.
NODE may be the path of an instance: align[3]/trim. If there is no such output, the status is 2.`,
		Example: `  wf out build.version
  wf out 'align[3]/trim.score'
  wf out build --json`,
		Args:        nargs(1, 1),
		Annotations: map[string]string{completesWith: "NODE"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := e.needDaemon(outElsewhere); err != nil {
				return err
			}
			if err := e.nodeArgs(cmd, o.file, args); err != nil {
				return err
			}
			if workfile := e.Get("WF_WORKFILE"); workfile != "" && o.file == "" {
				o.file, o.run = workfile, cmp.Or(o.run, e.Get("WF_RUN_ID"))
			}
			return e.look(cmd.Context(), o.file, func(ctx context.Context, e *env, s *target) error { return o.print(ctx, e, s, args[0]) })
		},
	}
	f := cmd.Flags()
	lookFlag(cmd, &o.file, "f")
	f.StringVar(&o.run, "run", "", "the output in this `RUN` (default: the run of the calling command, or else the latest)")
	f.BoolVarP(&o.bare, "no-newline", "n", false, "print no line end after the value")
	f.BoolVar(&o.json, "json", false, "print JSON: the node, and the value with its key")
	return cmd
}

func (o *outOptions) print(ctx context.Context, e *env, s *target, name string) error {
	outputs, key, err := o.find(ctx, e, s, name)
	if err != nil {
		return err
	}
	if key == "" {
		if outputs.Outputs == nil {
			outputs.Outputs = map[string]any{}
		}
		if o.json {
			return console.WriteJSON(e.Stdout, outputs)
		}
		return printOutputs(e, outputs.Outputs)
	}
	value, has := outputs.Outputs[key]
	if !has {
		return noOutput(strings.TrimSuffix(name, "."+key), outputs, key)
	}
	if o.json {
		outputs.Outputs = map[string]any{key: value}
		return console.WriteJSON(e.Stdout, outputs)
	}
	text := words.Value(value)
	if e.OutTTY {
		text = plain.Text(text)
	}
	if !o.bare {
		text += "\n"
	}
	_, err = io.WriteString(e.Stdout, text)
	return err
}

// find returns the outputs of the node that name begins with: the whole name, or the part before one of its dots. Inside
// an instance it tries the nodes of that instance first. key is the part after the dot.
func (o *outOptions) find(ctx context.Context, e *env, s *target, name string) (outputs api.NodeOutputs, key string, err error) {
	var unknown error
	for _, around := range o.places(e) {
		for end := len(name); end > 0; end = strings.LastIndexByte(name[:end], '.') {
			outputs, err = s.outputs(ctx, around+name[:end], o.run)
			if err == nil {
				return outputs, strings.TrimPrefix(name[end:], "."), nil
			}
			if !exit.IsCode(err, api.CodeUnknownNode) && !exit.IsCode(err, api.CodeNotFound) {
				return outputs, "", err
			}
			unknown = err
		}
	}
	return outputs, "", unknown
}

// outputs returns the outputs of a node in a run. If no run is named and the latest one has not executed the node, it
// returns those of its latest execution.
func (s *target) outputs(ctx context.Context, node, run string) (api.NodeOutputs, error) {
	outputs, err := s.Workspace.Outputs(ctx, node, run)
	if run != "" || !exit.IsCode(err, api.CodeNotFound) {
		return outputs, err
	}
	list, unknown := s.Workspace.Select(ctx, []string{node})
	if unknown != nil {
		return outputs, unknown
	}
	if len(list.Nodes) != 1 {
		return outputs, err
	}
	n := list.Nodes[0]
	return api.NodeOutputs{Schema: api.SchemaOutputs, Run: n.Run, Node: n.ID, Outputs: n.Outputs}, nil
}

// places returns the paths in which names are looked up: the instance of the calling command, those around it, and the
// outer flow.
func (o *outOptions) places(e *env) []string {
	path := ""
	if o.run == e.Get("WF_RUN_ID") {
		path = e.Get("WF_NODE_NAME")
	}
	var places []string
	for end := strings.LastIndexByte(path, '/'); end >= 0; end = strings.LastIndexByte(path[:end], '/') {
		if end > 0 && path[end-1] == ']' { // otherwise the slash is part of a name
			places = append(places, path[:end+1])
		}
	}
	return append(places, "")
}

func noOutput(asked string, o api.NodeOutputs, key string) error {
	f := &exit.Failure{Status: exit.BadUsage, What: fmt.Sprintf("%s has no output %s", plain.Line(asked), plain.Line(key)), Why: "it has no outputs"}
	if o.Run != "" {
		f.What += " in run " + o.Run
	}
	if names := slices.Sorted(maps.Keys(o.Outputs)); len(names) > 0 {
		f.Why = "it has " + words.NameList(names, words.ShownNames)
		if similar := exit.DidYouMean(key, names); similar != "" {
			f.Why = similar
		}
	}
	return f
}

// printOutputs prints one line per output.
func printOutputs(e *env, outputs map[string]any) error {
	var t console.Table
	for _, key := range slices.Sorted(maps.Keys(outputs)) {
		t.Row(plain.Line(key), plain.Line(words.Value(outputs[key])))
	}
	return t.Write(e.Stdout)
}
