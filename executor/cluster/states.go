package cluster

// An answer contains what the batch system says, by the name of the job and the index of the task.
type answer map[string]map[int]*State

func (l *look) byName() answer {
	states := answer{}
	for i := range l.states {
		st := &l.states[i]
		if states[st.Name] == nil {
			states[st.Name] = map[int]*State{}
		}
		states[st.Name][st.Ref.Index] = st
	}
	return states
}

// stateOf returns what the batch system says about a task, which may have been submitted more than once: what runs counts
// more than what waits, and that more than what has ended.
func (w *watcher) stateOf(t *task, states answer) *State {
	if t.stepEnd != nil {
		return t.stepEnd
	}
	if st := w.lostMachine(t, states); st != nil {
		return st
	}
	var found *State
	for name, b := range w.m.batches {
		if _, in := b.index[t.job.ID]; !in {
			continue
		}
		st := states[name][b.ref(t).Index]
		if b.hold != nil && st != nil && st.Phase == Running && !t.started {
			st = &State{Name: name, Ref: st.Ref, Phase: Waiting, Text: "PENDING", Reason: "its allocation runs others"}
		}
		if st != nil && (found == nil || weight(st.Phase) > weight(found.Phase)) {
			found = st
		}
	}
	return found
}

// lostMachine returns the state of a task whose machine has failed while its allocation goes on on others; nil = it has not. Nobody
// reports such a failure if the same machine executed the script of the allocation.
func (w *watcher) lostMachine(t *task, states answer) *State {
	pooler, can := w.c.Engine.(Pooler)
	if !can || !t.started || t.machine == "" || t.batch == nil || t.batch.hold == nil {
		return nil
	}
	st := states[t.batch.name][-1]
	if st == nil || !pooler.Left(*st, t.machine) {
		return nil
	}
	return &State{Name: st.Name, Ref: st.Ref, Phase: NodeFailed, Text: "NODE_FAIL", Reason: "its machine has left the allocation", Host: t.machine}
}

func weight(p Phase) int {
	switch {
	case p == Running:
		return 3
	case p == Waiting:
		return 2
	case p == Unknown:
		return 1
	}
	return 0
}
