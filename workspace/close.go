package workspace

import (
	"context"
)

// Close saves the workfile, detaches from the runs, which continue in their executors, and ends the workspace. It returns
// when all of this is done, or when ctx ends.
func (w *Workspace) Close(ctx context.Context) error {
	if !w.loop.Post(w.startClose) {
		return nil
	}
	select {
	case <-w.loop.Done():
		w.loop.Wait()
		w.dropFence(w.unfinished())
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// startClose ends the loop after a last save.
func (w *Workspace) startClose() {
	if w.closing {
		return
	}
	w.closing = true
	w.queue.refuseWaiting(errClosed())
	w.file.SaveThen(w.loop.End)
}

// leave releases everything when the loop ends.
func (w *Workspace) leave() {
	if w.gaveWay {
		w.presence.publishSnapshot()
		w.leaveFenceLater()
		return
	}
	if w.quarantine.attempt.noted {
		w.quarantine.endAttempt() // an orderly end is not a failed attempt
	}
	for _, r := range w.runs {
		r.Detach()
	}
	w.file.Leave()
	w.out.Close("the workspace is closing")
	w.presence.publishSnapshot()
}

// crashed releases resources after a panic on the loop. It saves nothing: the workspace ends as if its daemon had been
// killed. The daemon opens it again, which counts as a recovery attempt. Clients that wait for an answer repeat their
// requests.
func (w *Workspace) crashed() {
	w.quarantine.countCrash()
	for _, r := range w.runs {
		r.Abandon()
	}
	w.out.Close("internal error: the workfile is opened again")
	w.leaveFenceLater()
}

// leaveFenceLater ends the use of the fence when the loop and its helpers have ended, for a loop that Close does not end.
func (w *Workspace) leaveFenceLater() {
	go func() { // ends with the helpers, which stop when the loop ends
		w.loop.Wait()
		w.dropFence(true)
	}()
}
