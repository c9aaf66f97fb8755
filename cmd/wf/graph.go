package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/cmd/wf/convert"
	"wf/cmd/wf/exit"
	"wf/tui/plain"
)

// graphOptions are the flags of graph.
type graphOptions struct {
	file   string
	format string
	json   bool
}

func newGraph(e *env) *cobra.Command {
	o := &graphOptions{format: "tree"}
	cmd := &cobra.Command{
		Use: "graph [FILE]",
		Long: `Graph prints the nodes of a workfile, their dependencies and their states.

  tree     for the terminal: each node once, below the last of the nodes that it waits for; the
           other ones follow "<-", and nodes that only trigger it again follow "<~"
  dot      for Graphviz; wf new --from dot can read it, with the control flow
  mermaid  a flowchart for documents; wf new --from mermaid can read it, with the control flow
  json     wf.graph/v1
  svg      a self-contained picture

wf prints notes about everything that dot and mermaid cannot express, and writes them at the top
of the output. The same workfile in the same state gives the same bytes.`,
		Example: `  wf graph
  wf graph --format svg > graph.svg
  wf graph --format dot | dot -Tpdf > graph.pdf`,
		Args: nargs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := fileArg(cmd, &o.file, args); err != nil {
				return err
			}
			if o.json {
				if o.format != "json" && cmd.Flags().Changed("format") {
					return exit.Usage("--json cannot be used with --format %s", o.format)
				}
				o.format = "json"
			}
			return e.open(cmd.Context(), o.file, o.run)
		},
	}
	lookFlag(cmd, &o.file, "f")
	cmd.Flags().BoolVar(&o.json, "json", false, "the same as --format json")
	cmd.Flags().Var(&choice{&o.format, []string{"tree", "dot", "mermaid", "json", "svg"}}, "format", "tree, dot, mermaid, json or svg")
	return cmd
}

func (o *graphOptions) run(ctx context.Context, e *env, s *target) error {
	status, err := s.Workspace.Status(ctx, true)
	if err != nil {
		return err
	}
	e.noteProblem(status.Problem)
	g := graphOf(&status)
	if o.format != "tree" && o.format != "svg" {
		if err := addAttributes(ctx, s, &g); err != nil {
			return err
		}
	}
	if o.format == "dot" || o.format == "mermaid" {
		for _, lost := range convert.Lost(&g) {
			fmt.Fprintf(e.Stderr, "note: %s\n", plain.Line(lost))
		}
	}
	switch o.format {
	case "json":
		return console.WriteJSON(e.Stdout, g)
	case "dot":
		_, err = e.Stdout.Write(convert.Dot(&g))
	case "mermaid":
		_, err = e.Stdout.Write(convert.Mermaid(&g))
	case "svg":
		_, err = e.Stdout.Write(convert.SVG(&g, filepath.Base(g.Workfile)))
	default:
		err = printTree(e, &g)
	}
	return err
}

// addAttributes adds the control-flow attributes to the nodes of a graph; a status does not contain them.
func addAttributes(ctx context.Context, s *target, g *api.Graph) error {
	list, err := s.Workspace.Select(ctx, nil)
	if err != nil {
		return err
	}
	attrs := make(map[string]map[string]string, len(list.Nodes))
	for i := range list.Nodes {
		own := list.Nodes[i].Attrs
		delete(own, "name") // these two are fields of their own
		delete(own, "group")
		attrs[list.Nodes[i].ID] = own
	}
	for i := range g.Nodes {
		g.Nodes[i].Attrs = attrs[g.Nodes[i].ID]
	}
	return nil
}

// graphOf returns the graph of a status.
func graphOf(s *api.Status) api.Graph {
	g := api.Graph{Schema: api.SchemaGraph, Workfile: s.Workfile, Wrapper: s.Wrapper, Attrs: s.Attrs,
		Nodes: make([]api.GraphNode, 0, len(s.Nodes)), Edges: make([]api.GraphEdge, 0, len(s.Edges))}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		g.Nodes = append(g.Nodes, api.GraphNode{ID: n.ID, Name: n.Name, Command: n.Command, Status: n.Status, State: n.State, Handled: n.Handled,
			Group: n.Group, Container: n.Container, SubFlow: n.SubFlow, Parent: n.Parent, X: n.X, Y: n.Y})
	}
	for i := range s.Edges {
		e := &s.Edges[i]
		g.Edges = append(g.Edges, api.GraphEdge{ID: e.ID, Source: e.Source, Target: e.Target, Type: e.Type, Status: e.Status,
			When: e.When, Taken: e.Taken, Dead: e.Dead})
	}
	return g
}
