package remote

import "testing"

// TestInterruptsLeave checks that the last of several Ctrl-C without an answer leaves the command, and that an answer before
// it begins the count anew.
func TestInterruptsLeave(t *testing.T) {
	c := &command{left: make(chan struct{})}
	has := func() bool {
		select {
		case <-c.left:
			return true
		default:
			return false
		}
	}
	for range 2 {
		for range leaveAfter - 1 {
			c.interrupted()
		}
		if has() {
			t.Fatalf("%d interrupts leave", leaveAfter-1)
		}
		c.answered()
	}
	for range leaveAfter + 1 {
		c.interrupted()
	}
	if !has() {
		t.Fatalf("%d interrupts do not leave", leaveAfter)
	}
	c.answered()
	if c.interrupted(); !has() {
		t.Error("an answer takes the user back")
	}
}
