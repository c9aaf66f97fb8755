package runner

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

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

// watch makes the poller wake when the child has ended, until it is forgotten.
func (p *poller) watch(c child) {
	event := unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(c.handle), Pad: watchedProcess}
	if c.handle < 0 || unix.EpollCtl(p.fd, unix.EPOLL_CTL_ADD, c.handle, &event) != nil {
		p.blind = true
	}
}

// forget gives the handle of a child back.
func (p *poller) forget(handle int) {
	if handle >= 0 {
		unix.Close(handle)
	}
}

// briefWait is how long a wait hides from Go's scheduler, which would give the processor of this
// goroutine away, look every 20 µs whether it wants it back, and wake threads for both: more work
// than all that a runner does for a command that takes no longer than this.
const briefWait = 2 * time.Millisecond

// waitBriefly waits in a way that keeps the scheduler from noticing.
func (p *poller) waitBriefly(patience time.Duration) (int, error) {
	n, _, errno := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(p.fd), uintptr(unsafe.Pointer(&p.events[0])),
		uintptr(len(p.events)), uintptr(milliseconds(patience)), 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// milliseconds rounds up, so that nobody wakes before it is time.
func milliseconds(d time.Duration) int { return int((d + time.Millisecond - 1) / time.Millisecond) }

// wait sleeps until something has happened, but not longer than patience. It returns the
// descriptors to look at, valid until the next call, and whether a child may have ended.
func (p *poller) wait(patience time.Duration) (ready []int, died bool, err error) {
	if p.blind {
		patience = min(patience, blindInterval)
	}
	n, err := p.waitBriefly(min(patience, briefWait))
	if n == 0 && err == nil && patience > briefWait {
		n, err = unix.EpollWait(p.fd, p.events[:], milliseconds(patience-briefWait))
	}
	if errors.Is(err, unix.EINTR) {
		return nil, true, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("poller: %w", err)
	}
	p.ready = p.ready[:0]
	for _, event := range p.events[:n] {
		if event.Pad == watchedProcess {
			died = true
			continue
		}
		p.ready = append(p.ready, int(event.Fd))
	}
	return p.ready, died || n == 0, nil
}
