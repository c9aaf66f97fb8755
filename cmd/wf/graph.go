package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/client/runview"
	"wf/cmd/wf/console"
	"wf/cmd/wf/convert"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/picture"
	"wf/tui/plain"
	"wf/tui/words"
)

// graphOptions are the flags of graph.
type graphOptions struct {
	file   string
	format string
	json   bool
	width  int
	height int
	whole  bool
	watch  bool
}

func newGraph(e *env) *cobra.Command {
	o := &graphOptions{format: "tree"}
	cmd := &cobra.Command{
		Use: "graph [FILE]",
		Long: `Graph prints the nodes of a workfile, their dependencies and their states.

  tree     for the terminal: each node once, below the last of the nodes that it waits for; the
           other ones follow "<-", and nodes that only trigger it again follow "<~"
  text     a drawing for the terminal: nodes, or stages of similar nodes, as boxes with their
           states, and lines with arrowheads that can be followed
  dot      for Graphviz; wf new --from dot can read it, with the control flow
  mermaid  a flowchart for documents; wf new --from mermaid can read it, with the control flow
  json     wf.graph/v1
  svg      the same drawing as a self-contained picture, for light and dark pages
  png      the same, converted by rsvg-convert, inkscape, magick or convert, if one is installed

A drawing fits the terminal, or --width and --height in characters. If it must, it draws one box
for several nodes: "align ×8", or "fastqc +2 ×24" for three kinds. --whole draws all.

wf prints notes about everything that dot and mermaid cannot express, and writes them at the top
of the output. The same workfile in the same state gives the same bytes.`,
		Example: `  wf graph
  wf graph --format text
  wf graph --watch
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
			if o.watch {
				if cmd.Flags().Changed("format") && o.format != "text" {
					return exit.Usage("--watch cannot be used with --format %s", o.format)
				}
				return e.open(cmd.Context(), o.file, o.follow)
			}
			if o.format == "png" && e.OutTTY {
				return &exit.Failure{Status: exit.BadUsage, What: "a terminal cannot show a PNG", Fix: "wf graph --format png > graph.png"}
			}
			return e.open(cmd.Context(), o.file, o.run)
		},
	}
	lookFlag(cmd, &o.file, "f")
	cmd.Flags().BoolVar(&o.json, "json", false, "the same as --format json")
	cmd.Flags().Var(&choice{&o.format, []string{"tree", "text", "dot", "mermaid", "json", "svg", "png"}}, "format", "tree, text, dot, mermaid, json, svg or png")
	cmd.Flags().BoolVarP(&o.watch, "watch", "w", false, "draw again after every change, until the run is over or Ctrl-C")
	cmd.Flags().IntVar(&o.width, "width", 0, "width of a drawing in `COLUMNS`; 0 = that of the terminal; else 120, of pictures 160")
	cmd.Flags().IntVar(&o.height, "height", 0, "height of a drawing in `LINES`; 0 = that of the terminal; else 60, with --whole as needed")
	cmd.Flags().BoolVar(&o.whole, "whole", false, "draw each node, and never one box for several")
	return cmd
}

func (o *graphOptions) run(ctx context.Context, e *env, s *target) error {
	status, err := s.Workspace.Status(ctx, true)
	if err != nil {
		return err
	}
	e.noteProblem(status.Problem)
	if o.format == "text" || o.format == "svg" || o.format == "png" {
		return o.draw(ctx, e, &status)
	}
	g := graphOf(&status)
	if o.format != "tree" {
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
	default:
		err = printTree(e, &g)
	}
	return err
}

// The size in cells of pictures that are not for a terminal: a page, and text for a file.
const (
	pageWidth, pageHeight = 160, 60
	fileWidth, fileHeight = 120, 60
)

// size returns the room for a picture. One that the user did not set is that of the terminal, or of a page. A drawing of
// each node may be as high as it is.
func (o *graphOptions) size(e *env) (width, height int) {
	width, height = e.OutSize()
	switch {
	case o.format == "svg" || o.format == "png":
		width, height = pageWidth, pageHeight
	case width == 0:
		width, height = fileWidth, fileHeight
	default:
		height-- // for the prompt
	}
	if o.whole {
		height = 0
	}
	return cmp.Or(o.width, width), cmp.Or(o.height, height)
}

// draw prints a drawing for a terminal, or a picture.
func (o *graphOptions) draw(ctx context.Context, e *env, status *api.Status) error {
	width, height := o.size(e)
	d := o.drawing(status, width, height, time.Now())
	if d.Scene.Folded {
		without := ""
		if n := len(d.Scene.Implied); n > 0 {
			without = fmt.Sprintf(", without %s that others imply", words.Plural(n, "edge"))
		}
		fmt.Fprintf(e.Stderr, "note: %d nodes are drawn as %d boxes%s; --whole draws all\n", len(d.Graph.Nodes), len(d.Scene.Boxes), without)
	}
	var drawn []byte
	switch name := filepath.Base(status.Workfile); o.format {
	case "svg":
		drawn = d.SVG(name)
	case "png":
		var err error
		if drawn, err = png(ctx, d.SVG(name)); err != nil {
			return err
		}
	default:
		drawn = []byte(d.Text(o.paint(e)))
	}
	_, err := e.Stdout.Write(drawn)
	return err
}

func (o *graphOptions) paint(e *env) picture.Paint {
	paint := e.OutPaint()
	return picture.Paint{Colored: paint.Colored, ASCII: paint.ASCII}
}

// drawing computes a drawing of the nodes of a status.
func (o *graphOptions) drawing(status *api.Status, width, height int, now time.Time) picture.Drawing {
	var f runview.Workfile
	f.Apply(status, nil, nil)
	return picture.Draw(picture.Of(&f, now), width, height, o.whole)
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
