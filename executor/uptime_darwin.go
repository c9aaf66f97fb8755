package executor

import (
	"time"

	"golang.org/x/sys/unix"
)

// UpTime is how long the machine has been up, its sleep included: a clock that nobody can set. What names a boot
// of this system moves with the clock that can be set, so there is no name.
func UpTime() (boot string, up time.Duration) {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return "", time.Since(processBegan)
	}
	return "", time.Duration(now.Nano())
}

var processBegan = time.Now()
