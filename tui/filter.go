package tui

import (
	"path"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client/runview"
	"wf/graph/timespan"
	"wf/tui/dialog"
	"wf/tui/words"
)

// A filter hides nodes. Its language is that of selectors, plus words, durations and negation: terms separated by
// blanks must all match, commas separate alternatives.
type filter struct {
	text  string
	terms []term
}

// A term matches nodes of a flow.
type term struct {
	negated bool
	means   func(f *runview.Workfile, now time.Time) func(i int) bool
}

// quickFilters are the filters of the key f.
var quickFilters = []string{"", "s:failed,blocked", "s:running,queued"}

// parseFilter reads a filter. Every text is valid: text that is not another kind of term is a word.
func parseFilter(text string) filter {
	f := filter{text: strings.TrimSpace(text)}
	for _, word := range strings.Fields(text) {
		t := term{}
		word, t.negated = strings.CutPrefix(word, "!")
		if word == "" {
			continue
		}
		t.means = meaning(word)
		f.terms = append(f.terms, t)
	}
	return f
}

// meaning returns a function that finds the nodes that a term matches.
func meaning(word string) func(*runview.Workfile, time.Time) func(int) bool {
	switch {
	case strings.HasPrefix(word, "s:"):
		states := strings.Split(word[2:], ",")
		return func(f *runview.Workfile, _ time.Time) func(int) bool {
			return func(i int) bool { return slices.Contains(states, string(f.Nodes[i].State)) }
		}
	case strings.HasPrefix(word, "g:"):
		groups := strings.Split(word[2:], ",")
		return func(f *runview.Workfile, _ time.Time) func(int) bool {
			return func(i int) bool {
				return slices.ContainsFunc(groups, func(g string) bool { return glob(g, f.Nodes[i].Group) })
			}
		}
	case strings.HasPrefix(word, "dur>"), strings.HasPrefix(word, "dur<"):
		if limit, err := timespan.Parse(word[4:]); err == nil {
			return func(f *runview.Workfile, now time.Time) func(int) bool {
				return func(i int) bool {
					took, known := duration(&f.Nodes[i], now)
					return known && (took > limit) == (word[3] == '>')
				}
			}
		}
	case len(word) > 1 && (word[0] == '+' || word[len(word)-1] == '+'):
		return func(f *runview.Workfile, _ time.Time) func(int) bool { return reach(f, word) }
	}
	words := strings.Split(strings.ToLower(word), ",")
	return func(f *runview.Workfile, _ time.Time) func(int) bool {
		return func(i int) bool {
			return slices.ContainsFunc(words, func(w string) bool { return w != "" && fuzzy(w, &f.Nodes[i]) })
		}
	}
}

// duration returns how long a node has been running, or how long it ran.
func duration(n *api.NodeStatus, now time.Time) (time.Duration, bool) {
	switch {
	case n.State == api.StateRunning && n.Started != nil:
		return now.Sub(*n.Started), true
	case n.DurationMS != nil:
		return time.Duration(*n.DurationMS) * time.Millisecond, true
	}
	return 0, false
}

// glob reports whether name matches pattern, which may contain *, ? and [abc].
func glob(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return pattern == name || err == nil && ok
}

// fuzzy reports whether the handle of a node contains the letters of word in this order, or its command contains
// word. word is in lower case.
func fuzzy(word string, n *api.NodeStatus) bool {
	if glob(word, n.Name) || strings.Contains(strings.ToLower(n.Command), word) {
		return true
	}
	rest := word
	for _, r := range strings.ToLower(n.Name) {
		if tail, ok := strings.CutPrefix(rest, string(r)); ok {
			if rest = tail; rest == "" {
				return true
			}
		}
	}
	return false
}

// reach returns the nodes that +x and x+ match: the nodes named x and all their predecessors, or successors.
func reach(f *runview.Workfile, word string) func(int) bool {
	name, up := strings.CutPrefix(word, "+")
	name, down := strings.CutSuffix(name, "+")
	reached := make([]bool, len(f.Nodes))
	walk := func(edges [][]int, next func(e runview.Edge) int) {
		seen := make([]bool, len(f.Nodes))
		var stack []int
		for i := range f.Nodes {
			if glob(name, f.Nodes[i].Name) {
				stack = append(stack, i)
				seen[i] = true
			}
		}
		for len(stack) > 0 {
			i := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			reached[i] = true
			for _, e := range edges[i] {
				if to := next(f.Edges[e]); !seen[to] {
					seen[to] = true
					stack = append(stack, to)
				}
			}
		}
	}
	if up {
		walk(f.In, func(e runview.Edge) int { return e.From })
	}
	if down {
		walk(f.Out, func(e runview.Edge) int { return e.To })
	}
	return func(i int) bool { return reached[i] }
}

// hide returns which nodes the filter hides, or nil for none.
func (f *filter) hide(flow *runview.Workfile, now time.Time) []bool {
	if len(f.terms) == 0 {
		return nil
	}
	hidden := make([]bool, len(flow.Nodes))
	for _, t := range f.terms {
		means := t.means(flow, now)
		for i := range hidden {
			hidden[i] = hidden[i] || means(i) == t.negated
		}
	}
	return hidden
}

// filterPrompt asks for a filter and applies it while the user types.
func (d *document) filterPrompt() tea.Msg {
	before := d.filter
	p := &dialog.Prompt{Label: "filter:", Line: dialog.NewLine(d.filter.text)}
	p.Line.Max = dialog.LongestWord
	p.Changed = func(text string) {
		d.filter = parseFilter(text)
		d.invalidateLayout()
	}
	p.Hint = func(text string) (string, bool) {
		left := len(d.shown().Nodes)
		for _, h := range d.picture.hidden {
			if h {
				left--
			}
		}
		return words.Count(left, len(d.shown().Nodes)) + "   words s:failed g:group +x x+ dur>1m !not", left == 0
	}
	p.Enter = func(text string) tea.Msg { return nil }
	p.Cancel = func() {
		d.filter = before
		d.invalidateLayout()
	}
	return openDialog{p}
}
