package runner

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// A poller waits for events of the runner's loop. It does so on one thread, because a switch between threads costs as
// much as the rest of the runner's work for an execution.
type poller struct {
	fd     int
	events [64]unix.Kevent_t
	ready  []int
	ended  bool // a child had ended before it could be watched
}

func newPoller() (*poller, error) {
	fd, err := unix.Kqueue()
	if err != nil {
		return nil, fmt.Errorf("poller: %w", err)
	}
	unix.CloseOnExec(fd)
	return &poller{fd: fd}, nil
}

// change adds or removes a filter of a descriptor or process.
func (p *poller) change(id, filter, flags int, fflags uint32) error {
	var change unix.Kevent_t
	unix.SetKevent(&change, id, filter, flags)
	change.Fflags = fflags
	_, err := unix.Kevent(p.fd, []unix.Kevent_t{change}, nil, nil)
	return err
}

// add makes the poller wake when fd can be read. Close fd with close.
func (p *poller) add(fd int) error {
	return p.change(fd, unix.EVFILT_READ, unix.EV_ADD, 0)
}

// alsoWritable sets whether the poller wakes also when fd can be written.
func (p *poller) alsoWritable(fd int, want bool) error {
	if want {
		return p.change(fd, unix.EVFILT_WRITE, unix.EV_ADD, 0)
	}
	return p.change(fd, unix.EVFILT_WRITE, unix.EV_DELETE, 0)
}

// remove removes fd.
func (p *poller) remove(fd int) error {
	return p.change(fd, unix.EVFILT_READ, unix.EV_DELETE, 0)
}

// close closes fd, which also removes it.
func (p *poller) close(fd int) { unix.Close(fd) }

// watch makes the poller wake when the child has ended.
func (p *poller) watch(c child) {
	if err := p.change(c.pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT, unix.NOTE_EXIT); err != nil {
		p.ended = true
	}
}

// forget does nothing: there are no handles of children.
func (p *poller) forget(int) {}

// wait sleeps until something has happened, but not longer than limit. It returns the
// descriptors to look at, valid until the next call, and whether a child may have ended.
func (p *poller) wait(limit time.Duration) (ready []int, died bool, err error) {
	if p.ended {
		p.ended, limit = false, 0
	}
	timeout := unix.NsecToTimespec(int64(limit))
	n, err := unix.Kevent(p.fd, nil, p.events[:], &timeout)
	if errors.Is(err, unix.EINTR) {
		return nil, true, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("poller: %w", err)
	}
	p.ready = p.ready[:0]
	for i := range p.events[:n] {
		if p.events[i].Filter == unix.EVFILT_PROC {
			died = true
			continue
		}
		p.ready = append(p.ready, int(p.events[i].Ident))
	}
	return p.ready, died || n == 0, nil
}
