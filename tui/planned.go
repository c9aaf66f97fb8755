package tui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/client/runview"
	"wf/tui/cells"
	"wf/tui/dialog"
	"wf/tui/words"
)

// A fate is what a planned run does with a node.
type fate uint8

const (
	untouched fate = iota // it is not in the scope
	willRun
	mayRun // only after certain outcomes
	isKept // its result is taken over
)

// fateWords are written before the details of nodes, so that a plan needs no colours. The short ones are in the place of a time.
var fateWords = map[fate]struct{ long, short string }{
	willRun: {"would run", "run"}, mayRun: {"may run", "may run"}, isKept: {"kept", "kept"},
}

// A planned is the run that Enter would start now, and its plan as far as it is known. The zero value is none.
type planned struct {
	req   *api.RunRequest // of the choice; nil = nothing is planned
	asked bool
	known bool
	fates []fate // by node of the workfile
	text  string // the plan in a sentence, or why there is none
}

// previewOf returns the run that the selected choice of the open menu would start, or nil.
func previewOf(dialogs []dialog.Dialog) *api.RunRequest {
	if len(dialogs) == 0 {
		return nil
	}
	menu, ok := dialogs[len(dialogs)-1].(*dialog.Menu)
	if !ok {
		return nil
	}
	req, _ := menu.Selected().Preview.(*api.RunRequest)
	return req
}

// preview makes a run the planned one. The plan of another one is dropped.
func (p *planned) preview(req *api.RunRequest) {
	if p.req != req {
		*p = planned{req: req}
	}
}

// requestPlan asks for the plan of the run that Enter would start. It is the plan of wf plan.
func requestPlan(m *model) tea.Msg {
	p := &m.doc.lens.plan
	p.preview(previewOf(m.dialogs))
	if p.req == nil || p.asked || !m.link.connected() {
		return nil
	}
	p.asked = true
	req, values := *p.req, m.doc.lastParams
	if req.Params == nil {
		req.Params = values
	}
	of := p.req
	q := ask(func(ctx context.Context, ws *client.Workspace) (api.Plan, error) { return ws.Plan(ctx, req) },
		func(plan api.Plan) tea.Msg {
			if p.req == of {
				p.take(&m.doc.flow, plan)
			}
			return nil
		})
	q.fail = func(err error) tea.Msg {
		if p.req == of {
			p.known, p.text = true, "no plan: "+words.Error(err)
		}
		return nil
	}
	return q
}

// take stores a plan.
func (p *planned) take(f *runview.Workfile, plan api.Plan) {
	p.known, p.fates, p.text = true, make([]fate, len(f.Nodes)), planText(plan)
	at := map[string]int{}
	for i := range f.Nodes {
		at[f.Nodes[i].ID], at[f.Nodes[i].Name] = i, i
		if s := f.Nodes[i].Counted(); plan.Mode == api.ModeResume && plan.Kept > 0 && (s == api.StateOK || s == api.StateKept || s == api.StateHandled) {
			p.fates[i] = isKept
		}
	}
	for _, step := range plan.Steps {
		of := willRun
		if step.Reason == api.PlanConditional {
			of = mayRun
		}
		for _, name := range []string{step.Node, step.Home} { // a sub-flow runs with its nodes
			if i, known := at[name]; known && p.fates[i] != willRun {
				p.fates[i] = of
			}
		}
	}
}

// planText returns a plan as a sentence.
func planText(plan api.Plan) string {
	if len(plan.Steps) == 0 && plan.Mode == api.ModeResume {
		return "nothing to resume: no node has failed"
	}
	text := fmt.Sprintf("would run %d of %s", plan.Nodes, words.Plural(plan.Total, "node"))
	if plan.Conditional > 0 {
		text += fmt.Sprintf(", and up to %d more", plan.Conditional)
	}
	if plan.Kept > 0 {
		text += fmt.Sprintf("; keeps %d", plan.Kept)
	}
	return text
}

// note shows the plan in the menu whose choice it is about.
func (p *planned) note(dialogs []dialog.Dialog) {
	if len(dialogs) == 0 {
		return
	}
	if menu, ok := dialogs[len(dialogs)-1].(*dialog.Menu); ok {
		menu.Note = p.text
	}
}

// apply writes the fates into the texts of the nodes of a drawing.
func (p *planned) apply(f *runview.Workfile, pic *picture) {
	for i := range min(len(p.fates), len(f.Nodes)) {
		word := fateWords[p.fates[i]]
		to := &pic.graph.Nodes[i]
		pic.described[i] = textSource{} // computed again without the plan
		to.Detail, to.Time = word.long, word.short
		if p.fates[i] == untouched {
			to.Detail = string(f.Nodes[i].State)
		}
	}
}

// style returns the style of the name of a node.
func (p *planned) style(st cells.Style, i int) cells.Style {
	switch p.fates[i] {
	case willRun:
		return cells.Key.With(cells.Underline | st.Attrs&cells.Reverse)
	case mayRun:
		return cells.Style{FG: cells.Key.FG, Attrs: cells.Underline | st.Attrs&cells.Reverse}
	case isKept:
		return st
	}
	return st.With(cells.Dim)
}
