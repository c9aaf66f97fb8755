package proc

import (
	"time"

	"golang.org/x/sys/unix"
)

// UpTime returns how long the machine has been up, including the time it was asleep. Setting the clock does not
// change it. boot is always "" here: macOS identifies a boot by a time that moves when the clock is set.
func UpTime() (boot string, up time.Duration) {
	return "", uptimeOf(unix.CLOCK_MONOTONIC)
}
