package runner

import (
	"os"
	"slices"
	"strconv"
	"time"

	"wf/executor/proc"
	"wf/executor/rundir"
	"wf/executor/wire"
)

// adoptForked looks for the child that an earlier runner may have forked before it died between the fork entry and the
// start entry. It returns true if there was no fork. If it finds the child, it stores its pid in e; if the result is
// uncertain, e keeps no pid.
//
// If the kernel has written the child into the fork note, the result is certain, see forkNote. Otherwise
// adoptForked searches the processes. One thread forks, and it writes each fork entry after the start entry before it,
// so at most one child of a dead runner is not in its log. If the daemon has adopted all children of that runner, this
// child is among them.
//
// If the daemon has not, a leader that has ended is already reaped. A living process with the marker may then be a
// process that the leader left behind. The runner waits for it all the same, because a node must not end while its
// processes live, but its exit status says nothing about the command.
func (r *runner) adoptForked(e *execution, p *replayState) (never bool) {
	if e.earlier.noted {
		if child, found, known := notedChild(r.dir, e); known {
			return r.adoptFound(e, child, found)
		}
	}
	s := search{since: e.startWindow[0], known: p.pids(r.pid, r.jobs.active)}
	if e.earlier.doubtful = r.recovery.handover == nil || !r.recovery.handover.Inherited; !e.earlier.doubtful {
		s.parent = os.Getppid()
	}
	if e.earlier.mark != "" {
		s.marker = rundir.Marker{Run: r.commands.marker, Node: e.earlier.mark + "\x00" + strconv.Itoa(e.job.ID.Execution)}
	}
	child, found := s.run()
	return r.adoptFound(e, child, found)
}

// adoptFound records the result of the search for the child of e.
func (r *runner) adoptFound(e *execution, child proc.Process, found finding) (never bool) {
	switch found {
	case notForked:
		r.note(&wire.Entry{Kind: wire.EntryForget, Node: e.job.ID.Node, Execution: e.job.ID.Execution})
		return true
	case forked:
		e.pid, e.startWindow = child.PID, proc.Window{child.StartTicks, child.StartTicks}
		r.note(&wire.Entry{
			Kind: wire.EntryStart, Node: e.job.ID.Node, Execution: e.job.ID.Execution,
			Time: proc.TimeOf(child.StartTicks).UnixNano(), PID: e.pid, StartWindow: e.startWindow, Slot: e.number, Out: e.out, Err: e.err,
			Lost: e.earlier.doubtful,
		})
	}
	return false
}

// pids returns the processes that are certainly not the child: own is this runner, and active are the executions that
// it has adopted already.
func (p *replayState) pids(own int, active map[wire.ID]*execution) map[int]bool {
	known := map[int]bool{own: true}
	for _, executions := range []map[wire.ID]*execution{active, p.open} {
		for _, e := range executions {
			known[e.pid] = true
		}
	}
	return known
}

// A search looks for a child of a dead runner that is not in its log: now a child of parent, leader of a session, and
// started at since or later.
type search struct {
	parent int           // pid; 0 = any parent, and only processes with the marker count
	since  int64         // in ticks
	marker rundir.Marker // of the command; zero = unknown
	known  map[int]bool  // pids that are excluded
}

// A finding is the result of a search.
type finding int

const (
	unclear finding = iota
	notForked
	forked
)

// candidates are the processes that can be the child.
type candidates struct {
	unsettled bool           // a process is still between fork and exec
	blank     bool           // the environment of an unmarked process is empty, as it is during exec and exit
	marked    []proc.Process // living processes with the marker: the child, or processes that it left behind
	unmarked  []proc.Process // living processes without any marker: the command may have cleared its environment
	zombies   []proc.Process
}

const (
	searchTime  = 2 * time.Second        // how long to wait for a process between fork and exec
	blankTime   = 100 * time.Millisecond // how long to wait for a process in exec or exit
	searchPause = time.Millisecond
)

// awaitExec waits until the child of e has executed its program, or has ended before that.
func awaitExec(pid int, e *execution) (proc.Process, finding) {
	for begin := time.Now(); time.Since(begin) < searchTime; time.Sleep(searchPause) {
		p, err := proc.Read(pid)
		switch {
		case err != nil, p.StartTicks < e.startWindow[0]: // it has ended, perhaps after exec, or the pid is another process's now
			return proc.Process{}, unclear
		case !p.BeforeExec:
			return p, forked
		case p.Dead:
			return proc.Process{}, notForked
		}
	}
	return proc.Process{}, unclear
}

// run looks until no process is between fork and exec.
func (s *search) run() (proc.Process, finding) {
	for begin := time.Now(); time.Since(begin) < searchTime; time.Sleep(searchPause) {
		c, err := s.look()
		if s.parent == 0 {
			return c.chooseDoubtful()
		}
		if err == nil && !c.unsettled && (!c.blank || time.Since(begin) >= blankTime) {
			return c.choose()
		}
	}
	return proc.Process{}, unclear
}

// chooseDoubtful returns the oldest process with the marker. Without one, it is unclear whether there was a fork.
func (c *candidates) chooseDoubtful() (proc.Process, finding) {
	if c == nil || len(c.marked) == 0 {
		return proc.Process{}, unclear
	}
	return slices.MinFunc(c.marked, proc.CompareStart), forked
}

// choose returns the oldest of the candidates: all other processes of its execution descend from it. It returns unclear
// if two answers are possible, since a command must neither be executed twice nor get the exit status of another.
func (c *candidates) choose() (proc.Process, finding) {
	all := slices.Concat(c.marked, c.unmarked, c.zombies)
	if len(all) == 0 {
		return proc.Process{}, notForked
	}
	first := slices.MinFunc(all, proc.CompareStart)
	switch {
	case slices.Contains(c.marked, first):
		return first, forked
	case len(all) > 1 || slices.Contains(c.unmarked, first):
		return proc.Process{}, unclear // a zombie that is older than a living candidate may be another command's
	}
	return first, forked // the leader has ended
}
