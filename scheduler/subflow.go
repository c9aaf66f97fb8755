package scheduler

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wf/graph"
	"wf/scheduler/flow"
)

// instances is what a sub-flow has made of its present activation.
type subflowState struct {
	activation int32 // the activation, by its number
	items      []any
	hasItems   bool
	count      int // how many there are to be; -1 = its test says
	instances  []int32
	going      int
	failed     int
	extraNodes int    // nodes that it counts for beyond itself, see Total
	stopping   string // why no more of them begin: the reason that the sub-flow fails for
	message    string
	starts     []int64         // when the latest ones started, where the rate is limited; also those of activations before
	nextStart  int64           // when the next one may start, if the rate is what it waits for; else 0
	ended      int32           // how many have ended in this run
	priorRanks map[int32]int32 // the places that instances had among those that an earlier run has ended; made when it is needed
	stopped    bool            // stop_when was true after an instance: no more of them begin
	stoppedBy  int32           // the number of that instance, plus one; 0 = it was in an earlier run
}

func (st *state) hasItems(i int32) bool {
	x := st.extrasOf(i)
	return x != nil && x.sub != nil && x.sub.hasItems
}

// gotItems takes the items that a command of a sub-flow has printed.
func (sf subflow) gotItems(items []any) {
	if sf.dry != nil {
		items, sf.dry.open[sf.node] = []any{nil}, true
	}
	sf.setSubflow(&subflowState{activation: sf.nodes[sf.node].activations, items: items, hasItems: true})
	sf.todo.ready = append(sf.todo.ready, sf.node)
}

// keepItems keeps the items of an activation for its next attempt: they are found once.
func (sf subflow) keepItems() {
	x := sf.extrasOf(sf.node)
	if x.sub == nil || x.sub.activation != sf.nodes[sf.node].activations || x.sub.items == nil {
		return
	}
	sf.setSubflow(&subflowState{activation: x.sub.activation, items: x.sub.items, hasItems: true})
}

// startInstances begins the instances of an activation.
func (sf subflow) begin() {
	x := sf.makeExtras(sf.node)
	switch {
	case !busy(sf.nodes[sf.node].status):
		return
	case sf.halted || sf.instanceOf(sf.node).cut || x.cancelled:
		sf.activity(sf.node).finish(outcome{reason: ReasonCancelled})
		return
	}
	kept := x.sub
	if kept == nil || !kept.hasItems {
		kept = &subflowState{activation: sf.nodes[sf.node].activations}
	}
	sf.setSubflow(kept)
	sf.activity(sf.node).setStatus(graph.Running, "")
	sf.activity(sf.node).limitTime()
	if reason, err := sf.countSubflow(kept); err != nil {
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

// countInstances finds out what a sub-flow repeats.
func (sf subflow) countSubflow(s *subflowState) (reason string, err error) {
	sub := sf.rulesOf(sf.node).Sub
	switch sub.Kind {
	case flow.Times:
		text := ""
		sure, err := sf.evaluateText(sf.instanceNo(sf.node), false, func() (err error) {
			text, err = sub.Times.Render(sf.env(sf.node))
			return err
		})
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
				sure, err := sf.evaluateText(sf.instanceNo(sf.node), sub.Items.Constant(), func() (err error) {
					s.items, err = sub.Items.List(sf.env(sf.node))
					return err
				})
				if !sure {
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

// nextInstances begins as many instances as may be going, and ends the activation after the last one.
func (sf subflow) startNext() {
	s := sf.extrasOf(sf.node).sub
	sub := sf.rulesOf(sf.node).Sub
	wait := int64(0)
	for (sub.Parallel == 0 || s.going < sub.Parallel) && sf.wantsAnother(sub, s) {
		if wait = sf.rateWait(sub); wait > 0 {
			break
		}
		if text := sf.tooMany(sf.node, 1); text != "" {
			s.stopping, s.message = ReasonLimit, text
			break
		}
		k := sf.add(s)
		s.going++
		sf.startInstance(k)
		sf.noteStart(sub, k)
	}
	sf.waitForRate(s, wait)
	if s.going == 0 && wait == 0 {
		sf.activity(sf.node).finish(sf.result_(sub, s))
	}
}

// tooMany says why a sub-flow cannot have so many instances more, or "". All of them stay in memory until
// the run is over, so a number in a file must not be able to fill it.
func (st *state) tooMany(i int32, more int) string {
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

// addInstance makes the nodes of the next instance of a sub-flow.
func (sf subflow) add(s *subflowState) int32 {
	k := sf.addInstance(sf.subOf(sf.node), sf.node, int32(len(s.instances)))
	if s.instances = append(s.instances, k); len(s.instances) > s.count {
		sf.countInside()
	}
	if sf.dry != nil && sf.dry.open[sf.node] && !sf.recalled(sf.node, sf.instances[k].number) {
		sf.dry.representative[k] = true
	}
	sf.emit(Effect{Kind: NodesAdded, Node: int(sf.instances[k].node), Count: len(sf.instances[k].lay.ids)})
	return k
}

// startFrame activates the first nodes of an instance.
func (r *Run) startInstance(k int32) {
	inst := r.instances[k]
	if !r.recallInstance(k) {
		for v, start := range inst.lay.startNodes() {
			if start {
				r.activity(inst.node + int32(v)).activate(causeStart)
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

// another says whether one more instance is to begin.
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
		return true // an earlier run has decided that
	}
	yes := false
	sure, err := sf.evaluateText(sf.instanceNo(sf.node), sub.Test.Constant(), func() (err error) {
		yes, err = sub.Test.Bool(sf.testEnv(sf.node))
		return err
	})
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

// frameOver ends an instance in which nothing is left to wait for.
func (r *Run) instanceOver(k int32) {
	inst := &r.instances[k]
	if inst.over || inst.active > 0 || inst.joins > 0 {
		return
	}
	inst.over = true
	inst.cut = inst.cut || r.unfinished(inst)
	s := r.extrasOf(inst.owner).sub
	s.going--
	if inst.unhandled > 0 || inst.cut {
		s.failed++
	}
	r.rankInstance(k, s)
	r.stopAfter(k, s)
	r.subflow(inst.owner).startNext()
}

// stopAfter decides whether no more instances begin now that one has ended.
func (r *Run) stopAfter(k int32, s *subflowState) {
	inst := &r.instances[k]
	when := r.rulesOf(inst.owner).Sub.StopWhen
	if when == nil || s.stopped || s.stopping != "" || inst.cut || r.halted {
		return
	}
	yes := false
	sure, err := r.evaluateText(k, when.Constant(), func() (err error) {
		yes, err = when.Bool(r.envIn(k))
		return err
	})
	switch {
	case !sure: // a forecast tells of all that may run
	case err != nil:
		s.stopping, s.message = ReasonExpression, "stop_when: "+err.Error()
	case yes:
		s.stopped, s.stoppedBy = true, inst.number+1
	}
}

// failOthers ends all instances of a sub-flow because one has failed (on_failure=cancel).
func (r *Run) failOthers(k int32) {
	inst := &r.instances[k]
	s := r.extrasOf(inst.owner).sub
	if s == nil || int(inst.number) >= len(s.instances) || s.instances[inst.number] != k || s.stopping != "" || inst.over || r.halted {
		return
	}
	running := s.going - 1
	s.stopping = ReasonInstances
	s.message = fmt.Sprintf("%s failed, and on_failure=cancel ended the rest: %s that ran, %d not begun", r.instanceWord(inst.owner, ItemNames(s.items), inst.number),
		instancesOf(running), max(0, s.count-len(s.instances)))
	r.subflow(inst.owner).cancelAll(ReasonInstances)
}

// instanceWord names an instance for people, by its item if that is a word.
func (st *state) instanceWord(i int32, words []string, number int32) string {
	which := strconv.Itoa(int(number))
	if int(number) < len(words) && words[number] != "" {
		which = words[number]
	}
	return st.name(i) + "[" + which + "]"
}

// instancesOutcome is how an activation of a sub-flow ended.
func (sf subflow) result_(sub *flow.Sub, s *subflowState) outcome {
	all := len(s.instances)
	least := all
	if sub.Continue && sub.HasLeast {
		least = sub.Least
		if sub.LeastPart > 0 {
			least = int(float64(all)*sub.LeastPart + 0.999999)
		}
	}
	if sf.dry != nil && (sf.dry.open[sf.node] || s.count > all) {
		least = min(least, all) // those that are played through stand for the others
	}
	switch {
	case s.stopping != "":
		return outcome{reason: s.stopping, message: s.message}
	case sf.halted && (s.failed > 0 || s.count > all && !s.stopped):
		return outcome{reason: ReasonCancelled}
	case all-s.failed >= least, s.count == 0: // nothing to do is no failure, whatever min_success says
		return outcome{ok: true} // it has no exit code: many commands have one each
	}
	return outcome{reason: ReasonInstances, message: sf.failureMessage(s)}
}

func instancesOf(n int) string {
	if n == 1 {
		return "1 instance"
	}
	return fmt.Sprintf("%d instances", n)
}

// failedInstances words which instances failed, the first few by name.
func (sf subflow) failureMessage(s *subflowState) string {
	const named = 5
	var names []string
	words := ItemNames(s.items)
	for _, k := range s.instances {
		if inst := &sf.instances[k]; inst.unhandled > 0 || inst.cut {
			if len(names) == named {
				names = append(names, "…")
				break
			}
			names = append(names, sf.instanceWord(sf.node, words, inst.number))
		}
	}
	if s.failed == 0 {
		return fmt.Sprintf("%s succeeded, and min_success asks for more", instancesOf(len(s.instances)))
	}
	all, begun := max(s.count, len(s.instances)), len(s.instances)
	text := fmt.Sprintf("%d of %s failed: %s", s.failed, instancesOf(all), strings.Join(names, ", "))
	if all > begun {
		text += fmt.Sprintf("; %d did not begin", all-begun)
	}
	return text
}

// cancelInstances ends all instances of a sub-flow that are going; none begins any more.
func (sf subflow) cancelAll(reason string) {
	s := sf.extrasOf(sf.node).sub
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

func (r *Run) cutInstance(k int32) {
	inst := &r.instances[k]
	inst.cut = true
	inst.joins = 0
	first, end := inst.node, inst.node+int32(len(inst.lay.ids))
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

// subflow is a node that stands for instances of a layout.
type subflow struct {
	*Run
	node int32
}

func (r *Run) subflow(i int32) subflow { return subflow{r, i} }
