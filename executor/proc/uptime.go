package proc

import (
	"time"

	"golang.org/x/sys/unix"
)

// processStarted is used where the system has no clock of its uptime.
var processStarted = time.Now()

// uptimeOf reads a clock that starts at the boot.
func uptimeOf(clock int32) time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(clock, &now); err != nil {
		return time.Since(processStarted)
	}
	return time.Duration(now.Nano())
}
