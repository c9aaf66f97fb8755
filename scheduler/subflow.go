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
type instances struct {
	of        int32 // the activation, by its number
	items     []any
	hasItems  bool
	count     int // how many there are to be; -1 = its test says
	frames    []int32
	going     int
	failed    int
	more      int    // nodes that it counts for beyond itself, see Total
	stopping  string // why no more of them begin: the reason that the sub-flow fails for
	message   string
	starts    []int64         // when the latest ones started, where the rate is limited; also those of activations before
	next      int64           // when the next one may start, if the rate is what it waits for; else 0
	ended     int32           // how many have ended in this run
	before    map[int32]int32 // the places that instances had among those that an earlier run has ended; made when it is needed
	stopped   bool            // stop_when was true after an instance: no more of them begin
	stoppedBy int32           // the number of that instance, plus one; 0 = it was in an earlier run
}

func (r *Run) hasItems(i int32) bool {
	x := r.rareAt(i)
	return x != nil && x.sub != nil && x.sub.hasItems
}

// gotItems takes the items that a command of a sub-flow has printed.
func (r *Run) gotItems(i int32, items []any) {
	if r.dry != nil {
		items, r.dry.open[i] = []any{nil}, true
	}
	r.setInstances(i, &instances{of: r.nodes[i].activations, items: items, hasItems: true})
	r.works.ready = append(r.works.ready, i)
}

// keepItems keeps the items of an activation for its next attempt: they are found once.
func (r *Run) keepItems(i int32) {
	x := r.rareAt(i)
	if x.sub == nil || x.sub.of != r.nodes[i].activations || x.sub.items == nil {
		return
	}
	r.setInstances(i, &instances{of: x.sub.of, items: x.sub.items, hasItems: true})
}

// startInstances begins the instances of an activation.
func (r *Run) startInstances(i int32) {
	x := r.rareOf(i)
	switch {
	case !busy(r.nodes[i].status):
		return
	case r.halted || r.frameOf(i).cut || x.cancelled:
		r.finish(i, outcome{reason: ReasonCancelled})
		return
	}
	kept := x.sub
	if kept == nil || !kept.hasItems {
		kept = &instances{of: r.nodes[i].activations}
	}
	r.setInstances(i, kept)
	r.setStatus(i, graph.Running, "")
	r.limitTime(i)
	if reason, err := r.countInstances(i, kept); err != nil {
		kept.stopping, kept.message = reason, err.Error()
	}
	if text := r.tooMany(i, kept.count); text != "" && kept.stopping == "" {
		kept.stopping, kept.message = ReasonLimit, text
	}
	if p, yes := r.goesOn(i); yes {
		kept.stopped = p.Stopped
		if kept.starts == nil {
			kept.starts = slices.Clip(p.Starts)
		}
	}
	kept.hasItems = false // they belong to this activation
	r.countInside(i)
	r.nextInstances(i)
}

// countInstances finds out what a sub-flow repeats.
func (r *Run) countInstances(i int32, s *instances) (reason string, err error) {
	sub := r.rulesOf(i).Sub
	switch sub.Kind {
	case flow.Times:
		text := ""
		sure, err := r.sure(r.frameNo(i), false, func() (err error) {
			text, err = sub.Times.Render(r.env(i))
			return err
		})
		if !sure {
			s.count, r.dry.open[i] = 1, true
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
				sure, err := r.sure(r.frameNo(i), sub.Items.Constant(), func() (err error) {
					s.items, err = sub.Items.List(r.env(i))
					return err
				})
				if !sure {
					s.items, r.dry.open[i] = []any{nil}, true
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
func (r *Run) nextInstances(i int32) {
	s := r.rareAt(i).sub
	sub := r.rulesOf(i).Sub
	wait := int64(0)
	for (sub.Parallel == 0 || s.going < sub.Parallel) && r.another(i, sub, s) {
		if wait = r.rateWait(i, sub); wait > 0 {
			break
		}
		if text := r.tooMany(i, 1); text != "" {
			s.stopping, s.message = ReasonLimit, text
			break
		}
		k := r.addInstance(i, s)
		s.going++
		r.startFrame(k)
		r.noteStart(i, sub, k)
	}
	r.pace(i, s, wait)
	if s.going == 0 && wait == 0 {
		r.finish(i, r.instancesOutcome(i, sub, s))
	}
}

// tooMany says why a sub-flow cannot have so many instances more, or "". All of them stay in memory until
// the run is over, so a number in a file must not be able to fill it.
func (r *Run) tooMany(i int32, more int) string {
	most := r.opt.MaxInstances
	if most == 0 || more <= 0 {
		return ""
	}
	each := max(1, len(r.subOf(i).ids))
	if there := len(r.nodes) - len(r.outer.ids); more <= (most-there)/each {
		return ""
	}
	return fmt.Sprintf("%d more instances of %d nodes are too many: all instances of a run may have %d nodes, which is max_instances of the workfile", more, each, most)
}

// addInstance makes the nodes of the next instance of a sub-flow.
func (r *Run) addInstance(i int32, s *instances) int32 {
	k := r.addFrame(r.subOf(i), i, int32(len(s.frames)))
	if s.frames = append(s.frames, k); len(s.frames) > s.count {
		r.countInside(i)
	}
	if r.dry != nil && r.dry.open[i] && !r.recalled(i, r.frames[k].instance) {
		r.dry.guessed[k] = true
	}
	r.emit(Effect{Kind: NodesAdded, Node: int(r.frames[k].node), Count: len(r.frames[k].lay.ids)})
	return k
}

// startFrame activates the first nodes of an instance.
func (r *Run) startFrame(k int32) {
	f := r.frames[k]
	if !r.recallFrame(k) {
		for v, start := range f.lay.startNodes() {
			if start {
				r.activate(f.node+int32(v), causeStart)
			}
		}
	}
	r.settleFrom(k)
	if r.frames[k].active == 0 {
		if r.recalledFrame(&r.frames[k]) {
			r.arrivedBefore(k)
		}
		r.works.quiet = append(r.works.quiet, k)
	}
}

// another says whether one more instance is to begin.
func (r *Run) another(i int32, sub *flow.Sub, s *instances) bool {
	if r.holdsAgain(i) {
		return r.anotherAgain(i, sub, s)
	}
	if r.halted || s.stopping != "" || s.failed > 0 && !sub.Continue || r.enough(i, s) {
		return false
	}
	if s.count >= 0 {
		return len(s.frames) < s.count && (!s.stopped || r.recalled(i, int32(len(s.frames))))
	}
	if s.going > 0 {
		return false
	}
	if sub.Kind == flow.Until && len(s.frames) == 0 {
		return true
	}
	if r.recalled(i, int32(len(s.frames))) {
		return true // an earlier run has decided that
	}
	yes := false
	sure, err := r.sure(r.frameNo(i), sub.Test.Constant(), func() (err error) {
		yes, err = sub.Test.Bool(r.testEnv(i))
		return err
	})
	if !sure {
		return r.expects(i, s)
	}
	if err != nil {
		s.stopping, s.message = ReasonExpression, err.Error()
		return false
	}
	if yes == (sub.Kind == flow.Until) {
		return false
	}
	if len(s.frames) >= sub.MaxIterations {
		s.stopping, s.message = ReasonLimit, fmt.Sprintf("%d iterations, which is max_iterations, were not enough", sub.MaxIterations)
		return false
	}
	return true
}

// frameOver ends an instance in which nothing is left to wait for.
func (r *Run) frameOver(k int32) {
	f := &r.frames[k]
	if f.over || f.active > 0 || f.joins > 0 {
		return
	}
	f.over = true
	f.cut = f.cut || r.unfinished(f)
	s := r.rareAt(f.owner).sub
	s.going--
	if f.unhandled > 0 || f.cut {
		s.failed++
	}
	r.arrive(k, s)
	r.stopAfter(k, s)
	r.nextInstances(f.owner)
}

// stopAfter decides whether no more instances begin now that one has ended.
func (r *Run) stopAfter(k int32, s *instances) {
	f := &r.frames[k]
	when := r.rulesOf(f.owner).Sub.StopWhen
	if when == nil || s.stopped || s.stopping != "" || f.cut || r.halted {
		return
	}
	yes := false
	sure, err := r.sure(k, when.Constant(), func() (err error) {
		yes, err = when.Bool(r.envIn(k))
		return err
	})
	switch {
	case !sure: // a forecast tells of all that may run
	case err != nil:
		s.stopping, s.message = ReasonExpression, "stop_when: "+err.Error()
	case yes:
		s.stopped, s.stoppedBy = true, f.instance+1
	}
}

// failOthers ends all instances of a sub-flow because one has failed (on_failure=cancel).
func (r *Run) failOthers(k int32) {
	f := &r.frames[k]
	s := r.rareAt(f.owner).sub
	if s == nil || int(f.instance) >= len(s.frames) || s.frames[f.instance] != k || s.stopping != "" || f.over || r.halted {
		return
	}
	running := s.going - 1
	s.stopping = ReasonInstances
	s.message = fmt.Sprintf("%s failed, and on_failure=cancel ended the rest: %s that ran, %d not begun", r.instanceWord(f.owner, ItemNames(s.items), f.instance),
		instancesOf(running), max(0, s.count-len(s.frames)))
	r.cancelInstances(f.owner, ReasonInstances)
}

// instanceWord names an instance for people, by its item if that is a word.
func (r *Run) instanceWord(i int32, words []string, instance int32) string {
	which := strconv.Itoa(int(instance))
	if int(instance) < len(words) && words[instance] != "" {
		which = words[instance]
	}
	return r.name(i) + "[" + which + "]"
}

// instancesOutcome is how an activation of a sub-flow ended.
func (r *Run) instancesOutcome(i int32, sub *flow.Sub, s *instances) outcome {
	all := len(s.frames)
	least := all
	if sub.Continue && sub.HasLeast {
		least = sub.Least
		if sub.LeastPart > 0 {
			least = int(float64(all)*sub.LeastPart + 0.999999)
		}
	}
	if r.dry != nil && (r.dry.open[i] || s.count > all) {
		least = min(least, all) // those that are played through stand for the others
	}
	switch {
	case s.stopping != "":
		return outcome{reason: s.stopping, message: s.message}
	case r.halted && (s.failed > 0 || s.count > all && !s.stopped):
		return outcome{reason: ReasonCancelled}
	case all-s.failed >= least, s.count == 0: // nothing to do is no failure, whatever min_success says
		return outcome{ok: true} // it has no exit code: many commands have one each
	}
	return outcome{reason: ReasonInstances, message: r.failedInstances(i, s)}
}

func instancesOf(n int) string {
	if n == 1 {
		return "1 instance"
	}
	return fmt.Sprintf("%d instances", n)
}

// failedInstances words which instances failed, the first few by name.
func (r *Run) failedInstances(i int32, s *instances) string {
	const named = 5
	var names []string
	words := ItemNames(s.items)
	for _, k := range s.frames {
		if f := &r.frames[k]; f.unhandled > 0 || f.cut {
			if len(names) == named {
				names = append(names, "…")
				break
			}
			names = append(names, r.instanceWord(i, words, f.instance))
		}
	}
	if s.failed == 0 {
		return fmt.Sprintf("%s succeeded, and min_success asks for more", instancesOf(len(s.frames)))
	}
	all, begun := max(s.count, len(s.frames)), len(s.frames)
	text := fmt.Sprintf("%d of %s failed: %s", s.failed, instancesOf(all), strings.Join(names, ", "))
	if all > begun {
		text += fmt.Sprintf("; %d did not begin", all-begun)
	}
	return text
}

// cancelInstances ends all instances of a sub-flow that are going; none begins any more.
func (r *Run) cancelInstances(i int32, reason string) {
	s := r.rareAt(i).sub
	if s.stopping == "" {
		s.stopping = reason
	}
	for _, k := range s.frames {
		if !r.frames[k].over {
			r.cutFrame(k)
		}
	}
	r.stopPacing(i)
}

func (r *Run) cutFrame(k int32) {
	f := &r.frames[k]
	f.cut = true
	f.joins = 0
	first, end := f.node, f.node+int32(len(f.lay.ids))
	for j := first; j < end; j++ {
		n := &r.nodes[j]
		n.pending, n.refused = 0, false
		switch {
		case n.handed:
			r.emit(Effect{Kind: Cancel, Node: int(j), Execution: int(n.executions)})
		case n.status == graph.Running:
			r.cancelInstances(j, ReasonCancelled)
		case n.status == graph.Queued:
			r.putBack(j)
		}
	}
	if r.frames[k].active == 0 {
		r.works.quiet = append(r.works.quiet, k)
	}
}
