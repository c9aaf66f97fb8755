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

// A crash loop is held instead of fed: lossLimit deaths of runners within lossWindow make the session
// wait, longer each time, until one lives longer than that.
const (
	lossLimit   = 5
	lossWindow  = time.Minute
	firstHold   = 5 * time.Second
	longestHold = 5 * time.Minute
)

// retryPause is the pause after a temporary failure of the machine. Only tests change it.
var retryPause = time.Second

// crashes counts the deaths of the runners of a run.
type crashes struct {
	started time.Time   // when the latest runner was to begin
	deaths  []time.Time // the last ones, lossLimit at most
	hold    time.Duration
}

// add notes a death and returns how long to wait before the next runner; 0 = not at all.
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

// handleLoss decides what follows from the death of a runner: another one at once, or after a while. It
// returns false when the session is over. A run that is to end and whose runner dies of that is given
// up, since somebody waits for it.
func (s *session) handleLoss(why error) bool {
	select {
	case <-s.retry: // of before
	default:
	}
	pause := s.crashes.add(time.Now())
	var stranger *versionError
	var gone *wire.GoneError
	switch {
	case errors.As(why, &gone):
		s.giveUp(why)
		return false
	case errors.As(why, &stranger):
		pause = max(pause, firstHold) // it lives, and does not learn our language
	case fault.Temporary(why):
		pause = max(pause, retryPause)
	case pause == 0:
		return true
	default:
		why = fmt.Errorf("the runner died %d times within a minute: %s", lossLimit, s.lastComplaint(why))
	}
	if s.endWanted() {
		if s.tried {
			s.giveUp(why)
			return false
		}
		s.tried = true
		return true
	}
	s.reportHeld(fmt.Sprintf("%s; tried again at %s, or when somebody attaches", why,
		time.Now().Add(pause).Format(time.TimeOnly)))
	select {
	case <-s.retry:
	case <-time.After(pause):
	}
	s.tried = s.endWanted()
	return !s.over()
}

// report hands on one report if anybody wants it.
func (s *session) report(r Report) {
	if s.confirm(nil) {
		s.spec.Report([]Report{r})
	}
}

// Retry is for a session that is held; else it is forgotten with the next death of a runner.
func (s *session) Retry() {
	select {
	case s.retry <- struct{}{}:
	default:
	}
}

// endWanted reports whether the run is to be closed, or all of it to be stopped.
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

// giveUp ends a run without a runner: what carries its marker is killed, how it ended is not known.
func (s *session) giveUp(why error) {
	if err := s.runner.sweep(); err != nil {
		why = fmt.Errorf("%w; what it runs could not be killed: %w", why, err)
	}
	if survivors := s.runner.claim.killOrphans(); len(survivors) > 0 {
		why = fmt.Errorf("%w; these could not be killed: %v", why, survivors)
	}
	s.breakOff(why)
}

// sweep kills what carries the marker of the run and all that is below it, if no runner lives that
// would do it better.
func (h *runnerHandle) sweep() error {
	ctx, cancel := context.WithTimeout(context.Background(), connectPatience)
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
	k := rundir.MembersOf(h.dir, cmp.Or(h.marker, rundir.MarkerOf(env).Run))
	return proc.KillAll(func(c *proc.Table) (family []proc.Process) {
		for _, p := range c.All {
			if !p.Dead && p.PID != os.Getpid() && k.Contain(p) {
				family = append(append(family, p), c.Descendants(p.PID)...)
			}
		}
		return slices.DeleteFunc(family, func(p proc.Process) bool { return p.PID == os.Getpid() })
	})
}

// lastComplaint is what the runner has complained of at its end, or else why.
func (s *session) lastComplaint(why error) string {
	const enough = 1 << 10
	text, err := tailOf(filepath.Join(s.spec.Dir, rundir.StderrFile), enough)
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if last := lines[len(lines)-1]; err == nil && last != "" && (why == nil || errors.Is(why, io.EOF)) {
		return last
	}
	if why == nil || errors.Is(why, io.EOF) {
		return "without a word"
	}
	return why.Error()
}

// tailOf reads the last n bytes of a file, or all of it.
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
