package scheduler

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wf/graph"
	"wf/scheduler/flow"
)

// subflowState is the state of a sub-flow in its present activation.
type subflowState struct {
	activation int32 // the activation, by its number
	items      []any
	hasItems   bool
	count      int // planned instances; -1 = the test decides
	instances  []instanceID
	going      int
	failed     int
	extraNodes int    // nodes that it counts beyond itself, see Total
	stopping   string // why no more instances start: the reason for which the sub-flow fails
	message    string
	starts     []int64         // when the latest instances started, if there is a rate; also those of earlier activations
	nextStart  int64           // when the next instance may start, if the sub-flow waits for its rate; otherwise 0
	ended      int32           // instances that have ended in this run
	priorRanks map[int32]int32 // ranks of the instances that ended in an earlier run; made on first use
	stopped    bool            // stop_when was true after an instance: no more instances start
	stoppedBy  int32           // the number of that instance, plus one; 0 = it was in an earlier run
}

func (st *state) hasItems(i nodeID) bool { return st.subState(i).hasItems }

// gotItems takes the items that the command of a sub-flow printed, or the rows of its table. In a dry run nil means that they
// are unknown.
func (sf subflow) gotItems(items []any) {
	if sf.dry != nil && items == nil {
		items, sf.dry.open[sf.node] = []any{nil}, true
	}
	sf.setSubflow(&subflowState{activation: sf.entry().activations, items: items, hasItems: true})
	sf.todo.ready = append(sf.todo.ready, sf.node)
}

// keepItems keeps the items of an activation for its next attempt: the command that prints them runs once.
func (sf subflow) keepItems() {
	x := sf.extras()
	if x.sub == nil || x.sub.activation != sf.entry().activations || x.sub.items == nil {
		return
	}
	sf.setSubflow(&subflowState{activation: x.sub.activation, items: x.sub.items, hasItems: true})
}

// begin starts the instances of an activation.
func (sf subflow) begin() {
	x := sf.ensureExtras()
	switch {
	case !busy(sf.entry().status):
		return
	case sf.halted || sf.instance().cut || x.cancelled:
		sf.activity(sf.node).finish(outcome{reason: ReasonCancelled})
		return
	}
	kept := x.sub
	if kept == nil || !kept.hasItems {
		kept = &subflowState{activation: sf.entry().activations}
	}
	sf.setSubflow(kept)
	sf.activity(sf.node).setStatus(graph.Running)
	sf.activity(sf.node).limitTime()
	if reason, err := sf.countInstances(kept); err != nil {
		kept.stopping, kept.message = reason, err.Error()
	}
	if text := sf.tooMany(sf.node, kept.count); text != "" && kept.stopping == "" {
		kept.stopping, kept.message = ReasonLimit, text
	}
	if p, yes := sf.goesOn(sf.node); yes {
		kept.stopped = p.Stopped
		if kept.starts == nil {
			kept.starts = slices.Clip(p.Starts)
		}
	}
	kept.hasItems = false // they belong to this activation
	sf.countInside()
	sf.startNext()
}

// countSubflow finds out how many instances a sub-flow has, and their items.
func (sf subflow) countInstances(s *subflowState) (reason string, err error) {
	sub := sf.rules().Sub
	switch sub.Kind {
	case flow.Times:
		text, sure, err := evaluateText(&sf.texts, sf.instanceNo(sf.node), false, func() (string, error) { return sub.Times.Render(sf.env(sf.node)) })
		if !sure {
			s.count, sf.dry.open[sf.node] = 1, true
			return "", nil
		}
		if err != nil {
			return ReasonExpression, err
		}
		if s.count, err = strconv.Atoi(strings.TrimSpace(text)); err != nil || s.count < 0 {
			return ReasonExpression, fmt.Errorf("times is %q: a whole number from 0 is needed", text)
		}
	case flow.Foreach:
		if !s.hasItems {
			s.items = sub.List
			if sub.Items != nil {
				items, sure, err := evaluateText(&sf.texts, sf.instanceNo(sf.node), sub.Items.Constant(), func() ([]any, error) { return sub.Items.List(sf.env(sf.node)) })
				if s.items = items; !sure {
					s.items, sf.dry.open[sf.node] = []any{nil}, true
				} else if err != nil {
					return ReasonExpression, err
				}
			}
		}
		s.count = len(s.items)
	default:
		s.count = -1
	}
	return "", nil
}

// startNext starts as many instances as may run at once, and ends the activation after the last one.
func (sf subflow) startNext() {
	s := sf.extras().sub
	sub := sf.rules().Sub
	wait := int64(0)
	for (sub.Parallel == 0 || s.going < sub.Parallel) && sf.wantsAnother(sub, s) {
		if wait = sf.rateWait(sub); wait > 0 {
			break
		}
		if text := sf.tooMany(sf.node, 1); text != "" {
			s.stopping, s.message = ReasonLimit, text
			break
		}
		if !sf.prepareUnit(s) {
			break
		}
		k := sf.add(s)
		s.going++
		sf.startInstance(k)
		sf.noteStart(sub, k)
	}
	sf.waitForRate(s, wait)
	if s.going == 0 && wait == 0 {
		sf.activity(sf.node).finish(sf.unitOutcome(s, sf.outcome(sub, s)))
	}
}

// tooMany returns why a sub-flow cannot have so many more instances, or "". All instances stay in memory
// until the run is over, so a number in a file must not be able to fill it.
func (st *state) tooMany(i nodeID, more int) string {
	most := st.opt.MaxInstances
	if most == 0 || more <= 0 {
		return ""
	}
	each := max(1, len(st.subOf(i).ids))
	if there := len(st.nodes) - len(st.outer.ids); more <= (most-there)/each {
		return ""
	}
	return fmt.Sprintf("%d more instances of %d nodes are too many: all instances of a run may have %d nodes, which is max_instances of the workfile", more, each, most)
}

// add makes the nodes of the next instance.
func (sf subflow) add(s *subflowState) instanceID {
	k := sf.addInstance(sf.layout(), sf.node, int32(len(s.instances)))
	if s.instances = append(s.instances, k); len(s.instances) > s.count {
		sf.countInside()
	}
	if sf.dry != nil && sf.dry.open[sf.node] && !sf.recalled(sf.node, sf.instances[k].number) {
		sf.dry.representative[k] = true
	}
	sf.emit(Effect{Kind: NodesAdded, Node: int(sf.instances[k].node), Count: len(sf.instances[k].lay.ids)})
	return k
}

// startInstance activates the first nodes of an instance.
func (r *Run) startInstance(k instanceID) {
	inst := r.instances[k]
	if !r.recallInstance(k) {
		for v, start := range inst.lay.startNodes() {
			if start {
				r.activity(inst.nodeID(localNode(v))).activate(causeStart)
			}
		}
	}
	r.settleFrom(k)
	if r.instances[k].active == 0 {
		if r.isRecalled(&r.instances[k]) {
			r.keepPriorRank(k)
		}
		r.todo.idle = append(r.todo.idle, k)
	}
}

// wantsAnother reports whether one more instance is to start.
func (sf subflow) wantsAnother(sub *flow.Sub, s *subflowState) bool {
	if sf.holdsRepeated(sf.node) {
		return sf.anotherRepeated(sub, s)
	}
	if sf.halted || s.stopping != "" || s.failed > 0 && !sub.Continue || sf.playedEnough(s) {
		return false
	}
	if s.count >= 0 {
		return len(s.instances) < s.count && (!s.stopped || sf.recalled(sf.node, int32(len(s.instances))))
	}
	if s.going > 0 {
		return false
	}
	if sub.Kind == flow.Until && len(s.instances) == 0 {
		return true
	}
	if sf.recalled(sf.node, int32(len(s.instances))) {
		return true // an earlier run decided that
	}
	yes, sure, err := sf.test(sub)
	if !sure {
		return sf.expectsAnother(s)
	}
	if err != nil {
		s.stopping, s.message = ReasonExpression, err.Error()
		return false
	}
	if yes == (sub.Kind == flow.Until) {
		return false
	}
	if len(s.instances) >= sub.MaxIterations {
		s.stopping, s.message = ReasonLimit, fmt.Sprintf("%d iterations, which is max_iterations, were not enough", sub.MaxIterations)
		return false
	}
	return true
}

// test evaluates the condition of a while or until.
func (sf subflow) test(sub *flow.Sub) (yes, sure bool, err error) {
	return evaluateText(&sf.texts, sf.instanceNo(sf.node), sub.Test.Constant(), func() (bool, error) { return sub.Test.Bool(sf.testEnv(sf.node)) })
}

// instanceOver ends an instance in which nothing is left to wait for.
func (r *Run) instanceOver(k instanceID) {
	inst := &r.instances[k]
	if inst.over || inst.active > 0 || inst.joins > 0 {
		return
	}
	inst.over = true
	inst.cut = inst.cut || r.unfinished(inst)
	s := r.extrasOf(inst.owner).sub
	s.going--
	if inst.failed() {
		s.failed++
	}
	r.rankInstance(k, s)
	r.stopAfter(k, s)
	r.subflow(inst.owner).startNext()
}

// stopAfter evaluates stop_when after an instance has ended: if it is true, no more instances start.
func (r *Run) stopAfter(k instanceID, s *subflowState) {
	inst := &r.instances[k]
	when := r.rulesOf(inst.owner).Sub.StopWhen
	if when == nil || s.stopped || s.stopping != "" || inst.cut || r.halted {
		return
	}
	yes, sure, err := evaluateText(&r.texts, k, when.Constant(), func() (bool, error) { return when.Bool(r.envIn(k)) })
	switch {
	case !sure: // a forecast lists everything that may run
	case err != nil:
		s.stopping, s.message = ReasonExpression, "stop_when: "+err.Error()
	case yes:
		s.stopped, s.stoppedBy = true, inst.number+1
	}
}

// failOthers ends all instances of a sub-flow because one has failed (on_failure=cancel).
func (r *Run) failOthers(k instanceID) {
	inst := &r.instances[k]
	s := r.extrasOf(inst.owner).sub
	if s == nil || int(inst.number) >= len(s.instances) || s.instances[inst.number] != k || s.stopping != "" || inst.over || r.halted {
		return
	}
	running := s.going - 1
	s.stopping = ReasonInstances
	s.message = fmt.Sprintf("%s failed, and on_failure=cancel stopped the others: %s that ran, %d not started", r.instanceWord(inst.owner, r.itemNames(inst.owner, s), inst.number),
		instancesOf(running), max(0, s.count-len(s.instances)))
	r.subflow(inst.owner).cancelAll(ReasonInstances)
}

// instanceWord returns the name of an instance for messages, with its item if that makes a name.
func (st *state) instanceWord(i nodeID, words []string, number int32) string {
	which := strconv.Itoa(int(number))
	if int(number) < len(words) && words[number] != "" {
		which = words[number]
	}
	return st.name(i) + "[" + which + "]"
}

// outcome returns how an activation of a sub-flow ended.
func (sf subflow) outcome(sub *flow.Sub, s *subflowState) outcome {
	all := len(s.instances)
	least := all
	if sub.Continue && sub.HasLeast {
		least = sub.Least
		if sub.LeastPart > 0 {
			least = int(float64(all)*sub.LeastPart + 0.999999)
		}
	}
	if sf.dry != nil && (sf.dry.open[sf.node] || s.count > all) {
		least = min(least, all) // the instances that are played represent the others
	}
	switch {
	case s.stopping != "":
		return outcome{reason: s.stopping, message: s.message}
	case sf.halted && (s.failed > 0 || s.count > all && !s.stopped):
		return outcome{reason: ReasonCancelled}
	case all-s.failed >= least, s.count == 0: // no instances are no failure, with any min_success
		return outcome{ok: true} // no exit code: each of the commands has one
	}
	return outcome{reason: ReasonInstances, message: sf.failureMessage(s)}
}

func instancesOf(n int) string {
	if n == 1 {
		return "1 instance"
	}
	return fmt.Sprintf("%d instances", n)
}

// failureMessage names the instances that failed, at most the first few.
func (sf subflow) failureMessage(s *subflowState) string {
	const named = 5
	var names []string
	words := sf.itemNames(sf.node, s)
	for _, k := range s.instances {
		if inst := &sf.instances[k]; inst.failed() {
			if len(names) == named {
				names = append(names, "…")
				break
			}
			names = append(names, sf.instanceWord(sf.node, words, inst.number))
		}
	}
	if s.failed == 0 {
		return fmt.Sprintf("%s succeeded, and min_success requires more", instancesOf(len(s.instances)))
	}
	all, begun := max(s.count, len(s.instances)), len(s.instances)
	text := fmt.Sprintf("%d of %s failed: %s", s.failed, instancesOf(all), strings.Join(names, ", "))
	if all > begun {
		text += fmt.Sprintf("; %d did not start", all-begun)
	}
	return text
}

// cancelAll ends all running instances of a sub-flow; no more start.
func (sf subflow) cancelAll(reason string) {
	s := sf.extras().sub
	if s.stopping == "" {
		s.stopping = reason
	}
	for _, k := range s.instances {
		if !sf.instances[k].over {
			sf.cutInstance(k)
		}
	}
	sf.stopRateWait()
}

// cutInstance ends an instance before its time.
func (r *Run) cutInstance(k instanceID) {
	inst := &r.instances[k]
	inst.cut = true
	inst.joins = 0
	first, end := inst.node, inst.end()
	for j := first; j < end; j++ {
		n := &r.nodes[j]
		n.pending, n.refused = 0, false
		switch {
		case n.dispatched:
			r.emit(Effect{Kind: Cancel, Node: int(j), Execution: int(n.executions)})
		case n.status == graph.Running:
			r.subflow(j).cancelAll(ReasonCancelled)
		case n.status == graph.Queued:
			r.activity(j).withdraw()
		}
	}
	if r.instances[k].active == 0 {
		r.todo.idle = append(r.todo.idle, k)
	}
}

// subflow is a node whose layout is executed in instances.
type subflow struct{ cursor }

func (r *Run) subflow(i nodeID) subflow { return subflow{cursor{r, i}} }
