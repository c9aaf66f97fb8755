package workspace

import (
	"context"

	"wf/api"
	"wf/workspace/loop"
	"wf/workspace/watchers"
)

// Watch adds a watcher. Its first frame, the snapshot, is in the queue when Watch returns.
func (w *Workspace) Watch(ctx context.Context, client string, opt api.WatchOptions) (*watchers.Watcher, error) {
	return w.watch(ctx, opt, watchers.Queue)
}

// watch is Watch with the given queue length, at least 1.
func (w *Workspace) watch(ctx context.Context, opt api.WatchOptions, queue int) (*watchers.Watcher, error) {
	return loop.Ask(ctx, w.loop, func() (*watchers.Watcher, error) {
		v := w.out.Watch(queue, opt.Events, func() api.Status { return Hidden(w, w.status(opt.Nodes)) })
		w.retryHeld()
		return v, nil
	})
}
