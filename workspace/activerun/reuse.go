package activerun

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"wf/api"
	"wf/executor"
	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/loop"
	"wf/workspace/runstate"
	"wf/workspace/uptodate"
)

// An execution of a node that declares outputs goes through three steps beside the usual ones. Before it gets a slot, a helper
// looks at its files: an earlier success may make it unnecessary. After its command has succeeded, a helper looks at them again;
// until then the execution has not ended for the rest of the program. When its end is recorded, its success is remembered.

// reuse contains the executions of nodes that declare outputs. It is empty for a run without such nodes.
type reuse struct {
	run     *Run
	waiting []executor.ID // requested, and not looked at
	helpers int           // that look at files
	looks   map[executor.ID]*look
	notes   []string // what people are told at the end of the run
	more    int      // further notes

	memory  *uptodate.Memory
	unsaved bool // there are successes that no Save has begun to write
	saving  bool
	ctx     context.Context // ends when nobody waits for files any more
	cancel  func()
}

// A look is an execution whose files were looked at.
type look struct {
	task    uptodate.Task
	found   *uptodate.Look    // nil = unknown; then its success is not remembered
	ends    bool              // its command has succeeded, and a helper looks at its files again
	success *uptodate.Success // set if it can be remembered
	message string            // why it is not remembered
}

const (
	// lookBatch is how many executions a helper looks at, and lookTime after which time it takes no further one.
	lookBatch = 64
	lookTime  = 20 * time.Millisecond
	// latePause is the time between looks for missing outputs of a job at an engine, and lateLooks the number of looks: file
	// systems that machines share show new files late.
	latePause = time.Second
	lateLooks = 10
	// mostReuseNotes bounds what people are told at the end of a run.
	mostReuseNotes = 5
)

// enqueue takes an execution that the scheduler has requested, and returns false if its node declares no outputs.
func (re *reuse) enqueue(id executor.ID) bool {
	if re.run.Flow == nil || !re.run.Sched.DeclaresOutputs(id.Node) {
		return false
	}
	re.waiting = append(re.waiting, id)
	return true
}

// start prepares the first look of the run.
func (re *reuse) start() {
	if re.ctx == nil {
		re.ctx, re.cancel = context.WithCancel(context.Background())
		re.looks = map[executor.ID]*look{}
	}
}

// stop ends all reading of files.
func (re *reuse) stop() {
	if re.cancel != nil {
		re.cancel()
	}
}

// Look starts helpers that look at the files of requested executions, at most as many as the run may execute commands, or this
// process has processors. After a restart of the daemon it waits until all that the executor has started is known.
func (re *reuse) Look() {
	if len(re.waiting) == 0 || re.run.sess == nil || re.run.Phase != runstate.Active || re.run.lookahead.unreported || !re.run.journal.hasRoom() {
		return
	}
	re.start()
	most := runtime.GOMAXPROCS(0)
	if jobs := re.run.Request.Jobs; jobs > 0 {
		most = min(most, jobs)
	}
	for ; re.helpers < most && len(re.waiting) > 0; re.helpers++ {
		n := min(lookBatch, (len(re.waiting)+most-1)/most)
		b := lookBatchOf(re, re.waiting[:n])
		if re.waiting = re.waiting[n:]; len(b.list) == 0 {
			re.helpers--
			continue
		}
		loop.Go(re.run.host.Loop, b.look, re.looked)
	}
}

// A batch is what a helper looks at. Its fields do not belong to the loop.
type batch struct {
	ctx    context.Context
	file   *uptodate.File
	run    int
	always bool     // execute also what is up to date
	inputs []string // of all nodes of the workfile; what is one of them is not removed
	list   []*lookAt
	memory *uptodate.Memory
	begun  bool
	err    error // of the memory
}

// A lookAt is one execution of a batch, and then what was found.
type lookAt struct {
	id    executor.ID
	task  uptodate.Task
	keep  bool // its incomplete outputs
	tried bool
	found *uptodate.Look
	err   error
}

// lookBatchOf returns the executions that still are wanted. Those without outputs go on at once.
func lookBatchOf(re *reuse, ids []executor.ID) *batch {
	b := &batch{ctx: re.ctx, file: re.run.host.Memory, run: re.run.Number, always: re.run.Request.NoCache}
	for _, id := range ids {
		if !re.run.Sched.Wants(id.Node, id.Execution) {
			continue
		}
		t, ok := re.task(id.Node)
		if !ok {
			re.run.preparing.enqueue(id)
			continue
		}
		b.list = append(b.list, &lookAt{id: id, task: t, keep: re.run.Sched.Files(id.Node).KeepPartial})
	}
	if re.memory == nil || re.memory.Untidy() {
		b.inputs = re.inputs()
	}
	return b
}

func (re *reuse) task(i int) (uptodate.Task, bool) {
	return runstate.TaskOf(&re.run.State, i, re.run.Nodes[i].ID, re.run.Line(i))
}

// inputs returns the declared inputs of all nodes.
func (re *reuse) inputs() (list []string) {
	for _, declared := range re.run.Sched.DeclaredInputs() {
		list = append(list, uptodate.Paths(declared)...)
	}
	return list
}

// look looks at files. It is called on a helper.
func (b *batch) look() *batch {
	if b.memory, b.err = b.file.Memory(); b.err != nil {
		return b
	}
	began := time.Now()
	for _, at := range b.list {
		if time.Since(began) > lookTime {
			break
		}
		at.tried = true
		if at.err = at.check(); at.err != nil {
			continue
		}
		if at.found, at.err = b.memory.Look(b.ctx, at.task); at.err != nil {
			continue
		}
		if b.always && at.found.Success != nil {
			at.found.Success, at.found.Why = nil, "--no-cache was given"
		}
		if at.found.Success == nil {
			b.begin(at)
		}
	}
	if b.begun {
		b.err = b.memory.Save()
	}
	return b
}

// check finds paths that cannot be declared.
func (at *lookAt) check() error {
	if err := uptodate.CheckPaths(at.task.Outputs, false); err != nil {
		return fmt.Errorf("outputs: %w", err)
	}
	if err := uptodate.CheckPaths(at.task.Inputs, true); err != nil {
		return fmt.Errorf("inputs: %w", err)
	}
	return nil
}

// begin prepares an execution: it removes what a failed one has left.
func (b *batch) begin(at *lookAt) {
	if left := b.memory.Incomplete(at.task); len(left) > 0 && !at.keep {
		_, at.err = uptodate.RemoveOutputs(at.task.Folder, left, b.inputs)
	}
	b.memory.Begin(at.task, at.found, b.run, at.id.Execution)
	b.begun = true
}

// looked goes on with the executions of a batch.
func (re *reuse) looked(b *batch) {
	re.helpers--
	if b.err != nil {
		re.note("what was up to date is not known: " + b.err.Error())
	}
	if re.memory = b.memory; re.memory == nil {
		for _, at := range b.list {
			at.tried = true
		}
	}
	for _, at := range b.list {
		switch {
		case re.run.Phase != runstate.Active || !re.run.Sched.Wants(at.id.Node, at.id.Execution):
		case !at.tried:
			re.waiting = append(re.waiting, at.id)
		case at.err != nil:
			re.run.dispatcher.recordDispatch(at.id)
			re.run.finish(executor.Report{Kind: executor.Ended, ID: at.id, Time: clock.Now(), Exit: executor.Exit{Failed: true}, Message: at.err.Error()})
		case at.found != nil && at.found.Success != nil:
			s := at.found.Success
			re.run.commit(history.Record{Type: history.RecordUpToDate, Node: at.id.Node, ID: re.run.Nodes[at.id.Node].ID, Message: s.Text(), Outputs: s.Values, Stdout: s.Stdout})
		default:
			re.looks[at.id] = &look{task: at.task, found: at.found}
			re.run.preparing.enqueue(at.id)
		}
	}
}

// explain adds to the inputs of an execution what made it necessary, if its node declares outputs.
func (re *reuse) explain(id executor.ID, in *api.Inputs) *api.Inputs {
	l := re.looks[id]
	if l == nil || l.found == nil {
		return in
	}
	if in == nil {
		in = &api.Inputs{}
	}
	in.Because = l.found.Why
	return in
}

// examine looks at the files of an execution whose command has succeeded, and then ends it. It returns false for executions
// that can end at once.
func (re *reuse) examine(rep executor.Report) bool {
	if re.run.Flow == nil || !re.run.Sched.DeclaresOutputs(rep.ID.Node) || re.run.Reason(rep) != "" {
		return false
	}
	re.start()
	l := re.looks[rep.ID]
	if l == nil { // an earlier daemon has looked
		t, ok := re.task(rep.ID.Node)
		if !ok {
			return false
		}
		l = &look{task: t}
		re.looks[rep.ID] = l
	}
	if l.ends {
		return true
	}
	l.ends = true
	e := examination{ctx: re.ctx, file: re.run.host.Memory, task: l.task, found: l.found, run: re.run.Number, id: rep.ID, atEngine: re.run.Nodes[rep.ID.Node].Execution.AtEngine()}
	loop.Go(re.run.host.Loop, e.look, func(done examined) {
		l.success, l.message = done.success, done.message
		if done.memory != nil {
			re.memory = done.memory
		}
		if done.missing != nil {
			rep.Exit.Cause, rep.Message = executor.Cause(api.ReasonMissing), done.missing.Error()
		}
		if re.run.expects(rep) {
			re.run.end(rep)
		}
	})
	return true
}

// An examination is what a helper looks at after a success.
type examination struct {
	ctx      context.Context
	file     *uptodate.File
	task     uptodate.Task
	found    *uptodate.Look
	run      int
	id       executor.ID
	atEngine bool
}

// examined is what it has found.
type examined struct {
	memory  *uptodate.Memory
	success *uptodate.Success // nil = it is not remembered
	missing *uptodate.MissingError
	message string // why it is not remembered
}

// look looks at the files. It is called on a helper.
func (e *examination) look() (d examined) {
	for tries := 1; ; tries++ {
		if d.missing = uptodate.MissingOutputs(e.task.Folder, e.task.Outputs); d.missing == nil {
			break
		}
		if !e.atEngine || tries == lateLooks || e.ctx.Err() != nil {
			return d
		}
		time.Sleep(latePause)
	}
	m, err := e.file.Memory()
	if err != nil {
		return examined{message: err.Error()}
	}
	d.memory = m
	if e.found == nil {
		e.found = m.Begun(e.task.Node, e.run, e.id.Execution)
	}
	if e.found == nil {
		d.message = "nobody knows what its inputs were at its start"
		return d
	}
	d.success, err = m.Done(e.ctx, e.task, e.found, e.run)
	switch {
	case errors.As(err, &d.missing) && d.missing.What == "output":
	case e.ctx.Err() != nil:
		d.missing, d.message = nil, "the run was stopped before its files were read"
	case err != nil:
		d.missing, d.message = nil, err.Error()
	}
	return d
}

// examines reports whether the command of an execution has succeeded, and its files are looked at.
func (re *reuse) examines(id executor.ID) bool { return re.looks[id] != nil && re.looks[id].ends }

// ended is called when the end of an execution has been written to the journal. If it succeeded, its success is remembered, without
// secret values.
func (re *reuse) ended(id executor.ID, rec history.Record) {
	l := re.looks[id]
	if l == nil {
		return
	}
	delete(re.looks, id)
	switch {
	case !rec.OK:
	case l.success != nil:
		l.success.Values, l.success.Stdout = re.run.masks.JSON(rec.Outputs), re.run.masks.JSON(rec.Stdout)
		re.memory.Remember(l.success)
		re.unsaved = true
	case l.message != "":
		re.note(re.run.Nodes[id.Node].Name + " is not remembered as up to date: " + l.message)
	}
}

// Save lets a helper write what is not in the file. It returns true when nothing is left to write.
func (re *reuse) Save() bool {
	switch {
	case re.saving:
		return false
	case !re.unsaved:
		return true
	}
	re.unsaved, re.saving = false, true
	loop.Go(re.run.host.Loop, re.memory.Save, func(err error) {
		re.saving = false
		if err != nil {
			re.note("what is up to date cannot be written: " + err.Error())
		}
	})
	return false
}

// saveNow writes what is not in the file, because the daemon goes.
func (re *reuse) saveNow() {
	re.stop()
	if re.unsaved {
		if err := re.memory.Save(); err != nil {
			re.run.host.Log.Warn("what is up to date cannot be written", "run", re.run.ID, "err", err)
		}
	}
}

// note adds a sentence for people, once.
func (re *reuse) note(text string) {
	for _, known := range re.notes {
		if known == text {
			return
		}
	}
	if len(re.notes) == mostReuseNotes {
		re.more++
		return
	}
	re.notes = append(re.notes, text)
}
