package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wf/executor/rundir"
)

// A closing ends the run on the cluster once all tasks have ended: it waits until the batch system has no job of the run any
// more, and removes the folder of the run. If the cluster does not answer, it leaves both.
type closing struct {
	c      *Cluster
	m      *model
	w      *watcher
	folder *folder
	call   caller

	wanted  bool
	busy    bool
	emptied time.Time // when the last task had ended, and allocations were cancelled
	next    time.Time // when the batch system is told again, or the folder removed
	// cancelled says that the allocations were cancelled that the batch system had when the last task had ended.
	cancelled bool
	waits     int           // for jobs whose tasks have ended
	tries     int           // to remove the folder
	done      chan struct{} // closed when nothing is left to do
	err       error
}

// mostWaits is how often the batch system is asked again before jobs are cancelled whose tasks have ended.
const mostWaits = 3

// mostRemovals is how often the removal of the folder is tried.
const mostRemovals = 3

// over reports whether nothing is left to do.
func (cl *closing) over() bool {
	select {
	case <-cl.done:
		return true
	default:
		return false
	}
}

// looks reports whether the next look matters.
func (cl *closing) looks() bool { return cl.wanted && cl.m.count > 0 && !cl.over() }

// act does the next step. It returns when to call it again; zero = after the next event.
func (cl *closing) act(now time.Time) (next time.Time) {
	if !cl.wanted || cl.busy || cl.over() || len(cl.m.tasks) > 0 {
		return next
	}
	if cl.m.count == 0 { // nothing was ever submitted
		cl.end(nil)
		return next
	}
	if cl.emptied.IsZero() {
		cl.emptied = now
		cl.c.poller.askSoon()
		if held := cl.m.heldJobs(); len(held) > 0 { // they would wait for tasks
			cl.cancelled = true
			cl.run(cl.c.Engine.Cancel(held, CancelKill), func(error) {
				cl.emptied = time.Now()
				cl.c.poller.askSoon()
			})
			return next
		}
	}
	switch {
	case cl.w.silence(now) >= cl.c.Timing.Trouble:
		cl.end(errors.New("it does not answer"))
	case now.Before(cl.next) && (len(cl.w.alive) > 0 || cl.tries > 0):
		return cl.next
	case !cl.m.reached:
		cl.remove(now)
	case !cl.w.asked.After(cl.emptied): // the next look tells more
	case len(cl.w.alive) == 0:
		cl.remove(now)
	case cl.waits < mostWaits && (cl.cancelled || cl.m.holds() == 0): // the batch system is about to end them
		cl.waits++
		cl.emptied = now
		cl.c.poller.askSoon()
	default:
		cl.next = now.Add(cl.c.Timing.StopAgain)
		cl.run(cl.c.Engine.Cancel(cl.w.alive, CancelKill), func(error) { cl.c.poller.askSoon() })
	}
	return next
}

// remove removes the folder of the run.
func (cl *closing) remove(now time.Time) {
	cl.next = now.Add(cl.c.Timing.StopAgain)
	cl.run(cl.folder.remove(), func(err error) {
		if cl.tries++; err == nil || cl.tries == mostRemovals {
			cl.end(err)
		}
	})
}

func (cl *closing) run(script string, then func(error)) {
	cl.busy = true
	cl.call(script, func(_ string, err error) {
		cl.busy = false
		then(err)
	})
}

// end removes what is on this machine. why is why something is left on the cluster.
func (cl *closing) end(why error) {
	cl.err = errors.Join(os.Remove(cl.m.journal.file.Name()), removeIfThere(filepath.Join(cl.m.outputs.dir, rundir.EnvironmentFile)))
	if why != nil {
		cl.err = errors.Join(cl.leftError(why), cl.err)
	}
	close(cl.done)
}

// leftError returns an error that names the files and jobs that are still on the cluster, and what to do about them.
func (cl *closing) leftError(why error) error {
	jobs := slices.Clone(cl.m.left)
	for _, t := range cl.m.tasks {
		if id := t.engineJob().ID; id != "" {
			jobs = append(jobs, id)
		}
	}
	text := fmt.Sprintf("files of the run are left in %s", cl.folder.word)
	if len(jobs) > 0 {
		slices.Sort(jobs)
		text += fmt.Sprintf(", and these jobs may still be there: %s; end them there by hand", strings.Join(jobs, " "))
	}
	return fmt.Errorf("cluster %s: %w: %s", cl.c.Name, why, text)
}

// wait waits for the end.
func (cl *closing) wait(ctx context.Context, quit <-chan struct{}) error {
	select {
	case <-cl.done:
		return cl.err
	case <-quit:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func removeIfThere(path string) error {
	err := os.Remove(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
