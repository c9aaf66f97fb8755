package tui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/tui/dialog"
	"wf/tui/words"
)

// requestEstimates requests the estimates for an active run that are based on earlier runs. Without an answer the interface
// shows no remaining time.
func (d *document) requestEstimates(run string) tea.Msg {
	return ask(func(ctx context.Context, ws *client.Workspace) (api.RunOutlook, error) {
		o, err := ws.Outlook(ctx, run)
		if err != nil {
			return api.RunOutlook{}, nil // the run has just ended
		}
		return o, nil
	}, func(o api.RunOutlook) tea.Msg {
		if o.Run != "" && d.flow.Run(o.Run) != nil {
			d.flow.Learn(o)
		}
		return nil
	})
}

// start returns a message that starts a run. A resumed run has the parameters of the previous run; for other runs the
// user is asked for parameters if the workfile declares any.
func (d *document) start(req api.RunRequest) tea.Msg {
	before := d.paramsBefore()
	if req.Mode == api.ModeResume {
		return ask(func(ctx context.Context, ws *client.Workspace) (map[string]any, error) {
			return before(ctx, ws), nil
		}, func(values map[string]any) tea.Msg {
			req.Params = values
			return d.send(req)
		})
	}
	type question struct {
		list  api.ParamList
		given map[string]any
	}
	return ask(func(ctx context.Context, ws *client.Workspace) (question, error) {
		list, err := ws.Params(ctx, api.ParamsRequest{Env: req.Env})
		if err != nil || len(list.Params) == 0 {
			return question{}, err
		}
		given := before(ctx, ws)
		list, err = ws.Params(ctx, api.ParamsRequest{Params: given, Env: req.Env}) // some choices depend on values
		return question{list, given}, err
	}, func(q question) tea.Msg {
		if len(q.list.Params) == 0 {
			return d.send(req)
		}
		return openDialog{newParamForm(d, req, q.list, q.given)}
	})
}

// paramsBefore returns a function that finds the values of the previous run: those that the user typed here,
// otherwise those in the history.
func (d *document) paramsBefore() func(context.Context, *client.Workspace) map[string]any {
	values, last := d.lastParams, d.flow.Status.LastRun
	return func(ctx context.Context, ws *client.Workspace) map[string]any {
		if values != nil || last == nil {
			return values
		}
		detail, err := ws.Run(ctx, last.Run)
		if err != nil {
			return nil // the run and its values were removed
		}
		return detail.Params
	}
}

// send sends the request for a run. A refusal may lead to a question.
func (d *document) send(req api.RunRequest) tea.Msg {
	return d.sendThen(req, d.accepted, func(err error) tea.Msg { return d.refused(req, err) })
}

// sendThen sends the request for a run and passes its answer on.
func (d *document) sendThen(req api.RunRequest, accepted func(api.RunAccepted) tea.Msg, refused func(error) tea.Msg) tea.Msg {
	r := ask(func(ctx context.Context, ws *client.Workspace) (api.RunAccepted, error) { return ws.StartRun(ctx, req) }, accepted)
	r.fail = refused
	return r
}

// refused shows why a run was not started. If the commands are texts of a drawing it asks for confirmation, and if
// parameters are missing it asks for them.
func (d *document) refused(req api.RunRequest, err error) tea.Msg {
	if problems := paramProblems(err); len(problems) > 0 {
		return ask(func(ctx context.Context, ws *client.Workspace) (api.ParamList, error) {
			return ws.Params(ctx, api.ParamsRequest{Params: req.Params, Env: req.Env})
		}, func(list api.ParamList) tea.Msg {
			form := newParamForm(d, req, list, req.Params)
			form.take(problems)
			return openDialog{form}
		})
	}
	if !req.AcceptDrawing && strings.Contains(words.Error(err), "--accept-drawing") {
		req.AcceptDrawing = true
		return openDialog{&dialog.Menu{Title: "These commands are texts of a drawing: run them?", Choices: []dialog.Choice{
			{Key: "n", Label: "no"},
			{Key: "y", Label: "yes, and remember it in the workfile", Do: later(func() tea.Msg { return d.send(req) })},
		}}}
	}
	return failed{err}
}

// accepted reports the run that the daemon has started.
func (d *document) accepted(a api.RunAccepted) tea.Msg {
	if a.Run == "" {
		return notice{"nothing to resume: no node has failed", false}
	}
	d.leaveEarlier()
	d.seen = a.Run
	d.picture.unmarkAll()
	if last := d.flow.Status.LastRun; last != nil && last.Run == a.Run {
		return nil // the run is over, and its end has been shown
	}
	text := fmt.Sprintf("run %s has started", a.Run)
	if a.Nodes < a.Total {
		text = fmt.Sprintf("run %s: %d of %s", a.Run, a.Nodes, words.Plural(a.Total, "node"))
	}
	if a.Mode == api.ModeResume && a.Resumes != "" {
		text = fmt.Sprintf("run %s resumes %s: %s", a.Run, a.Resumes, words.Plural(a.Failed, "failed node"))
	}
	for _, note := range a.Notes {
		text += "; " + note
	}
	return notice{text, false}
}

// stopRun returns a message that stops a run, or one node of it if node is not "".
func stopRun(run, node string) tea.Msg {
	return stopping(func(ctx context.Context, ws *client.Workspace) ([]api.StopResult, error) {
		r, err := ws.Stop(ctx, run, api.StopRequest{Node: node})
		return []api.StopResult{r}, err
	}, nil)
}

// stopAll returns a message that stops all runs of the workfile. If all processes have ended it then carries out
// then.
func stopAll(then tea.Msg) tea.Msg {
	return stopping(func(ctx context.Context, ws *client.Workspace) ([]api.StopResult, error) {
		return ws.StopAll(ctx, api.StopRequest{})
	}, then)
}

func stopping(stop func(context.Context, *client.Workspace) ([]api.StopResult, error), then tea.Msg) tea.Msg {
	r := ask(stop, func(results []api.StopResult) tea.Msg { return stopped(results, then) })
	r.limit = 0
	return messages{notice{"stopping", false}, r}
}

// stopped shows the results of a stop.
func stopped(results []api.StopResult, then tea.Msg) tea.Msg {
	killed, problem := 0, ""
	var survivors []int
	for _, r := range results {
		killed += r.Killed
		survivors = append(survivors, r.Survivors...)
		if r.Problem != "" {
			problem = r.Problem
		}
	}
	said := notice{"stopped: " + words.Plural(killed, "execution") + " ended", false}
	if problem != "" {
		said = notice{problem, true}
	}
	if len(survivors) > 0 {
		return notice{words.Survivors(survivors), true}
	}
	return messages{said, then}
}

// endText describes how a run ended.
func endText(ev api.Event) notice {
	text := "run " + ev.Run + " " + string(ev.Result)
	if ev.Counts != nil {
		text += ": " + strings.Join(words.CountParts(*ev.Counts, "not reached"), ", ")
	}
	if took := words.SpanMS(ev.DurationMS); took != "" {
		text += " in " + took
	}
	return notice{text, ev.Result == api.ResFailed}
}

// reset returns a message that clears the state of nodes, or of all nodes if nodes is nil.
func reset(nodes []string) tea.Msg {
	return ask(func(ctx context.Context, ws *client.Workspace) (api.ResetResult, error) {
		return ws.Reset(ctx, api.ResetRequest{Nodes: nodes})
	}, func(r api.ResetResult) tea.Msg {
		return notice{"cleared the state of " + words.Plural(r.Nodes, "node"), false}
	})
}
