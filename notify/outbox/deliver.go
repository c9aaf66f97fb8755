package outbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"wf/api"
	"wf/executor/ownfile"
	"wf/notify"
)

// How messages are sent.
const (
	sendTime     = 30 * time.Second // of one attempt
	mostAtOnce   = 8                // destinations at once; each gets one message at a time
	firstPause   = 5 * time.Second  // after the first failure; then three times as long each time
	longestPause = 15 * time.Minute
	mostAge      = 24 * time.Hour // then a message is given up
	// A command and a desktop are on this machine: they do not come back like a server, and a command that fails may have done
	// a part of its work.
	mostLocal = 4               // attempts
	lockPause = 5 * time.Second // between attempts to lock the folder, while messages wait
)

// A Failure says what further attempts can do.
type Failure struct {
	Err   error
	Never bool          // no attempt can succeed before somebody changes something
	After time.Duration // the destination asks for this pause; 0 = it does not
}

func (f *Failure) Error() string { return f.Err.Error() }

func (f *Failure) Unwrap() error { return f.Err }

// mostAsked bounds the pause that a destination can ask for.
const mostAsked = time.Hour

// pause returns the time until the next attempt after a number of failed ones.
func pause(attempts int) time.Duration {
	d := firstPause
	for range attempts - 1 {
		if d *= 3; d >= longestPause {
			return longestPause
		}
	}
	return d
}

// judge returns when the next attempt begins after an attempt that failed. It returns false if there will be none.
func judge(m Message, err error, now time.Time) (next time.Time, again bool) {
	var f *Failure
	wait := pause(m.Attempts)
	if errors.As(err, &f) {
		if f.Never {
			return now, false
		}
		wait = max(wait, min(f.After, mostAsked))
	}
	to, _ := notify.ParseDestination(m.To) // one that cannot be read is Never
	local := to.Kind == notify.Exec || to.Kind == notify.Desktop
	next = now.Add(wait)
	return next, next.Sub(m.Since) < mostAge && (!local || m.Attempts < mostLocal)
}

// Deliver sends messages until ctx ends. It returns when no attempt is in progress any more. It calls begun once, when the
// messages of an earlier daemon are known. Only one process delivers the messages of a folder: another one waits for its lock.
func (b *Box) Deliver(ctx context.Context, begun func()) {
	var sending sync.WaitGroup
	defer sending.Wait()
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.closed = true
	}()
	var lock *os.File
	defer func() {
		if lock != nil {
			sending.Wait()
			lock.Close()
		}
	}()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		if lock == nil {
			if lock = b.lock(); lock != nil {
				b.load()
			}
		}
		if begun != nil {
			begun()
			begun = nil
		}
		timer.Stop()
		switch next, some := b.startDue(ctx, lock != nil, &sending); {
		case some && lock == nil:
			timer.Reset(lockPause)
		case some:
			timer.Reset(max(time.Until(next), 0))
		}
		select {
		case <-ctx.Done():
			return
		case <-b.poke:
		case <-timer.C:
		}
	}
}

// lock locks the folder. It returns nil if there is no folder, or if another process delivers its messages.
func (b *Box) lock() *os.File {
	if _, err := os.Lstat(b.dir); err != nil {
		return nil
	}
	f, err := ownfile.Open(filepath.Join(b.dir, lockFile), os.O_RDWR|os.O_CREATE)
	if err == nil {
		if err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err == nil {
			return f
		}
		f.Close()
	}
	if !errors.Is(err, unix.EWOULDBLOCK) {
		b.log.Error("the outbox cannot be locked: notifications wait", "folder", b.dir, "err", err)
	}
	return nil
}

// startDue starts to send the messages that are due, the oldest first. It returns when the next one is due that can be sent
// then; the end of an attempt wakes Deliver.
func (b *Box) startDue(ctx context.Context, locked bool, sending *sync.WaitGroup) (next time.Time, some bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	busy := map[string]bool{}
	for _, it := range b.waiting {
		if it.sending {
			busy[it.To] = true
		}
	}
	now := time.Now()
	for {
		var first *item
		for _, it := range b.waiting {
			if !it.sending && !busy[it.To] && (first == nil || it.before(first)) {
				first = it
			}
		}
		if first == nil {
			return time.Time{}, false
		}
		// A pause that is longer than every pause means that the clock was set back.
		if wait := first.Next.Sub(now); !locked || wait > 0 && wait <= mostAsked {
			return first.Next, true
		}
		if len(busy) >= mostAtOnce {
			return time.Time{}, false
		}
		first.sending, busy[first.To] = true, true
		m := first.Message
		sending.Go(func() { b.attempt(ctx, m) })
	}
}

// before orders messages by when they are due, and then by when they were made.
func (it *item) before(other *item) bool {
	if c := it.Next.Compare(other.Next); c != 0 {
		return c < 0
	}
	return it.Notification.Time.Before(other.Notification.Time)
}

// attempt sends a message once and notes what happened.
func (b *Box) attempt(ctx context.Context, m Message) {
	bounded, cancel := context.WithTimeout(ctx, sendTime)
	_, err := b.send(bounded, m.Message)
	if err != nil && bounded.Err() != nil && ctx.Err() == nil {
		err = errors.New("no answer within " + sendTime.String())
	}
	cancel()
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.wake()
	it := b.waiting[m.ID()]
	it.sending = false
	if err != nil && ctx.Err() != nil {
		return // the daemon ends; the next one tries again
	}
	it.Attempts++
	if err == nil {
		it.Error = ""
		b.end(it, api.NotificationSent)
		return
	}
	it.Error = short(err)
	now := time.Now()
	next, again := judge(it.Message, err, now)
	if !again || it.removed {
		b.log.Error("a notification is given up", "to", it.Entry().To, "id", it.ID(), "attempts", it.Attempts, "err", it.Error)
		b.end(it, api.NotificationGivenUp)
		return
	}
	if it.Attempts == 1 {
		b.log.Warn("a notification cannot be sent yet", "to", it.Entry().To, "id", it.ID(), "err", it.Error)
	}
	it.Next = next.UTC()
	if err := write(b.path(it.ID()), it.Message, false); err != nil {
		b.log.Error("the next attempt to send a notification cannot be noted", "id", it.ID(), "err", err)
	}
}

// short returns the text of an error, bounded.
func short(err error) string {
	const most = 500
	text := err.Error()
	if len(text) > most {
		text = text[:most] + "…"
	}
	return text
}
