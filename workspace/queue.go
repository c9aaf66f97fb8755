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

// A detached run (wf run -d) that has to wait for others is queued in a file of its own (0600: it contains an environment).
// The file stays until the run is in the history, so that the run is neither lost nor started twice, whatever ends first.

// queueDir is the folder of these files, in the folder of the workspace.
const queueDir = "queue"

// maxQueued bounds such a file, in bytes; most of it is the environment.
const maxQueued = 16 << 20

// A queuedRun is the content of such a file.
type queuedRun struct {
	Number int            `json:"number"`
	Key    string         `json:"key"` // becomes history.Request.Key: a run with this key has started
	Client string         `json:"client"`
	Time   time.Time      `json:"time"`
	Req    api.RunRequest `json:"request"`
}

func (q *queuedRun) name() string { return "q" + strconv.Itoa(q.Number) }

func (w *Workspace) queueFile(q *queuedRun) string {
	return filepath.Join(w.cfg.State, "workspaces", w.id, queueDir, q.name()+".json")
}

// enqueueRun queues a run that has to wait. The client gets its answer when the file is durable, or, if the active run is
// stopped for it, when the new run has started.
func (w *Workspace) enqueueRun(p *pendingStart, policy flow.OnBusy) {
	w.queuedLast++
	q := &queuedRun{Number: w.queuedLast, Key: rand.Text(), Client: p.client, Time: clock.Now(), Req: p.req}
	data, err := json.Marshal(q)
	path, disk := w.queueFile(q), w.disk()
	w.loop.Run(func() {
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o700)
		}
		if err == nil {
			err = history.ReplaceFile(disk, path, data)
		}
		w.loop.Post(func() {
			if err != nil {
				p.reply(api.RunAccepted{}, api.Internal("the run cannot be put into the line", err))
				return
			}
			if policy == flow.Queue {
				p.reply(api.RunAccepted{Queued: q.name()}, nil)
				p.reply = func(api.RunAccepted, error) {}
			}
			p.ctx, p.queued = context.Background(), q
			w.start(p)
		})
	})
}

// recallQueue reads the runs that an earlier daemon has queued.
func (w *Workspace) recallQueue() {
	dir := filepath.Join(w.cfg.State, "workspaces", w.id, queueDir)
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
			w.cfg.Log.Error("a run in line cannot be read: it stays where it is and does not begin", "file", filepath.Join(dir, e.Name()), "err", err)
			continue
		}
		w.queuedLast = max(w.queuedLast, q.Number)
		list = append(list, q)
	}
	slices.SortFunc(list, func(a, b *queuedRun) int { return a.Number - b.Number })
	begun := w.begunFromQueue()
	for _, q := range list {
		if begun[q.Key] {
			w.dequeue(q, func() {})
			continue
		}
		w.waiting = append(w.waiting, &pendingStart{ctx: context.Background(), client: q.Client, req: q.Req, queued: q,
			reply: func(api.RunAccepted, error) {}})
	}
}

// begunFromQueue returns the keys of queued runs that are in the history too, because a crash came between the two.
func (w *Workspace) begunFromQueue() map[string]bool {
	begun := map[string]bool{}
	numbers, err := w.store.Numbers()
	if err != nil {
		return begun
	}
	for _, n := range numbers[:min(len(numbers), recallRuns)] {
		if req, err := w.store.Request(n); err == nil && req.Queued != "" {
			begun[req.Queued] = true
		}
	}
	return begun
}

// dequeue lets a helper remove the file of a run that has started or never will, and then calls done.
func (w *Workspace) dequeue(q *queuedRun, done func()) {
	loop.Go(w.loop, func() error { return os.Remove(w.queueFile(q)) }, func(err error) {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			w.cfg.Log.Warn("the file of a run that waited in line cannot be removed", "err", err)
		}
		done()
	})
}

// startQueued starts queued runs that no event would start: those of an earlier daemon, and those that waited for a usable
// workfile.
func (w *Workspace) startQueued() {
	if len(w.waiting) > 0 && len(w.runs) == 0 && w.usable() == nil {
		w.startWaiting()
	}
}

// refusedQueued publishes that a queued run cannot begin. No client waits for an answer.
func (w *Workspace) refusedQueued(q *queuedRun, why error) {
	w.cfg.Log.Error("a run that waited in line cannot begin", "queued", q.name(), "err", why)
	w.out.Publish(api.Event{Type: api.RunRefused, Queued: q.name(), Message: workfile.Plain(why)})
	w.dequeue(q, func() {})
}

// leaveQueue removes a run from the queue, and calls done when its file is gone. It returns false if there is none of this name.
func (w *Workspace) leaveQueue(name string, done func()) bool {
	for i, p := range w.waiting {
		if p.queued != nil && p.queued.name() == name {
			w.waiting = slices.Delete(w.waiting, i, i+1)
			p.reply(api.RunAccepted{}, &api.Error{Code: api.CodeConflict, Message: name + " was taken out of the line"})
			w.unmark()
			w.dequeue(p.queued, done)
			return true
		}
	}
	return false
}

// clearQueue refuses all runs that wait, and calls done for each detached one when its file is gone. It returns their number.
func (w *Workspace) clearQueue(why error, done func()) (detached int) {
	for _, p := range w.waiting {
		p.reply(api.RunAccepted{}, why)
		if p.queued != nil {
			detached++
			w.dequeue(p.queued, done)
		}
	}
	w.waiting = nil
	return detached
}

// inQueue lists the queued runs.
func (w *Workspace) inQueue() (list []api.QueuedRun) {
	for _, p := range w.waiting {
		if p.queued != nil {
			list = append(list, api.QueuedRun{Queued: p.queued.name(), Since: p.queued.Time, User: p.req.User})
		}
	}
	return list
}
