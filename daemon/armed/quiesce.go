package armed

import (
	"context"
	"time"
)

// A user who has disabled the triggers of a workfile expects that no run starts after that. So the start that is under way is
// awaited first, and no other begins meanwhile.

// quiesceTime bounds this: the disk of the workfile may not answer.
const quiesceTime = 10 * time.Second

// quiesce waits until no start of a workfile is under way. None begins before the workfile is disarmed or armed again.
func (k *Keeper) quiesce(ctx context.Context, id string) error {
	quiet, err := ask(ctx, k, func() (<-chan struct{}, error) {
		e := k.entries[id]
		if e == nil {
			return nil, nil // disable explains it
		}
		if err := k.ready(); err != nil {
			return nil, notReady(err)
		}
		if e.leaving == nil {
			e.leaving = make(chan struct{})
		}
		return e.leaving, nil
	})
	if err != nil || quiet == nil {
		return err
	}
	late := time.NewTimer(quiesceTime)
	defer late.Stop()
	select {
	case <-quiet:
		return nil
	case <-late.C:
		return nil
	case <-k.done:
		return nil // ask says that the daemon is ending
	case <-ctx.Done():
		k.post(func() {
			if e := k.entries[id]; e != nil {
				e.leaving = nil
			}
		})
		return ctx.Err()
	}
}

// left tells quiesce that no start is under way.
func (e *entry) left() {
	if e.leaving == nil {
		return
	}
	select {
	case <-e.leaving:
	default:
		close(e.leaving)
	}
}
