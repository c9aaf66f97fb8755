package runner

import (
	"errors"
	"fmt"
	"slices"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A poller waits for events of the runner's loop. It does so on one thread, because a switch between threads costs as
// much as the rest of the runner's work for an execution.
//
// The handles of up to polledChildren children are passed to each wait: to add one to the epoll set and to remove it again
// costs more than that. Further children, and all other descriptors, are in the epoll set.
type poller struct {
	fd      int           // the epoll set
	watched []unix.PollFd // the epoll set, then the handles of children
	events  [64]unix.EpollEvent
	ready   []int
	blind   bool // the kernel (before 5.3) has no pidfds, so deaths do not wake the poller
}

// polledChildren is how many children are watched without the epoll set.
const polledChildren = 32

// The kind of a descriptor, kept in the spare field of its events.
const (
	watchedStream  = 0
	watchedProcess = 1
)

// blindInterval is how often a blind poller wakes up.
const blindInterval = 10 * time.Millisecond

func newPoller() (*poller, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("poller: %w", err)
	}
	watched := make([]unix.PollFd, 1, 1+polledChildren)
	watched[0] = unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}
	return &poller{fd: fd, watched: watched}, nil
}

// add makes the poller wake when fd can be read. Close fd with close.
func (p *poller) add(fd int) error {
	event := unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd), Pad: watchedStream}
	return unix.EpollCtl(p.fd, unix.EPOLL_CTL_ADD, fd, &event)
}

// alsoWritable sets whether the poller wakes also when fd can be written.
func (p *poller) alsoWritable(fd int, want bool) error {
	event := unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd), Pad: watchedStream}
	if want {
		event.Events |= unix.EPOLLOUT
	}
	return unix.EpollCtl(p.fd, unix.EPOLL_CTL_MOD, fd, &event)
}

// remove removes fd.
func (p *poller) remove(fd int) error {
	return unix.EpollCtl(p.fd, unix.EPOLL_CTL_DEL, fd, nil)
}

// close removes fd and closes it. Closing alone is not enough while a child that has just been forked still has a copy of
// fd: until its exec closes that copy, the kernel would report fd again and again, and the loop would take the processor
// from the child.
func (p *poller) close(fd int) {
	_ = p.remove(fd) // fails only if fd was not added
	unix.Close(fd)
}

// watch makes the poller wake when the child has ended.
func (p *poller) watch(c child) {
	if c.handle >= 0 && len(p.watched) < cap(p.watched) {
		p.watched = append(p.watched, unix.PollFd{Fd: int32(c.handle), Events: unix.POLLIN})
		return
	}
	event := unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(c.handle), Pad: watchedProcess}
	if c.handle < 0 || unix.EpollCtl(p.fd, unix.EPOLL_CTL_ADD, c.handle, &event) != nil {
		p.blind = true
	}
}

// forget removes and closes the handle of a child.
func (p *poller) forget(handle int) {
	if handle < 0 {
		return
	}
	for i := 1; i < len(p.watched); i++ {
		if int(p.watched[i].Fd) == handle {
			p.watched = slices.Delete(p.watched, i, i+1)
			unix.Close(handle)
			return
		}
	}
	p.close(handle)
}

// briefWait is how long a wait is hidden from Go's scheduler. The scheduler would give the processor of this goroutine
// away, check every 20 µs whether to return it, and wake threads for both. For a command that takes no longer than this,
// that is more work than all the rest that a runner does.
const briefWait = 2 * time.Millisecond

// waitBriefly waits without telling the Go scheduler that the thread is in a system call.
func (p *poller) waitBriefly(limit time.Duration) (int, error) {
	timeout := unix.NsecToTimespec(int64(limit))
	n, _, errno := unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&p.watched[0])), uintptr(len(p.watched)),
		uintptr(unsafe.Pointer(&timeout)), 0, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// wait sleeps until something has happened, but not longer than limit. It returns the
// descriptors to look at, valid until the next call, and whether a child may have ended.
func (p *poller) wait(limit time.Duration) (ready []int, died bool, err error) {
	if p.blind {
		limit = min(limit, blindInterval)
	}
	n, err := p.waitBriefly(min(limit, briefWait))
	if n == 0 && err == nil && limit > briefWait {
		timeout := unix.NsecToTimespec(int64(limit - briefWait))
		n, err = unix.Ppoll(p.watched, &timeout, nil)
	}
	switch {
	case errors.Is(err, unix.EINTR):
		return nil, true, nil
	case err != nil:
		return nil, false, fmt.Errorf("poller: %w", err)
	case n == 0 || p.watched[0].Revents == 0:
		return nil, true, nil
	}
	died = n > 1
	if n, err = unix.EpollWait(p.fd, p.events[:], 0); err != nil && !errors.Is(err, unix.EINTR) {
		return nil, false, fmt.Errorf("poller: %w", err)
	}
	p.ready = p.ready[:0]
	for _, event := range p.events[:max(0, n)] {
		if event.Pad == watchedProcess {
			died = true
			continue
		}
		p.ready = append(p.ready, int(event.Fd))
	}
	return p.ready, died, nil
}
