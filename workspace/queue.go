package workspace

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"wf/api"
	"wf/executor/ownfile"
	"wf/scheduler/flow"
	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/loop"
	"wf/workspace/workfile"
)

// A detached run (wf run -d) that has to wait for other runs is queued in its own file (mode 0600, because it contains an
// environment). The file stays until the run is in the history, so that a crash neither loses the run nor starts it twice.

// queueDir is the name of the folder with these files, in the folder of the workspace.
const queueDir = "queue"

// maxQueued bounds the size of such a file, in bytes. Most of it is the environment.
const maxQueued = 16 << 20

// A queuedRun is the content of a queue file.
type queuedRun struct {
	Number int            `json:"number"`
	Key    string         `json:"key"` // becomes history.Request.Queued: a run with this key has started
	Client string         `json:"client"`
	Time   time.Time      `json:"time"`
	Req    api.RunRequest `json:"request"`
	// RequestKey and Trigger are fields of the request that clients do not send.
	RequestKey string          `json:"request_key,omitempty"`
	Trigger    *api.RunTrigger `json:"trigger,omitempty"`
}

func (q *queuedRun) name() string { return "q" + strconv.Itoa(q.Number) }

func (ln *queue) queueFile(q *queuedRun) string {
	return filepath.Join(ln.w.cfg.State, "workspaces", ln.w.id, queueDir, q.name()+".json")
}

// enqueueRun queues a run that has to wait. The client gets its answer when the file is durable. If the active run is
// stopped for the new one, the client gets its answer when the new run has started.
func (ln *queue) enqueueRun(p *pendingStart, policy flow.OnBusy) {
	ln.queuedLast++
	q := &queuedRun{Number: ln.queuedLast, Key: rand.Text(), Client: p.client, Time: clock.Now(), Req: p.req,
		RequestKey: p.req.Key, Trigger: p.req.Trigger}
	data, err := json.Marshal(q)
	path, disk := ln.queueFile(q), ln.w.disk()
	ln.w.loop.Run(func() {
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o700)
		}
		if err == nil {
			err = history.ReplaceFile(disk, path, data)
		}
		ln.w.loop.Post(func() {
			if err != nil {
				p.reply(api.RunAccepted{}, api.Internal("the run cannot be put into the line", err))
				return
			}
			if policy == flow.Queue {
				p.reply(api.RunAccepted{Queued: q.name()}, nil)
				p.reply = func(api.RunAccepted, error) {}
			}
			p.ctx, p.queued = context.Background(), q
			ln.start(p)
		})
	})
}

// restoreQueue reads the runs that an earlier daemon queued.
func (ln *queue) restoreQueue() {
	dir := filepath.Join(ln.w.cfg.State, "workspaces", ln.w.id, queueDir)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || len(entries) == 0 {
		return
	}
	var list []*queuedRun
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".json") || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		q := &queuedRun{}
		data, err := ownfile.Read(filepath.Join(dir, e.Name()), maxQueued)
		if err == nil {
			err = json.Unmarshal(data, q)
		}
		if err == nil && q.name()+".json" != e.Name() {
			err = fmt.Errorf("it is that of %s", q.name())
		}
		if err != nil {
			ln.w.cfg.Log.Error("a run in line cannot be read: it stays where it is and does not begin", "file", filepath.Join(dir, e.Name()), "err", err)
			continue
		}
		q.Req.Key, q.Req.Trigger = q.RequestKey, q.Trigger
		ln.queuedLast = max(ln.queuedLast, q.Number)
		list = append(list, q)
	}
	slices.SortFunc(list, func(a, b *queuedRun) int { return a.Number - b.Number })
	begun := ln.startedFromQueue()
	for _, q := range list {
		if begun[q.Key] {
			ln.dequeue(q, func() {})
			continue
		}
		ln.waiting = append(ln.waiting, &pendingStart{ctx: context.Background(), client: q.Client, req: q.Req, queued: q,
			reply: func(api.RunAccepted, error) {}})
	}
}

// startedFromQueue returns the keys of queued runs that are also in the history, because the earlier daemon crashed before
// it removed their files.
func (ln *queue) startedFromQueue() map[string]bool {
	begun := map[string]bool{}
	numbers, err := ln.w.store.Numbers()
	if err != nil {
		return begun
	}
	for _, n := range numbers[:min(len(numbers), restoredRuns)] {
		if req, err := ln.w.store.Request(n); err == nil && req.Queued != "" {
			begun[req.Queued] = true
		}
	}
	return begun
}

// dequeue removes the file of a run that has started or will never start. A helper does this and then calls done on the
// loop.
func (ln *queue) dequeue(q *queuedRun, done func()) {
	loop.Go(ln.w.loop, func() error { return os.Remove(ln.queueFile(q)) }, func(err error) {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			ln.w.cfg.Log.Warn("the file of a run that waited in line cannot be removed", "err", err)
		}
		done()
	})
}

// startQueued starts queued runs that no other event would start: those of an earlier daemon, and those that waited for a
// usable workfile.
func (ln *queue) startQueued() {
	if len(ln.waiting) > 0 && len(ln.w.runs) == 0 && ln.w.usable() == nil {
		ln.startWaiting()
	}
}

// refusedQueued publishes that a queued run cannot start. No client waits for the answer.
func (ln *queue) refusedQueued(q *queuedRun, why error) {
	ln.w.cfg.Log.Error("a run that waited in line cannot begin", "queued", q.name(), "err", why)
	ln.w.tell(News{Kind: QueuedRefused, Queued: q.name(), Err: why})
	if w, req := ln.w, q.Req; w.cfg.Notices != nil {
		req.Key = q.Key
		w.loop.Run(func() { TellUnstarted(w.cfg.State, w.id, w.path, w.cfg.Notices, w.cfg.Log, req, why) })
	}
	ln.w.out.Publish(api.Event{Type: api.RunRefused, Queued: q.name(), Message: workfile.Plain(why)})
	ln.dequeue(q, func() {})
}

// leaveQueue removes a run from the queue and calls done when its file is removed. It returns false if the queue has no run
// of this name.
func (ln *queue) leaveQueue(name string, done func()) bool {
	for i, p := range ln.waiting {
		if p.queued != nil && p.queued.name() == name {
			ln.waiting = slices.Delete(ln.waiting, i, i+1)
			p.reply(api.RunAccepted{}, &api.Error{Code: api.CodeConflict, Message: name + " was taken out of the line"})
			ln.w.preparer.unmark()
			ln.dequeue(p.queued, done)
			return true
		}
	}
	return false
}

// clearQueue refuses all waiting runs. It calls done for each detached run when its file is removed, and returns the number
// of detached runs.
func (ln *queue) clearQueue(why error, done func()) (detached int) {
	for _, p := range ln.waiting {
		p.reply(api.RunAccepted{}, why)
		if p.queued != nil {
			detached++
			ln.dequeue(p.queued, done)
		}
	}
	ln.waiting = nil
	return detached
}

// inQueue returns the queued runs.
func (ln *queue) inQueue() (list []api.QueuedRun) {
	for _, p := range ln.waiting {
		if p.queued != nil {
			list = append(list, api.QueuedRun{Queued: p.queued.name(), Since: p.queued.Time, User: p.req.User})
		}
	}
	return list
}
