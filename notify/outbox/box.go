// Package outbox keeps notifications until they are sent. Each is a file, which is durable before the run that it is about is
// announced as over; so it survives crashes of the daemon and of the machine. A Box delivers at least once: after a crash
// between the delivery and the note of it, a notification is sent again, with the same ID. How something is sent is the
// business of package send.
package outbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"wf/api"
	"wf/executor/ownfile"
	"wf/notify"
)

// A Message is a message with what happened to it, as in its file.
type Message struct {
	notify.Message
	State    api.NotificationState `json:"state"`
	Since    time.Time             `json:"since"` // when it began to wait; its age counts from then
	Attempts int                   `json:"attempts"`
	Next     time.Time             `json:"next"`
	Ended    *time.Time            `json:"ended,omitempty"`
	Error    string                `json:"error,omitempty"` // of the latest attempt that failed
}

// Limits of a Box.
const (
	mostWaiting = 1000      // messages; further ones are dropped, and the log of the daemon says so
	mostEnded   = 300       // messages that are kept after their end, for wf notify log
	mostFile    = 256 << 10 // bytes of a file
	endedAge    = 30 * 24 * time.Hour
)

// Names in the folder.
const (
	endedDir = "ended"
	lockFile = "lock"
	suffix   = ".json"
)

// ErrFull means that too many messages wait.
var ErrFull = fmt.Errorf("%d notifications wait already", mostWaiting)

// ErrUnknown is the error about an id that means no message, or several.
var ErrUnknown = errors.New("no notification")

// A Box is the outbox of a machine. Its methods may be called on any goroutine.
type Box struct {
	dir     string
	send    Sender
	log     *slog.Logger
	holding func(bool)    // see Config.Holding
	poke    chan struct{} // capacity 1: the messages have changed

	mu      sync.Mutex // guards the fields below and the files of waiting messages
	waiting map[string]*item
	dropped int
	closed  bool
}

// An item is a message that waits. Its fields are guarded by Box.mu.
type item struct {
	Message
	sending bool
	removed bool // while it is being sent
}

// A Sender sends a message once. It returns what the destination answered, and ends soon after ctx.
type Sender func(ctx context.Context, m notify.Message) (answer string, err error)

// Config configures a Box. Dir, Send and Log are required.
type Config struct {
	Dir  string // absolute; created with the first message
	Send Sender
	Log  *slog.Logger
	// Holding, if not nil, is called with true for each message that waits from now on, and with false when it has ended. It
	// must not call the Box.
	Holding func(bool)
}

// Folder returns the folder of the outbox of a machine in a state folder. Machines may share the state folder; each delivers
// its own messages.
func Folder(state, machine string) string {
	safe := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '_'
	}, machine)
	return filepath.Join(state, "outbox", "machine-"+safe)
}

// New returns the outbox of a folder. Nothing is sent before Deliver.
func New(c Config) *Box {
	if c.Holding == nil {
		c.Holding = func(bool) {}
	}
	return &Box{dir: c.Dir, send: c.Send, log: c.Log, holding: c.Holding, poke: make(chan struct{}, 1), waiting: map[string]*item{}}
}

// Put stores a message durably. A message with a known ID, waiting or ended, is not stored again. It returns ErrFull, or why the
// message could not be written.
func (b *Box) Put(message notify.Message) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	m := Message{Message: message}
	if _, known := b.waiting[m.ID()]; known || b.exists(m.ID()) {
		return nil
	}
	if len(b.waiting) >= mostWaiting {
		b.dropped++
		return ErrFull
	}
	if err := os.MkdirAll(filepath.Join(b.dir, endedDir), 0o700); err != nil {
		return err
	}
	now := time.Now().UTC()
	m.State, m.Since, m.Next = api.NotificationWaiting, now, now
	if err := write(b.path(m.ID()), m, true); err != nil {
		return err
	}
	if !b.closed { // otherwise the next daemon delivers it
		b.add(m)
	}
	return nil
}

// add begins to deliver a message whose file exists. The caller holds mu.
func (b *Box) add(m Message) {
	b.waiting[m.ID()] = &item{Message: m}
	b.holding(true)
	b.wake()
}

func (b *Box) wake() {
	select {
	case b.poke <- struct{}{}:
	default:
	}
}

func (b *Box) path(id string) string { return filepath.Join(b.dir, id+suffix) }

func (b *Box) endedPath(id string) string { return filepath.Join(b.dir, endedDir, id+suffix) }

// exists reports whether a message with this ID has a file.
func (b *Box) exists(id string) bool {
	for _, path := range []string{b.path(id), b.endedPath(id)} {
		if _, err := os.Lstat(path); err == nil {
			return true
		}
	}
	return false
}

// write writes the file of a message. A durable one survives a power cut.
func write(path string, m Message, durable bool) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := ownfile.Replace(path, append(data, '\n'), durable); err != nil || !durable {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// read reads the file of a message.
func read(path string) (m Message, err error) {
	data, err := ownfile.Read(path, mostFile)
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err == nil && m.ID()+suffix != filepath.Base(path) {
		err = errors.New("it is the file of another notification")
	}
	return m, err
}

// load takes up the messages of an earlier daemon.
func (b *Box) load() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, path := range filesIn(b.dir) {
		id := strings.TrimSuffix(filepath.Base(path), suffix)
		if _, known := b.waiting[id]; known {
			continue
		}
		if _, err := os.Lstat(b.endedPath(id)); err == nil { // a crash kept it from being removed
			b.removeFile(id)
			continue
		}
		m, err := read(path)
		if err != nil {
			b.log.Error("a notification cannot be read", "file", path, "err", err)
			continue
		}
		b.add(m)
	}
}

func (b *Box) removeFile(id string) {
	if err := ownfile.Remove(b.path(id)); err != nil {
		b.log.Error("the file of a notification cannot be removed", "file", b.path(id), "err", err)
	}
}

// filesIn returns the files of messages in a folder, which may be missing.
func filesIn(dir string) (paths []string) {
	entries, _ := os.ReadDir(dir) // a folder that cannot be read has no messages to deliver
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), suffix) && e.Type().IsRegular() {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths
}

// end keeps a message that was sent or given up, and removes it from those that wait. The caller holds mu.
func (b *Box) end(it *item, state api.NotificationState) {
	m := it.Message
	ended := time.Now().UTC()
	if m.State, m.Ended = state, &ended; state == api.NotificationSent {
		m.Env = nil // it will not be sent again
	}
	if !it.removed {
		if err := write(b.endedPath(m.ID()), m, false); err != nil {
			b.log.Error("it cannot be noted that a notification has ended", "id", m.ID(), "err", err)
		}
	}
	b.removeFile(m.ID())
	delete(b.waiting, m.ID())
	b.tidy()
	b.holding(false)
}

// tidy removes the oldest ended messages beyond the limits.
func (b *Box) tidy() {
	paths := filesIn(filepath.Join(b.dir, endedDir))
	if len(paths) <= mostEnded {
		return
	}
	times := map[string]time.Time{}
	for _, path := range paths {
		if info, err := os.Lstat(path); err == nil {
			times[path] = info.ModTime()
		}
	}
	slices.SortFunc(paths, func(x, y string) int { return times[y].Compare(times[x]) })
	for i, path := range paths {
		if i >= mostEnded*9/10 || time.Since(times[path]) > endedAge { // not at each end
			_ = os.Remove(path) // the next end tries again
		}
	}
}

// Dropped returns how many messages did not fit since the Box was made.
func (b *Box) Dropped() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.dropped
}

// Waiting returns the number of messages that wait.
func (b *Box) Waiting() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.waiting)
}

// Retry makes messages due now, also those that were given up. It returns their names. ids are names or unique beginnings; none
// means all that were not sent. An id that means no message is ErrUnknown.
func (b *Box) Retry(ids []string) (changed []string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	list, err := choose(b.listed(), ids, func(m Message) bool { return m.State != api.NotificationSent })
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		changed = append(changed, m.ID())
		if it := b.waiting[m.ID()]; it != nil {
			it.Next = time.Time{}
			continue
		}
		m.State, m.Since, m.Attempts, m.Next, m.Ended = api.NotificationWaiting, time.Now().UTC(), 0, time.Time{}, nil
		if err := write(b.path(m.ID()), m, true); err != nil {
			return nil, err
		}
		if err := ownfile.Remove(b.endedPath(m.ID())); err != nil {
			return nil, err
		}
		b.add(m)
	}
	b.wake()
	return changed, nil
}

// Remove drops messages that wait, or forgets ended ones. It returns their names. ids are as for Retry.
func (b *Box) Remove(ids []string) (changed []string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	list, err := choose(b.listed(), ids, func(m Message) bool { return m.State != api.NotificationSent })
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		changed = append(changed, m.ID())
		if it := b.waiting[m.ID()]; it != nil {
			if it.removed = true; !it.sending {
				b.end(it, api.NotificationGivenUp)
			}
			continue
		}
		if err := ownfile.Remove(b.endedPath(m.ID())); err != nil {
			return nil, err
		}
	}
	b.wake()
	return changed, nil
}

// choose returns the messages that the ids mean.
func choose(all []Message, ids []string, usual func(Message) bool) (list []Message, err error) {
	for _, m := range all {
		if len(ids) == 0 && usual(m) {
			list = append(list, m)
		}
	}
	for _, id := range ids {
		found := slices.DeleteFunc(slices.Clone(all), func(m Message) bool { return id == "" || !strings.HasPrefix(m.ID(), id) })
		switch len(found) {
		case 1:
			list = append(list, found[0])
		case 0:
			return nil, fmt.Errorf("%w has an ID that begins with %q", ErrUnknown, id)
		default:
			return nil, fmt.Errorf("%w is the only one with an ID that begins with %q", ErrUnknown, id)
		}
	}
	return list, nil
}

// listed returns all messages. The caller holds mu.
func (b *Box) listed() []Message {
	list := Read(b.dir)
	for i, m := range list {
		if it := b.waiting[m.ID()]; it != nil { // newer than its file
			list[i] = it.Message
		}
	}
	return list
}

// List returns all messages that the folder contains, in the order in which they were made.
func (b *Box) List() []Message {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.listed()
}

// Read returns the messages in the folder of an outbox, in the order in which they were made. It needs no daemon.
func Read(dir string) []Message {
	found := map[string]Message{}
	for _, path := range append(filesIn(dir), filesIn(filepath.Join(dir, endedDir))...) {
		m, err := read(path)
		if errors.Is(err, fs.ErrNotExist) || err != nil {
			continue // it has ended meanwhile, or is damaged, which the daemon reports
		}
		found[m.ID()] = m
	}
	return slices.SortedFunc(maps.Values(found), func(x, y Message) int {
		if c := x.Notification.Time.Compare(y.Notification.Time); c != 0 {
			return c
		}
		return strings.Compare(x.ID(), y.ID())
	})
}

// Entry describes a message for clients.
func (m *Message) Entry() api.NotificationEntry {
	n := m.Notification
	e := api.NotificationEntry{ID: n.ID, To: m.To, State: m.State, Event: n.Event, Title: n.Title, Workfile: n.Workfile, Run: n.Run,
		Time: n.Time, Attempts: m.Attempts, Ended: m.Ended, Error: m.Error}
	if d, err := notify.ParseDestination(m.To); err == nil {
		e.To = d.Shown()
	}
	if m.State == api.NotificationWaiting {
		next := m.Next
		e.Next = &next
	}
	return e
}
