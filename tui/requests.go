package tui

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/tui/dialog"
	"wf/tui/words"
)

// requestTime is the time limit of requests. A stop takes as long as its grace time, and has none.
const requestTime = 20 * time.Second

// request asks the daemon something in another goroutine. Its answer is applied to the model unless another
// workfile has been opened meanwhile; an error is shown.
func request[T any](m *model, ask func(context.Context, *client.Workspace) (T, error), apply func(*model, T) tea.Cmd) tea.Cmd {
	return requestFor(m, requestTime, ask, apply)
}

func requestFor[T any](m *model, limit time.Duration, ask func(context.Context, *client.Workspace) (T, error), apply func(*model, T) tea.Cmd) tea.Cmd {
	l := m.link
	if l == nil || l.ws == nil {
		if l != nil && l.ended != nil {
			m.say("there is no daemon: C connects", true)
		}
		return nil
	}
	parent := m.ctx
	return func() tea.Msg {
		ctx, cancel := parent, context.CancelFunc(func() {})
		if limit > 0 {
			ctx, cancel = context.WithTimeout(parent, limit)
		}
		defer cancel()
		got, err := ask(ctx, l.ws)
		return answer{func(m *model) tea.Cmd {
			if m.link != l {
				return nil
			}
			if err != nil {
				m.fail(err)
				return nil
			}
			return apply(m, got)
		}}
	}
}

// learn asks for what earlier runs say about an active run. Without an answer there is no estimate of the
// rest.
func (m *model) learn(run string) tea.Cmd {
	return request(m, func(ctx context.Context, ws *client.Workspace) (api.RunOutlook, error) {
		o, err := ws.Outlook(ctx, run)
		if err != nil {
			return api.RunOutlook{}, nil // it has just ended
		}
		return o, nil
	}, func(m *model, o api.RunOutlook) tea.Cmd {
		if o.Run != "" && m.flow.Run(o.Run) != nil {
			m.flow.Learn(o)
		}
		return nil
	})
}

// startRun starts a run of the selected nodes, or of what mode says if nodes is nil.
func (m *model) startRun(nodes []string, mode string) tea.Cmd {
	req := m.opt.Request
	req.Nodes, req.Mode = nodes, mode
	if mode == api.ModeResume {
		return m.resumeWith(req)
	}
	return m.beginRun(req)
}

func (m *model) sendRun(req api.RunRequest) tea.Cmd {
	return request(m, func(ctx context.Context, ws *client.Workspace) (startAnswer, error) {
		accepted, err := ws.StartRun(ctx, req)
		return startAnswer{accepted, err}, nil
	}, func(m *model, a startAnswer) tea.Cmd {
		if a.err != nil {
			return m.refused(req, a.err)
		}
		m.accepted(a.accepted)
		return nil
	})
}

// A startAnswer is the answer to a request for a run. A refusal may lead to a question.
type startAnswer struct {
	accepted api.RunAccepted
	err      error
}

// refused shows why a run was not started. Texts of a drawing need a confirmation, and missing parameters are
// asked for.
func (m *model) refused(req api.RunRequest, err error) tea.Cmd {
	if problems := paramProblems(err); len(problems) > 0 {
		return m.askAgain(req, problems)
	}
	if !req.AcceptDrawing && strings.Contains(words.Error(err), "--accept-drawing") {
		m.open(&dialog.Menu{Title: "These commands are texts of a drawing: run them?", Choices: []dialog.Choice{
			{Key: "n", Label: "no", Detail: "", Do: nil},
			{Key: "y", Label: "yes, and remember it in the workfile", Detail: "", Do: func() tea.Cmd {
				req.AcceptDrawing = true
				return m.sendRun(req)
			}},
		}})
		return nil
	}
	m.fail(err)
	return nil
}

// accepted shows what the daemon has started.
func (m *model) accepted(a api.RunAccepted) {
	if a.Run == "" {
		m.say("nothing to resume: no node has failed", false)
		return
	}
	if m.past != nil {
		m.leavePast()
	}
	m.seen = a.Run
	m.picture.forget()
	if last := m.flow.Status.LastRun; last != nil && last.Run == a.Run {
		return // it is over already, which has been said
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
	m.say(text, false)
}

// stop stops a run, or one node of it if node is not "".
func (m *model) stop(run, node string, then func(*model)) tea.Cmd {
	m.say("stopping", false)
	return requestFor(m, 0, func(ctx context.Context, ws *client.Workspace) (api.StopResult, error) {
		return ws.Stop(ctx, run, api.StopRequest{Node: node})
	}, func(m *model, r api.StopResult) tea.Cmd {
		m.stopped([]api.StopResult{r}, then)
		return nil
	})
}

// stopAll stops all runs of the workfile.
func (m *model) stopAll(then func(*model)) tea.Cmd {
	m.say("stopping", false)
	return requestFor(m, 0, func(ctx context.Context, ws *client.Workspace) ([]api.StopResult, error) {
		return ws.StopAll(ctx, api.StopRequest{})
	}, func(m *model, r []api.StopResult) tea.Cmd {
		m.stopped(r, then)
		return nil
	})
}

// stopped shows the result of a stop.
func (m *model) stopped(results []api.StopResult, then func(*model)) {
	killed, problem := 0, ""
	var survivors []string
	for _, r := range results {
		killed += r.Killed
		for _, pid := range r.Survivors {
			survivors = append(survivors, fmt.Sprint(pid))
		}
		if r.Problem != "" {
			problem = r.Problem
		}
	}
	m.say("stopped: "+words.Plural(killed, "execution")+" ended", false)
	if problem != "" {
		m.say(problem, true)
	}
	if len(survivors) > 0 {
		m.say("processes that could not be killed: "+strings.Join(survivors, ", "), true)
		return
	}
	if then != nil {
		then(m)
	}
}

// sayEnd shows how a run ended.
func (m *model) sayEnd(ev api.Event) {
	text := "run " + ev.Run + " " + string(ev.Result)
	if ev.Counts != nil {
		text += ": " + strings.Join(words.CountParts(*ev.Counts, "not reached"), ", ")
	}
	if took := words.SpanMS(ev.DurationMS); took != "" {
		text += " in " + took
	}
	m.say(text, ev.Result == api.ResFailed)
}

// reset removes the state of nodes.
func (m *model) reset(nodes []string) tea.Cmd {
	return request(m, func(ctx context.Context, ws *client.Workspace) (api.ResetResult, error) {
		return ws.Reset(ctx, api.ResetRequest{Nodes: nodes})
	}, func(m *model, r api.ResetResult) tea.Cmd {
		m.say("cleared the state of "+words.Plural(r.Nodes, "node"), false)
		return nil
	})
}
