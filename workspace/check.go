package workspace

import (
	"context"
	"fmt"
	"strings"

	"wf/api"
	"wf/flow"
	"wf/graph"
	"wf/graphml"
)

// Check lists what is wrong with the workfile, with lines.
func (w *Workspace) Check(ctx context.Context) (api.Check, error) {
	if err := w.rereadWarnings(ctx); err != nil {
		return api.Check{}, err
	}
	var folder workFolder
	c, err := ask(ctx, w, func(w *Workspace) (api.Check, error) {
		folder = w.workFolder()
		c := api.Check{Schema: api.SchemaCheck, OK: true, Nodes: len(w.g.Nodes()), Edges: len(w.g.Edges()),
			Problems: []api.Problem{}}
		if w.file.unreadable != "" {
			addProblem(&c, api.Problem{Severity: "error", Code: "unreadable", Message: w.file.unreadable})
		}
		_, problems := flow.Read(w.g)
		for _, p := range append(graph.Check(w.g), problems...) {
			addProblem(&c, w.problem(p))
		}
		for _, p := range w.oddities() {
			addProblem(&c, p)
		}
		w.checkWrapper(&c)
		return c, nil
	})
	if err != nil {
		return c, err
	}
	if why, _ := folder.problem(); why != "" {
		addProblem(&c, api.Problem{Severity: "error", Code: "cwd", Line: folder.line,
			Message: fmt.Sprintf("cwd: the commands cannot work in %s: %s", folder.path, why)})
	}
	return c, nil
}

// rereadWarnings finds out what is odd about the file as it is with the edits that were made since it was
// read.
func (w *Workspace) rereadWarnings(ctx context.Context) error {
	type state struct {
		doc    *graphml.Document
		pieces graphml.Pieces
	}
	s, err := askNow(ctx, w, func(w *Workspace) (state, error) {
		if w.edits.idle() {
			return state{}, nil
		}
		return state{w.doc, w.doc.Render()}, nil
	})
	if err != nil || s.doc == nil {
		return err
	}
	_, _, warnings, err := graphml.Parse(whole(s.pieces), graphml.Limits{})
	if err != nil {
		return nil // what we write can be read; if not, the next reading says so
	}
	_, err = ask(ctx, w, func(w *Workspace) (struct{}, error) {
		if w.doc == s.doc {
			w.warnings = warnings
		}
		return struct{}{}, nil
	})
	return err
}

func addProblem(c *api.Check, p api.Problem) {
	if p.Severity == "error" {
		c.OK = false
	}
	c.Problems = append(c.Problems, p)
}

// oddities are what the reader of the file found odd, without what edits have mended since.
func (w *Workspace) oddities() []api.Problem {
	var list []api.Problem
	for _, x := range w.warnings {
		if x.Attr != "" && w.hasAttr(x) {
			continue
		}
		p := api.Problem{Severity: "warning", Code: x.Code, Line: x.Line, Message: x.Message}
		if x.Severe {
			p.Severity = "error"
		}
		list = append(list, p)
	}
	return list
}

// hasAttr says whether the element that a warning is about has the attribute by now, or is gone.
func (w *Workspace) hasAttr(x graphml.Warning) (has bool) {
	switch {
	case x.Node != "":
		if n := w.g.Node(x.Node); n != nil {
			_, has = n.Attr(x.Attr)
			return has
		}
		return true
	case x.Edge >= 0:
		if e := w.g.Edge(x.Edge); e != nil {
			_, has = e.Attr(x.Attr)
			return has
		}
		return true
	}
	_, has = w.g.Attr(x.Attr)
	return has
}

// problem words a finding of the graph with handles and lines.
func (w *Workspace) problem(p graph.Problem) api.Problem {
	out := api.Problem{Severity: "warning", Code: p.Code, Message: p.Message, Nodes: w.names(p.Nodes)}
	if p.Severity == graph.Error {
		out.Severity = "error"
	}
	switch {
	case p.Edge >= 0:
		out.Line = w.doc.EdgeAttrLine(p.Edge, p.Attr)
	case len(p.Nodes) > 0:
		out.Line = w.doc.NodeAttrLine(p.Nodes[0], p.Attr)
	case p.Attr != "":
		out.Line = w.doc.GraphAttrLine(p.Attr)
	}
	if out.Line > 0 {
		out.Line += p.Line
	}
	if p.Code == "cycle" && len(out.Nodes) > 0 {
		out.Message = "blocking edges form a cycle: " + strings.Join(append(out.Nodes[:len(out.Nodes):len(out.Nodes)], out.Nodes[0]), " -> ")
	}
	return out
}

// checkWrapper warns of a wrapper whose quotes are open: every command would fail.
func (w *Workspace) checkWrapper(c *api.Check) {
	wrapper := w.wrapper()
	if quote := openQuote(wrapper); quote != 0 {
		addProblem(c, api.Problem{Severity: "error", Code: "wrapper",
			Message: fmt.Sprintf("the wrapper %q has an open %c quote: no command could be read by the shell", wrapper, quote)})
	}
}

// openQuote finds a quote of a shell line that is never closed, 0 if there is none.
func openQuote(line string) rune {
	var quote rune
	escaped := false
	for _, r := range line {
		switch {
		case escaped:
			escaped = false
		case r == '\\' && quote != '\'':
			escaped = true
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case r == quote:
			quote = 0
		}
	}
	return quote
}
