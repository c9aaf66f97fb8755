package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
)

// A size is the size of a terminal, in cells.
type size struct{ width, height int }

// String returns the size as users write it.
func (s size) String() string { return fmt.Sprintf("%dx%d", s.width, s.height) }

// patience is the limit of every wait for an output.
const patience = 30 * time.Second

// kept is the size of the searched output: more than a full screen.
const kept = 256 << 10

// A terminal runs wf. It reads the output at once, and stores the latest part.
type terminal struct {
	tty   *os.File
	cmd   *exec.Cmd
	begun time.Time
	done  chan struct{} // closed when wf has ended and its output was read

	mu      sync.Mutex // guards the fields below
	seen    []byte     // the latest
	dropped int        // bytes before seen
	at      []arrival
	changed chan struct{} // closed and replaced with each arrival
}

// An arrival is the time when the bytes up to an offset arrived.
type arrival struct {
	upTo int
	when time.Time
}

// open starts wf on a terminal.
func (b *bench) open(s size, env []string, args ...string) (*terminal, error) {
	t := &terminal{cmd: exec.Command(b.program, args...), done: make(chan struct{}), changed: make(chan struct{})}
	t.cmd.Env, t.cmd.Dir = env, filepath.Dir(b.dir)
	t.begun = time.Now()
	var err error
	t.tty, err = pty.StartWithSize(t.cmd, &pty.Winsize{Cols: uint16(s.width), Rows: uint16(s.height)})
	if err != nil {
		return nil, err
	}
	go func() {
		defer close(t.done)
		_, _ = io.Copy(t, t.tty) // ends with EIO when wf has ended
		_ = t.cmd.Wait()
	}()
	return t, nil
}

// Write stores the output of wf.
func (t *terminal) Write(p []byte) (int, error) {
	now := time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seen = append(t.seen, p...)
	t.at = append(t.at, arrival{t.dropped + len(t.seen), now})
	if over := len(t.seen) - kept; over > kept {
		t.seen = append(t.seen[:0], t.seen[over:]...)
		t.dropped += over
		for len(t.at) > 0 && t.at[0].upTo <= t.dropped {
			t.at = t.at[1:]
		}
	}
	close(t.changed)
	t.changed = make(chan struct{})
	return len(p), nil
}

// written returns the number of bytes that wf has written.
func (t *terminal) written() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.dropped + len(t.seen)
}

// await waits until a text is written after an offset, and returns when it arrived and the match.
func (t *terminal) await(ctx context.Context, from int, what *regexp.Regexp) (time.Time, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		t.mu.Lock()
		at := what.FindIndex(t.seen[max(0, from-t.dropped):])
		if at != nil {
			start := max(0, from-t.dropped)
			found := bytes.Clone(t.seen[start+at[0] : start+at[1]])
			end := t.dropped + start + at[1]
			when := time.Now()
			for _, a := range t.at {
				if a.upTo >= end {
					when = a.when
					break
				}
			}
			t.mu.Unlock()
			return when, found, nil
		}
		changed := t.changed
		t.mu.Unlock()
		select {
		case <-changed:
		case <-t.done:
			return time.Time{}, nil, errors.New("wf has ended")
		case <-ctx.Done():
			return time.Time{}, nil, fmt.Errorf("wait for %q: %w", what, ctx.Err())
		}
	}
}

// press presses keys and returns the offset after which they can have an effect.
func (t *terminal) press(keys string) (from int, when time.Time, err error) {
	from, when = t.written(), time.Now()
	_, err = io.WriteString(t.tty, keys)
	return from, when, err
}

// heading is the part of the header that names the view.
var heading = regexp.MustCompile(`(graph|list) +\d+ nodes`)

// turnTo changes to a view. The screen is redrawn each time, so that the header is written.
func (t *terminal) turnTo(ctx context.Context, view string) error {
	const redraw, next = "\x0c", "v"
	for keys := redraw; ; keys = next + redraw {
		from, _, err := t.press(keys)
		if err != nil {
			return err
		}
		_, found, err := t.await(ctx, from, heading)
		if err != nil {
			return err
		}
		if bytes.HasPrefix(found, []byte(view)) {
			return nil
		}
	}
}

// close quits wf and waits for its end.
func (t *terminal) close() {
	_, _, _ = t.press("q")
	select {
	case <-t.done:
	case <-time.After(patience):
		_ = t.cmd.Process.Signal(syscall.SIGKILL) // a child that was not waited for yet
		<-t.done
	}
	t.tty.Close()
}

// rest waits for a duration.
func rest(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
