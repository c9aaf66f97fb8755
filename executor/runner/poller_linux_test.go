package runner

import (
	"testing"

	"golang.org/x/sys/unix"
)

// TestClosedDescriptorsAreNotReported checks that the poller does not report a closed descriptor of which a child still has a
// copy. A child has copies of all descriptors until its exec.
func TestClosedDescriptorsAreNotReported(t *testing.T) {
	p, err := newPoller()
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(p.fd)
	watched := map[string]func(fd int){
		"stream": func(fd int) {
			if err := p.add(fd); err != nil {
				t.Fatal(err)
			}
		},
		"process": func(fd int) { p.watch(child{handle: fd}) },
		"process beyond the polled ones": func(fd int) {
			full := p.watched
			p.watched = p.watched[:1:1]
			p.watch(child{handle: fd})
			p.watched = full
		},
	}
	for kind, watch := range watched {
		t.Run(kind, func(t *testing.T) {
			var pair [2]int
			if err := unix.Pipe2(pair[:], unix.O_CLOEXEC); err != nil {
				t.Fatal(err)
			}
			copied, err := unix.Dup(pair[0])
			if err != nil {
				t.Fatal(err)
			}
			defer unix.Close(copied)
			watch(pair[0])
			unix.Close(pair[1]) // now the other end is always ready
			if ready, died, err := p.wait(0); len(ready) == 0 && !died || err != nil {
				t.Fatalf("before close: ready %v, died %v, %v", ready, died, err)
			}
			p.forget(pair[0])
			if len(p.watched) > 1 {
				t.Errorf("after close: watched %v", p.watched)
			}
			if n, err := unix.EpollWait(p.fd, p.events[:], 0); n != 0 || err != nil {
				t.Errorf("after close: %d events of descriptor %d, %v", n, p.events[0].Fd, err)
			}
		})
	}
}
