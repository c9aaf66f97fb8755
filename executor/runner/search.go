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

// adoptForked looks for the child of a runner that died between the fork entry and the start entry.
// It reports true when there was no fork. A child that is found becomes that of e; e is left without
// one when nobody can say.
//
// Without an inheritance a leader that has ended is gone, so that what lives with its marker may be
// what it left behind. It is waited for all the same, since a node whose processes live must not be
// over; but how it ends says nothing.
//
// Where the kernel has noted the child, that is certain, see forkNote.
//
// Else: one thread forks, and each fork entry is written after the start before it: so at most one child
// of a dead runner is not in its record. Where the daemon has inherited everything it is there.
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

// adoptFound notes what has become of e.
func (r *runner) adoptFound(e *execution, child proc.Process, found finding) (never bool) {
	switch found {
	case notForked:
		r.note(&wire.Entry{Kind: wire.EntryForget, Node: e.job.ID.Node, Execution: e.job.ID.Execution})
		return true
	case forked:
		e.pid, e.startWindow = child.PID, proc.Window{child.Born, child.Born}
		r.note(&wire.Entry{
			Kind: wire.EntryStart, Node: e.job.ID.Node, Execution: e.job.ID.Execution,
			Time: proc.TimeOf(child.Born).UnixNano(), PID: e.pid, Born: e.startWindow, Slot: e.number, Out: e.out, Err: e.err,
			Lost: e.earlier.doubtful,
		})
	}
	return false
}

// pids returns the processes of which the log says whose they are: own is this runner, active are the executions that
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

// A search is for the child that a dead runner has not written down: a child of parent now, leader of
// a session, born since.
type search struct {
	parent int           // 0 = it may be anybody's, and only those with the marker count
	since  int64         // ticks
	marker rundir.Marker // that the command carries; zero = unknown
	known  map[int]bool  // pids of others
}

// A finding is the result of a search.
type finding int

const (
	unclear finding = iota
	notForked
	forked
)

// candidates are the children among which the one that is searched for must be.
type candidates struct {
	unsettled bool           // one is still between fork and exec
	blank     bool           // one of the strangers shows no environment at all, as all do during exec and exit
	marked    []proc.Process // living, with the marker: the child, or what it started and left behind
	unmarked  []proc.Process // living, without any marker: somebody has cleared the environment
	zombies   []proc.Process
}

const (
	searchTime  = 2 * time.Second        // for a child that is between fork and exec to get on
	blankTime   = 100 * time.Millisecond // for one in exec or exit
	searchPause = time.Millisecond
)

// awaitExec follows the child of e until it has executed its program, or has ended without.
func awaitExec(pid int, e *execution) (proc.Process, finding) {
	for begin := time.Now(); time.Since(begin) < searchTime; time.Sleep(searchPause) {
		p, err := proc.Read(pid)
		switch {
		case err != nil, p.Born < e.startWindow[0]: // gone, and perhaps somebody else has its number: it may have run
			return proc.Process{}, unclear
		case !p.BeforeExec:
			return p, forked
		case p.Dead:
			return proc.Process{}, notForked
		}
	}
	return proc.Process{}, unclear
}

// Run looks until nothing is on its way any more.
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

// chooseDoubtful takes who has the marker, and knows of none that there was no fork.
func (c *candidates) chooseDoubtful() (proc.Process, finding) {
	if c == nil || len(c.marked) == 0 {
		return proc.Process{}, unclear
	}
	return slices.MinFunc(c.marked, proc.CompareStart), forked
}

// choose decides who of the candidates it is: whoever was born first, since everything else of its
// execution descends from it. Where two answers are possible there is none: a command must neither run
// twice nor be given somebody else's end.
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
		return proc.Process{}, unclear // a zombie before one that lives may be what another command has left
	}
	return first, forked // the leader has ended
}
