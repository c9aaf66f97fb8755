package clock

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// OnJump calls f soon after the wall clock was set, or the machine woke up, until stop is called; it may also call it for no
// reason. When stop returns, f is not running. The error is that of a kernel that does not tell of such changes.
//
// It reads a timer of the wall clock that the kernel cancels at such a change: see timerfd_create(2), TFD_TIMER_CANCEL_ON_SET.
func OnJump(f func()) (stop func(), err error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_REALTIME, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("timerfd_create", err)
	}
	file := os.NewFile(uintptr(fd), "timerfd")
	far := unix.ItimerSpec{Value: unix.Timespec{Sec: math.MaxInt32}} // when it comes, f is called once for no reason
	if err := unix.TimerfdSettime(fd, unix.TFD_TIMER_ABSTIME|unix.TFD_TIMER_CANCEL_ON_SET, &far, nil); err != nil {
		file.Close()
		return nil, os.NewSyscallError("timerfd_settime", err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for expirations := make([]byte, 8); ; {
			if _, err := file.Read(expirations); err != nil && !errors.Is(err, unix.ECANCELED) {
				return
			}
			f()
		}
	}()
	return func() {
		file.Close()
		<-ended
	}, nil
}
