package proc

import (
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// While goroutines run, a thread of the Go runtime wakes up every 20 µs to see whether one of them blocks a processor. The
// daemon works in many short bursts, so more than half of its context switches were those. The kernel may delay the timers
// of a thread by its timer slack. A thread inherits it from the one that creates it, and a program from the process that
// executes it, so only the process that starts the daemon can set it for all threads. What the daemon executes gets the
// slack back that this process had.

// daemonSlack is the timer slack of a daemon. Its own timers are about milliseconds.
const daemonSlack = 500 * time.Microsecond

// slackVariable is the variable in the environment of a daemon with the timer slack of the process that has started it, in
// nanoseconds.
const slackVariable = "WF_TIMER_SLACK"

// WithDaemonSlack calls start, which executes a daemon with the variables own in its environment; own is empty if the kernel
// does not allow to set the slack. start must execute the daemon on its own goroutine.
func WithDaemonSlack(start func(own []string) error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	slack, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
	if err != nil || setSlack(int(daemonSlack)) != nil {
		return start(nil)
	}
	defer setSlack(slack)
	return start([]string{slackVariable + "=" + strconv.Itoa(slack)})
}

// TakeDaemonSlack executes this program again, in the same process, if it was not started by WithDaemonSlack: a daemon that
// a service manager or a user has started. It returns if that is not necessary, or not possible.
func TakeDaemonSlack() {
	if os.Getenv(slackVariable) != "" {
		return
	}
	program, err := os.Executable()
	if err != nil {
		return
	}
	_ = WithDaemonSlack(func(own []string) error {
		if own == nil {
			return nil
		}
		return syscall.Exec(program, os.Args, append(os.Environ(), own...))
	})
}

// WithCallersSlack calls start, which executes a program on its own goroutine. If this process is a daemon with daemonSlack,
// the program gets the timer slack of the process that has started the daemon.
func WithCallersSlack(start func() error) error {
	slack, err := strconv.Atoi(os.Getenv(slackVariable))
	if err != nil {
		return start()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if setSlack(slack) == nil {
		defer setSlack(int(daemonSlack))
	}
	return start()
}

// setSlack sets the timer slack of this thread, in nanoseconds.
func setSlack(ns int) error { return unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(ns), 0, 0, 0) }
