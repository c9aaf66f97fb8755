package executor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wf/executor/fault"
	"wf/executor/ownfile"
	"wf/executor/proc"
	"wf/executor/rundir"
	"wf/executor/wire"
)

// After lossLimit deaths of runners within lossWindow, the session pauses before it starts another one. The pauses get
// longer until a runner lives longer than lossWindow.
const (
	lossLimit   = 5
	lossWindow  = time.Minute
	firstHold   = 5 * time.Second
	longestHold = 5 * time.Minute
)

// retryPause is the pause after a temporary failure of the machine. Only tests change it.
var retryPause = time.Second

// crashes are the recent deaths of the runners of a run.
type crashes struct {
	started time.Time   // when the latest runner was started
	deaths  []time.Time // the latest ones, at most lossLimit
	hold    time.Duration
}

// add records a death and returns the pause before the next runner.
func (c *crashes) add(now time.Time) time.Duration {
	if !c.started.IsZero() && now.Sub(c.started) >= lossWindow {
		*c = crashes{}
	}
	c.deaths = append(c.deaths, now)
	if len(c.deaths) < lossLimit {
		return 0
	}
	c.deaths = c.deaths[len(c.deaths)-lossLimit:]
	if c.hold == 0 && now.Sub(c.deaths[0]) >= lossWindow {
		return 0
	}
	c.hold = min(max(2*c.hold, firstHold), longestHold)
	return c.hold
}

// handleLoss decides what follows when the connection to a runner is lost: it returns true when another one is to be
// started, after a pause if necessary, and false if the session is over. If the run is to end and the runner that was
// started for that is lost, too, it gives up the run, because the caller of Close or Stop is waiting.
func (s *session) handleLoss(why error) bool {
	select {
	case <-s.retry: // from before the loss
	default:
	}
	pause := s.crashes.add(time.Now())
	var version *versionError
	var gone *wire.GoneError
	switch {
	case errors.As(why, &gone):
		s.giveUp(why)
		return false
	case errors.As(why, &version):
		pause = max(pause, firstHold) // it is alive and will not change its version
	case fault.Temporary(why):
		pause = max(pause, retryPause)
	case pause == 0:
		return true
	default:
		why = fmt.Errorf("the runner died %d times within a minute: %s", lossLimit, s.lastErrorLine(why))
	}
	if s.endWanted() {
		if s.tried {
			s.giveUp(why)
			return false
		}
		s.tried = true
		return true
	}
	s.reportHeld(fmt.Sprintf("%s; the next attempt is at %s, or when a client attaches", why,
		time.Now().Add(pause).Format(time.TimeOnly)))
	select {
	case <-s.retry:
	case <-time.After(pause):
	}
	s.tried = s.endWanted()
	return !s.over()
}

// report passes on one report, unless the session is detached.
func (s *session) report(r Report) {
	if s.confirm(nil) {
		s.spec.Report([]Report{r})
	}
}

// Retry ends the pause of a held session. In a session that is not held it has no effect.
func (s *session) Retry() {
	select {
	case s.retry <- struct{}{}:
	default:
	}
}

// endWanted reports whether the run is to be closed, or everything in it to be stopped.
func (s *session) endWanted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing || s.detached {
		return true
	}
	unstopped := func(id ID) bool { _, ok := s.stops[id]; return !ok }
	return len(s.stops) > 0 && !slices.ContainsFunc(slices.Collect(maps.Keys(s.running)), unstopped) &&
		!slices.ContainsFunc(slices.Collect(maps.Keys(s.jobs)), unstopped)
}

// giveUp ends a run without a runner: it kills the processes of the run. How they ended remains unknown.
func (s *session) giveUp(why error) {
	if err := s.runner.sweep(); err != nil {
		why = fmt.Errorf("%w; its processes could not be killed: %w", why, err)
	}
	if survivors := s.runner.claim.killOrphans(); len(survivors) > 0 {
		why = fmt.Errorf("%w; these could not be killed: %v", why, survivors)
	}
	s.breakOff(why)
}

// sweep kills the processes that can be recognized as members of the run, and their descendants, unless a runner is alive,
// which would find more of them.
func (h *runnerHandle) sweep() error {
	ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
	defer cancel()
	if err := h.awaitEnd(ctx); err != nil {
		return err
	}
	lock, err := h.lockLost()
	if err != nil {
		return err
	}
	defer lock.Close()
	env, _, err := rundir.ReadEnvironment(filepath.Join(h.dir, rundir.EnvironmentFile))
	if err != nil {
		return err
	}
	members := rundir.MembersOf(h.dir, cmp.Or(h.marker, rundir.MarkerOf(env).Run))
	return proc.KillAll(func(table *proc.Table) (family []proc.Process) {
		for _, p := range table.All {
			if !p.Dead && p.PID != os.Getpid() && members.Contain(p) {
				family = append(append(family, p), table.Descendants(p.PID)...)
			}
		}
		return slices.DeleteFunc(family, func(p proc.Process) bool { return p.PID == os.Getpid() })
	})
}

// lastErrorLine returns the last line that the runner has written to standard error, or why if there is none.
func (s *session) lastErrorLine(why error) string {
	const enough = 1 << 10
	text, err := tailOf(filepath.Join(s.spec.Dir, rundir.StderrFile), enough)
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if last := lines[len(lines)-1]; err == nil && last != "" && (why == nil || errors.Is(why, io.EOF)) {
		return last
	}
	if why == nil || errors.Is(why, io.EOF) {
		return "without an error message"
	}
	return why.Error()
}

// tailOf reads the last n bytes of a file.
func tailOf(path string, n int64) (string, error) {
	f, err := ownfile.Open(path, os.O_RDONLY)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	from := max(0, info.Size()-n)
	text, err := io.ReadAll(io.NewSectionReader(f, from, n))
	return string(text), err
}
