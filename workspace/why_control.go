package workspace

import (
	"fmt"
	"strings"
	"time"

	"wf/api"
)

// explainWait says what a queued node waits for other than a slot. It returns false for a slot.
func (r *runState) explainWait(why *api.Why, i int) bool {
	_, wait := r.waitingState(i)
	if wait == nil {
		return false
	}
	until := ""
	if wait.Until != nil {
		until = wait.Until.Local().Format(time.DateTime)
	}
	var text string
	switch wait.Kind {
	case api.WaitPool:
		text = "It waits for units of pools: " + wait.Text + " (wf server pools)."
	case api.WaitTime:
		text = "It waits until " + until + "."
	case api.WaitRetry:
		text = fmt.Sprintf("It failed (%s) and is tried again at %s: repetition %d.", r.lastCause(i), until, r.sched.Attempt(i))
	case api.WaitApproval:
		text = fmt.Sprintf("It waits for a person: %s (wf approve %s, or wf reject).", wait.Text, r.nodes[i].name)
		if until != "" {
			text += " At " + until + " it goes on without one."
		}
	}
	why.Text = append(why.Text, text)
	return true
}

// lastCause says how the latest execution of a node ended.
func (r *runState) lastCause(i int) string {
	if rec := r.nodes[i].rec; rec != nil {
		return rec.cause()
	}
	return "before this run"
}

// instancesSentence sums up the instances of a sub-flow.
func instancesSentence(in *api.Instances) string {
	c := in.Counts
	var parts []string
	for _, p := range []struct {
		n    int
		word string
	}{{c.OK + c.Kept, "succeeded"}, {c.Running, "running"}, {c.Queued, "queued"}, {c.Waiting, "waiting"},
		{c.Retrying, "retrying"}, {c.Failed, "failed"}, {c.Skipped, "skipped"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.word))
		}
	}
	if parts == nil {
		parts = []string{"none has begun"}
	}
	of := fmt.Sprint(in.Begun)
	if in.Total > in.Begun {
		of = fmt.Sprintf("%d of %d", in.Begun, in.Total)
	}
	return fmt.Sprintf("%s instances begun: %s.", of, strings.Join(parts, ", "))
}
