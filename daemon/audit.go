package daemon

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"wf/api"
	"wf/daemon/audit"
	"wf/executor/peer"
)

// newAudit returns the audit log of a daemon. It begins with the start of the daemon when the first action comes.
func newAudit(cfg Config) *audit.Log {
	uid := os.Getuid()
	start := &audit.Entry{Action: audit.ActionStart, Detail: "wf " + cfg.Version, Who: audit.Who{Via: audit.ViaDaemon, UID: &uid}}
	return audit.New(cfg.State, start, cfg.Log)
}

// audit adds a request that changed something, or was refused, to the audit log. It is called when the request was carried
// out, and before it is answered: so the log has every action whose client got an answer.
func (d *daemon) audit(r *http.Request, e api.Endpoint, question, answer any, err error) {
	if e.Action == "" || e.Action == api.NotAudited || sentAgain(err) {
		return
	}
	entry := audit.Entry{Action: string(e.Action), Workfile: d.workfileOf(r), Run: r.PathValue("run"), Again: comesAgain(r)}
	if !describe(&entry, question, answer, err) {
		return
	}
	if err != nil {
		entry.Error = codeOf(err)
	}
	entry.Who = whoOf(r)
	d.cfg.audit.Add(entry)
}

// sentAgain reports whether a client sends a request again after this error: to the next daemon, or after a question to its user.
func sentAgain(err error) bool {
	return api.HasCode(err, api.CodeGone) || api.HasCode(err, api.CodeDone)
}

// codeOf returns the code of an error in the log.
func codeOf(err error) string {
	var e *api.Error
	switch {
	case errors.As(err, &e):
		return string(e.Code)
	case errors.Is(err, context.Canceled):
		return "cancelled" // the client went away, or the daemon ends
	}
	return string(api.CodeInternal)
}

// workfileOf returns the workfile of the workspace in the path of r, "" for none.
func (d *daemon) workfileOf(r *http.Request) string {
	id := r.PathValue("id")
	if id == "" {
		return ""
	}
	if path := d.workspaces.pathOf(id); path != "" {
		return path
	}
	return "workspace " + id
}

// whoOf returns the origin of a request.
func whoOf(r *http.Request) audit.Who {
	who := audit.Who{Via: audit.ViaPort, Said: saidBy(r)}
	s, ok := r.Context().Value(connectionKey{}).(*connection)
	if !ok || s.unix == nil {
		return who
	}
	who.Via = audit.ViaSocket
	if uid, pid, err := peer.IDs(s.unix); err == nil {
		who.UID, who.PID = &uid, pid
	}
	return who
}

// saidBy returns what the client says about itself, nil for nothing.
func saidBy(r *http.Request) *audit.Said {
	var o api.Origin
	if values, err := url.ParseQuery(r.Header.Get(api.HeaderOrigin)); err == nil {
		_ = api.DecodeQuery(values, &o) // it has texts only: there is no error
	}
	s := audit.Said{User: author(r).User, Command: o.Command, SSH: o.SSH, Host: o.Host, Workfile: o.Workfile, Run: o.Run, Node: o.Node}
	if s == (audit.Said{}) {
		return nil
	}
	return &s
}

// describe completes an entry with what the request asked for and what came of it, without commands, values, comments and
// environments, which may be secret. It returns false for a request that changes nothing.
func describe(e *audit.Entry, question, answer any, err error) bool {
	switch q := question.(type) {
	case api.RunRequest:
		describeRun(e, q, answer.(api.RunAccepted), err)
	case api.StopRequest:
		describeStop(e, q, answer)
	case api.EditRequest:
		describeEdits(e, q)
	case api.Decision:
		describeDecision(e, q, answer.(api.Approval))
	case api.AcceptRequest:
		e.Nodes = answer.(api.AcceptResult).Nodes
	case api.ResetRequest:
		e.Nodes, e.Detail = q.Nodes, count(answer.(api.ResetResult).Nodes, "node")
	case api.PruneRequest:
		removed := answer.(api.PruneResult).Removed
		e.Run, e.Detail = strings.Join(removed, ","), count(len(removed), "run")
		return !q.DryRun
	case api.OpenRequest:
		e.Workfile = q.Path
		return q.Retry
	case api.GoneRequest:
		describeForgotten(e, q, answer.(api.GoneList))
		return len(q.Remove) > 0
	case api.ServerStop:
		e.Detail = stopWord(q)
	case api.PoolSize:
		e.Detail = fmt.Sprintf("%s=%d", q.Name, q.Size)
	case api.NewRequest:
		e.Workfile, e.Detail = q.Path, count(max(len(q.Lines), len(q.Nodes)), "node")
	case api.MoveRequest:
		e.Workfile, e.Detail = q.From, "to "+q.To
	case api.NotificationChange:
		e.Detail = q.Op + " " + count(len(answer.(api.NotificationList).Changed), "notification")
	case api.NotifyTestRequest:
		e.Workfile, e.Detail = q.Workfile, strings.Join(destinationKinds(q.Lines), ", ")
	case api.TriggerEnable:
		e.Workfile, e.Detail = q.Path, strings.Join(lines(q.Lines), "; ")
	case api.TriggerDisable:
		e.Workfile = q.Path
	case api.TriggerNow:
		e.Workfile, e.Detail, e.Run = q.Path, q.On, answer.(api.RunAccepted).Run
	case api.WebhookSecret:
		e.Detail = q.Op + " " + q.Hook
		return answer.(api.WebhookSecretInfo).Changed
	case api.SaveAsRequest:
		e.Detail = "to " + q.Path
	}
	return true
}

func describeRun(e *audit.Entry, q api.RunRequest, a api.RunAccepted, err error) {
	e.Run, e.Nodes = a.Run, slices.Clone(q.Nodes)
	var d []string
	add := func(label string, values []string) {
		if len(values) > 0 {
			d = append(d, strings.TrimSpace(label+" "+strings.Join(values, ", ")))
		}
	}
	switch {
	case err != nil:
		add("", []string{q.Mode})
	case a.Queued != "":
		e.Run = a.Queued
		add("", []string{"queued"})
	case a.Run == "":
		add("", []string{"nothing to do"})
	default:
		add("", []string{a.Mode, fmt.Sprintf("%d of %d nodes", a.Nodes, a.Total)})
	}
	if a.Resumes != "" {
		add("resumes run", []string{a.Resumes})
	}
	add("from", q.From)
	add("until", q.Until)
	add("without", q.Exclude)
	add("parameters", slices.Sorted(maps.Keys(q.Params)))
	for _, mock := range q.Mocks {
		add("mock", []string{mock.Nodes})
	}
	if q.Executor != "" {
		add("executor", []string{q.Executor})
	}
	if q.AcceptDrawing {
		add("", []string{"accept drawing"})
	}
	e.Detail = strings.Trim(strings.Join(d, ", "), ", ")
}

func describeStop(e *audit.Entry, q api.StopRequest, answer any) {
	var results []api.StopResult
	switch a := answer.(type) {
	case api.StopResult:
		results = []api.StopResult{a}
	case []api.StopResult:
		results = a
	}
	killed := 0
	var runs []string
	for _, res := range results {
		if killed += res.Killed; res.Run != "" {
			runs = append(runs, res.Run)
		}
	}
	if len(runs) > 0 {
		e.Run = strings.Join(runs, ",")
	}
	e.Detail = count(killed, "command") + " ended"
	if q.Node != "" {
		e.Nodes = []string{q.Node}
	}
	if q.Cause != "" {
		e.Detail += ", " + q.Cause
	}
}

// describeEdits names the kinds of edits and the attributes, not their values.
func describeEdits(e *audit.Entry, q api.EditRequest) {
	var kinds []string
	for _, edit := range q.Edits {
		kind := edit.Op
		keys := []string{}
		if edit.Key != "" {
			keys = append(keys, edit.Key)
		}
		for _, set := range edit.Set {
			keys = append(keys, set.Key)
		}
		if len(keys) > 0 {
			kind += " " + strings.Join(keys, " ")
		}
		if edit.Run != "" {
			kind += " run " + edit.Run
		}
		if edit.Source != "" || edit.Target != "" {
			kind += " " + edit.Source + " → " + edit.Target
		}
		if !slices.Contains(kinds, kind) && len(kinds) < mostEdits {
			kinds = append(kinds, kind)
		}
		for _, node := range edit.Nodes {
			if len(e.Nodes) <= mostEdits && !slices.Contains(e.Nodes, node) {
				e.Nodes = append(e.Nodes, node)
			}
		}
	}
	e.Detail = strings.Join(kinds, "; ")
	if len(q.Edits) > 1 {
		e.Detail = count(len(q.Edits), "edit") + ": " + e.Detail
	}
}

// mostEdits bounds how many different edits and nodes of one request are named.
const mostEdits = 20

func describeDecision(e *audit.Entry, q api.Decision, a api.Approval) {
	e.Action, e.Run, e.Nodes = "reject", a.Run, []string{q.Node}
	if q.Approved {
		e.Action = "approve"
	}
	if e.Run == "" {
		e.Run = q.Run
	}
	if q.User != "" {
		e.Detail = "as " + q.User
	}
}

func describeForgotten(e *audit.Entry, q api.GoneRequest, a api.GoneList) {
	var removed []string
	for _, h := range a.Histories {
		if h.Removed {
			removed = append(removed, h.Workfile)
		}
	}
	e.Detail = fmt.Sprintf("%d of %s", len(removed), count(len(q.Remove), "history"))
	if len(removed) > 0 {
		e.Detail += ": " + strings.Join(removed, ", ")
	}
}

func stopWord(q api.ServerStop) string {
	switch {
	case q.Detach:
		return "detach"
	case q.Cancel:
		return "cancel"
	case q.Wait:
		return "wait"
	}
	return ""
}

// count returns a number with its noun: 1 node, 2 nodes.
func count(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "y"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(noun, "y"))
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
