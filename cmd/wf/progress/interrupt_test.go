package progress

import (
	"os"
	"testing"
	"time"

	"wf/cmd/wf/exit"
)

// TestInterrupts checks that the first and the second signal send a request to the daemon, the third ends the command, and
// a hangup ends it at once. The first signal determines the exit status.
func TestInterrupts(t *testing.T) {
	for _, c := range []struct {
		name   string
		sent   []os.Signal
		leave  bool
		status int
	}{
		{"once", []os.Signal{sigInterrupt}, false, 130},
		{"twice", []os.Signal{sigInterrupt, sigInterrupt}, false, 130},
		{"three times", []os.Signal{sigInterrupt, sigInterrupt, sigInterrupt}, true, 130},
		{"TERM first", []os.Signal{sigTerminate, sigInterrupt}, false, 143},
		{"TERM last", []os.Signal{sigInterrupt, sigInterrupt, sigTerminate}, true, 130},
	} {
		var i interrupts
		for _, sig := range c.sent {
			i.count(sig)
		}
		if i.mustLeave() != c.leave || signalStatus(i.stoppedBy) != c.status {
			t.Errorf("%s: leave %v, status %d", c.name, i.mustLeave(), signalStatus(i.stoppedBy))
		}
	}
	var gone interrupts
	if gone.count(sigHangup); !gone.mustLeave() || gone.stoppedBy != nil {
		t.Errorf("hangup: %+v", gone)
	}
}

// TestThirdInterrupt checks that after a third Ctrl-C the message says that the stop continues, and how to see its end.
func TestThirdInterrupt(t *testing.T) {
	v, _, stderr := testView(Options{})
	f := &Follower{e: v.e, target: v.target, view: v, Run: "7", StopsRun: true}
	for range 3 {
		f.count(sigInterrupt)
	}
	if status := exit.Status(f.left()); status != exit.Interrupted {
		t.Errorf("status %d", status)
	}
	if want := "left run 7 (0/0) while it is being stopped.   its end: wf runs show 7\n"; stderr.String() != want {
		t.Errorf("it prints %q, want %q", stderr, want)
	}
}

func TestSeconds(t *testing.T) {
	for d, want := range map[time.Duration]string{10 * time.Second: "10 s", 1500 * time.Millisecond: "1.5 s", 0: "0 s"} {
		if got := seconds(d); got != want {
			t.Errorf("seconds(%v) = %q", d, got)
		}
	}
}
