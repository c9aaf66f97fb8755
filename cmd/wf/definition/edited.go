package definition

import (
	"cmp"
	"errors"
	"slices"

	"wf/graph"
	"wf/graph/text"
	"wf/scheduler/flow"
)

// Edited reads a text that was made from a workfile and edited, and returns the version that the workfile would become. An
// error is text.Mistakes: of the text, or mistakes of the workflow that the workfile does not have already.
func Edited(from *Version, data []byte) (*Version, error) {
	wf, err := text.Read(data)
	if err != nil {
		return nil, err
	}
	over, err := wf.Over(from.graph, func(*text.Node) string { return graph.NewID() })
	if err != nil {
		return nil, err
	}
	type problem struct{ code, message string }
	known := map[problem]bool{}
	for _, p := range problems(from.graph) {
		known[problem{p.Code, p.Message}] = true
	}
	var mistakes text.Mistakes
	for _, p := range problems(over.Graph) {
		if p.Severity != graph.Error || known[problem{p.Code, p.Message}] {
			continue
		}
		line, column := over.Where(p)
		mistakes = append(mistakes, text.Mistake{Line: line, Column: column, Message: p.Message})
	}
	if len(mistakes) > 0 {
		slices.SortStableFunc(mistakes, func(a, b text.Mistake) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
		return nil, mistakes
	}
	return &Version{graph: over.Graph}, nil
}

// problems returns what wf check would find in a workflow, as far as the workflow alone shows it.
func problems(g *graph.Graph) []graph.Problem {
	_, list := flow.Read(g)
	return append(graph.Check(g), list...)
}

// A Mistake is a mistake in a text, for display.
type Mistake struct {
	Line, Column int // from 1
	Message      string
}

// Mistakes returns the mistakes that an error of Edited consists of, by line, or nil.
func Mistakes(err error) (list []Mistake) {
	var mistakes text.Mistakes
	if !errors.As(err, &mistakes) {
		return nil
	}
	for _, m := range mistakes {
		message := m.Message
		if m.Remedy != "" {
			message += "; " + m.Remedy
		}
		list = append(list, Mistake{m.Line, m.Column, message})
	}
	return list
}
