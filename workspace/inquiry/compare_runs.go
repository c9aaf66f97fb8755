package inquiry

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"wf/api"
	"wf/workspace/history"
)

// compareOptions compares how two runs were started.
func compareOptions(d *api.RunDiff, before, after *version) {
	was, is := before.past.Request, after.past.Request
	params := func(req history.Request) map[string]any {
		var values map[string]any
		if len(req.Params) > 0 {
			_ = json.Unmarshal(req.Params, &values) // the daemon has written them
		}
		return values
	}
	d.Params = compareValues(params(was), params(is))
	d.Options = compareValues(optionsOf(was), optionsOf(is))
}

// optionsOf returns the options of a run that are not the usual ones, by the names of flags where there is one.
func optionsOf(req history.Request) map[string]any {
	options := map[string]any{}
	add := func(name, value string) {
		if value != "" {
			options[name] = value
		}
	}
	span := func(ms int64) string {
		if ms == 0 {
			return ""
		}
		return (time.Duration(ms) * time.Millisecond).String()
	}
	list := func(names []string) string { return strings.Join(names, " ") }
	add("mode", req.Mode)
	add("nodes", list(req.Selection))
	add("exclude", list(req.Exclude))
	add("from", list(req.From))
	add("until", list(req.Until))
	switch {
	case req.NoLimit:
		add("jobs", "no limit")
	case req.Jobs > 0:
		add("jobs", strconv.Itoa(req.Jobs))
	}
	add("executor", req.Executor)
	if req.FailFast {
		add("fail-fast", "yes")
	}
	add("timeout", span(req.TimeoutMS))
	add("grace", cmp.Or(span(req.GraceMS), "0s"))
	for _, m := range mocksOf(req) {
		outcome, _ := json.Marshal(m) // of strings and numbers
		add("mock "+m.Nodes, string(outcome))
	}
	add("shell", req.Shell)
	add("output", req.Output)
	add("cwd", req.Cwd)
	add("user", req.User)
	add("machine", req.Host)
	add("version", req.Version)
	return options
}

// compareValues returns the values that differ, by name.
func compareValues(before, after map[string]any) []api.DiffValue {
	names := map[string]bool{}
	for _, values := range []map[string]any{before, after} {
		for name := range values {
			names[name] = true
		}
	}
	list := []api.DiffValue{}
	for name := range names {
		if !reflect.DeepEqual(before[name], after[name]) {
			list = append(list, api.DiffValue{Name: name, Before: before[name], After: after[name]})
		}
	}
	slices.SortFunc(list, func(a, b api.DiffValue) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// An outcome is how a run left a node.
type outcome struct {
	id, name string
	api.DiffOutcome
	tookMS int64
}

// outcomes returns how a run left its nodes, instances included, in its order of nodes.
func (v *version) outcomes() []outcome {
	if v.state == nil {
		return nil
	}
	blocked := v.state.Sched.Blocked()
	list := make([]outcome, 0, len(v.state.Nodes))
	for i := range v.state.Nodes {
		s := v.state.FinalStatus(i, i < len(blocked) && blocked[i])
		o := outcome{id: s.ID, name: cmp.Or(s.Name, s.ID), tookMS: v.took[s.ID]}
		o.DiffOutcome = api.DiffOutcome{State: s.State, Reason: s.Reason, ExitCode: s.ExitCode, Signal: s.Signal, Message: s.Message,
			Handled: s.State == api.StateFailed && v.state.Sched.Handled(i), Executions: s.Executions}
		list = append(list, o)
	}
	return list
}

// compareOutcomes compares how two runs left their nodes, and how long these took. Nodes correspond by id, otherwise by name.
func compareOutcomes(d *api.RunDiff, before, after *version) {
	was, is := before.outcomes(), after.outcomes()
	byID, byName := map[string]int{}, map[string]int{}
	for i, o := range was {
		byID[o.id] = i
		byName[o.name] = i
	}
	present := map[string]bool{}
	for _, o := range is {
		present[o.id] = true
	}
	matched := make([]bool, len(was))
	for _, o := range is {
		i, ok := byID[o.id]
		if !ok {
			if i, ok = byName[o.name]; ok && present[was[i].id] {
				ok = false
			}
		}
		if !ok {
			d.OnlyAfter = append(d.OnlyAfter, o.name)
			continue
		}
		matched[i] = true
		compareOutcome(d, &was[i], &o)
	}
	for i, o := range was {
		if !matched[i] {
			d.OnlyBefore = append(d.OnlyBefore, o.name)
		}
	}
	slices.SortStableFunc(d.Times, func(a, b api.DiffTime) int {
		return cmp.Compare(distance(b.AfterMS, b.BeforeMS), distance(a.AfterMS, a.BeforeMS))
	})
}

func compareOutcome(d *api.RunDiff, was, is *outcome) {
	if !alike(was.DiffOutcome, is.DiffOutcome) {
		d.Results = append(d.Results, api.DiffResult{Node: is.id, Name: is.name, Before: was.DiffOutcome, After: is.DiffOutcome})
	}
	if was.State == api.StateOK && is.State == api.StateOK && clearlyDifferent(was.tookMS, is.tookMS) {
		d.Times = append(d.Times, api.DiffTime{Node: is.id, Name: is.name, BeforeMS: was.tookMS, AfterMS: is.tookMS})
	}
}

// alike reports whether two outcomes are the same. A node that a resume kept is like one that succeeded.
func alike(a, b api.DiffOutcome) bool {
	for _, o := range []*api.DiffOutcome{&a, &b} {
		if o.State == api.StateKept {
			*o = api.DiffOutcome{State: api.StateOK}
		}
	}
	if a.State == api.StateOK && b.State == api.StateOK && (a.Executions == 0 || b.Executions == 0) {
		return true
	}
	a.Message, b.Message = "", ""
	return reflect.DeepEqual(a, b)
}

// Two durations differ clearly if they differ by at least half a second and by at least a fifth.
const (
	clearMS   = 500
	clearPart = 5
)

func clearlyDifferent(a, b int64) bool {
	return a > 0 && b > 0 && distance(a, b) >= clearMS && distance(a, b)*clearPart >= max(a, b)
}

func distance(a, b int64) int64 { return max(a-b, b-a) }
