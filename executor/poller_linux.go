package executor

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// A poller is where the runner's loop sleeps: on one thread, since each hand-over between threads
// costs as much as everything else the runner does for an execution.
type poller struct {
	fd     int
	events [64]unix.EpollEvent
	ready  []int
	blind  bool // the kernel (before 5.3) does not tell of deaths through descriptors
}

// What a descriptor stands for, kept in the spare field of its events.
const (
	watchedStream  = 0
	watchedProcess = 1
)

// blindInterval is how often a poller wakes that would not be told of deaths.
const blindInterval = 10 * time.Millisecond

func newPoller() (*poller, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("poller: %w", err)
	}
	return &poller{fd: fd}, nil
}

// add makes the poller wake when fd can be read. Closing fd removes it.
func (p *poller) add(fd int) error {
	event := unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd), Pad: watchedStream}
	return unix.EpollCtl(p.fd, unix.EPOLL_CTL_ADD, fd, &event)
}

// alsoWritable makes the poller wake, or not any more, when fd can be written as well.
func (p *poller) alsoWritable(fd int, want bool) error {
	event := unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd), Pad: watchedStream}
	if want {
		event.Events |= unix.EPOLLOUT
	}
	return unix.EpollCtl(p.fd, unix.EPOLL_CTL_MOD, fd, &event)
}

// remove makes the poller deaf for fd.
func (p *poller) remove(fd int) error {
	return unix.EpollCtl(p.fd, unix.EPOLL_CTL_DEL, fd, nil)
}

// watch makes the poller wake when the child has ended. It owns handle, see forkAttributes.
func (p *poller) watch(_, handle int) {
	if handle < 0 {
		p.blind = true
		return
	}
	event := unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(handle), Pad: watchedProcess}
	if err := unix.EpollCtl(p.fd, unix.EPOLL_CTL_ADD, handle, &event); err != nil {
		unix.Close(handle)
		p.blind = true
	}
}

// wait sleeps until something has happened, but not longer than patience. It returns the
// descriptors to look at, valid until the next call, and whether a child may have ended.
func (p *poller) wait(patience time.Duration) (ready []int, died bool, err error) {
	if p.blind {
		patience = min(patience, blindInterval)
	}
	milliseconds := int((patience + time.Millisecond - 1) / time.Millisecond)
	n, err := unix.EpollWait(p.fd, p.events[:], milliseconds)
	if errors.Is(err, unix.EINTR) {
		return nil, true, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("poller: %w", err)
	}
	p.ready = p.ready[:0]
	for _, event := range p.events[:n] {
		if event.Pad == watchedProcess {
			unix.Close(int(event.Fd)) // has told all it knows
			died = true
			continue
		}
		p.ready = append(p.ready, int(event.Fd))
	}
	return p.ready, died || n == 0, nil
}
