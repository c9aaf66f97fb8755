package executor

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// An heir is what the daemon hands over to a runner beyond the record, of the runner before it.
type heir struct {
	// inherited: the daemon has lived through the death of the runner before and was its parent, so
	// that all its children are the daemon's now, living or zombies, and none of them is missing.
	inherited bool
	// handles are pidfds of executions whose runner was not below the daemon: after its death
	// somebody else reaps them, and only the kernel can still say how they ended.
	handles map[ID]int
}

// heirVariable hands an heir over: the pid of the daemon, or 0 where nothing was inherited, and the
// executions whose handles are the descriptors from firstHandleFD on, as NODE.EXECUTION. A runner
// that does not know it takes over with less.
const (
	heirVariable  = "WF_RUNNER_HEIR"
	firstHandleFD = 5
)

// heirText encodes the heir; ids are in the order of the descriptors.
func heirText(inherited bool, ids []ID) string {
	parent := 0
	if inherited {
		parent = os.Getpid()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s=%d", heirVariable, parent)
	for _, id := range ids {
		fmt.Fprintf(&b, " %d.%d", id.Node, id.Execution)
	}
	return b.String()
}

// takeHeir reads what the daemon has handed over; with anything else in its place there is nothing.
func takeHeir() *heir {
	fields := strings.Fields(os.Getenv(heirVariable))
	if len(fields) == 0 {
		return nil
	}
	h := &heir{handles: make(map[ID]int)}
	// A daemon that has died meanwhile has taken what it inherited with it.
	h.inherited = fields[0] == strconv.Itoa(os.Getppid())
	for i, text := range fields[1:] {
		var id ID
		if n, err := fmt.Sscanf(text, "%d.%d", &id.Node, &id.Execution); n != 2 || err != nil {
			return &heir{inherited: h.inherited}
		}
		h.handles[id] = firstHandleFD + i
	}
	return h
}

// handle returns the descriptor of an execution, or -1.
func (h *heir) handle(id ID) int {
	if h == nil {
		return -1
	}
	if fd, ok := h.handles[id]; ok {
		return fd
	}
	return -1
}

// adoptForked looks for the child of a runner that died between the fork entry and the start entry.
// It reports true when there was no fork. A child that is found becomes that of e; e is left without
// one when nobody can say.
//
// Without an inheritance a leader that has ended is gone, so that what lives with its marker may be
// what it left behind. It is waited for all the same, since a node whose processes live must not be
// over; but how it ends says nothing.
//
// Where the kernel has noted the child, that is certain, see birthNote.
//
// Else: one thread forks, and each fork entry is written after the start before it: so at most one child
// of a dead runner is not in its record. Where the daemon has inherited everything it is there.
func (r *runner) adoptForked(e *execution, p *past) (never bool) {
	if e.noted {
		if child, found, known := r.bornAs(e); known {
			return r.adoptFound(e, child, found)
		}
	}
	s := search{since: e.born[0], known: r.ownPids(p)}
	if e.doubtful = r.heir == nil || !r.heir.inherited; !e.doubtful {
		s.parent = os.Getppid()
	}
	if e.mark != "" {
		s.marker = marker{r.runMarker, e.mark + "\x00" + strconv.Itoa(e.job.ID.Execution)}
	}
	child, found := s.run()
	return r.adoptFound(e, child, found)
}

// adoptFound notes what has become of e.
func (r *runner) adoptFound(e *execution, child process, found finding) (never bool) {
	switch found {
	case notForked:
		r.note(&entry{Kind: entryForget, Node: e.job.ID.Node, Execution: e.job.ID.Execution})
		return true
	case forked:
		e.pid, e.born = child.pid, window{child.born, child.born}
		r.note(&entry{
			Kind: entryStart, Node: e.job.ID.Node, Execution: e.job.ID.Execution,
			Time: timeOf(child.born).UnixNano(), PID: e.pid, Born: e.born, Slot: e.number, Out: e.out, Err: e.err,
			Lost: e.doubtful,
		})
	}
	return false
}

// ownPids are the processes of which the record knows whose they are.
func (r *runner) ownPids(p *past) map[int]bool {
	known := map[int]bool{r.pid: true}
	for _, executions := range []map[ID]*execution{r.active, p.open} {
		for _, e := range executions {
			known[e.pid] = true
		}
	}
	return known
}

// timeOf is the time of day of a moment in ticks since boot.
func timeOf(ticks int64) time.Time {
	return time.Now().Add(-time.Duration(ticksNow()-ticks) * (time.Second / ticksPerSecond))
}

// A search is for the child that a dead runner has not written down: a child of parent now, leader of
// a session, born since.
type search struct {
	parent int          // 0 = it may be anybody's, and only those with the marker count
	since  int64        // ticks
	marker marker       // that the command carries; zero = unknown
	known  map[int]bool // pids of others
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
	unsettled bool      // one is still between fork and exec
	blank     bool      // one of the strangers shows no environment at all, as all do during exec and exit
	mine      []process // living, with the marker: the child, or what it started and left behind
	strangers []process // living, without any marker: somebody has cleared the environment
	zombies   []process
}

const (
	searchTime  = 2 * time.Second        // for a child that is between fork and exec to get on
	blankTime   = 100 * time.Millisecond // for one in exec or exit
	searchPause = time.Millisecond
)

// awaitExec follows the child of e until it has executed its program, or has ended without.
func (r *runner) awaitExec(pid int, e *execution) (process, finding) {
	for begin := time.Now(); time.Since(begin) < searchTime; time.Sleep(searchPause) {
		p, err := readProcess(pid)
		switch {
		case err != nil, p.born < e.born[0]: // gone, and perhaps somebody else has its number: it may have run
			return process{}, unclear
		case !p.bare:
			return p, forked
		case p.dead:
			return process{}, notForked
		}
	}
	return process{}, unclear
}

// run looks until nothing is on its way any more.
func (s *search) run() (process, finding) {
	for begin := time.Now(); time.Since(begin) < searchTime; time.Sleep(searchPause) {
		c, err := s.look()
		if s.parent == 0 {
			return c.chooseDoubtful()
		}
		if err == nil && !c.unsettled && (!c.blank || time.Since(begin) >= blankTime) {
			return c.choose()
		}
	}
	return process{}, unclear
}

// chooseDoubtful takes who has the marker, and knows of none that there was no fork.
func (c *candidates) chooseDoubtful() (process, finding) {
	if c == nil || len(c.mine) == 0 {
		return process{}, unclear
	}
	return slices.MinFunc(c.mine, byBirth), forked
}

// choose decides who of the candidates it is: whoever was born first, since everything else of its
// execution descends from it. Where two answers are possible there is none: a command must neither run
// twice nor be given somebody else's end.
func (c *candidates) choose() (process, finding) {
	all := slices.Concat(c.mine, c.strangers, c.zombies)
	if len(all) == 0 {
		return process{}, notForked
	}
	first := slices.MinFunc(all, byBirth)
	switch {
	case slices.Contains(c.mine, first):
		return first, forked
	case len(all) > 1 || slices.Contains(c.strangers, first):
		return process{}, unclear // a zombie before one that lives may be what another command has left
	}
	return first, forked // the leader has ended
}
