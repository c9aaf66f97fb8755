//go:build linux

package clock

import "testing"

// TestOnJump checks that nothing is told while the clock is not set, and that stop returns. Only a machine whose clock may be
// set can test more.
func TestOnJump(t *testing.T) {
	jumped := make(chan struct{}, 1)
	stop, err := OnJump(func() { jumped <- struct{}{} })
	if err != nil {
		t.Fatal(err)
	}
	stop()
	if len(jumped) > 0 {
		t.Error("a change was told")
	}
}
