package proc

import (
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

var bootOnce = sync.OnceValue(func() string {
	boot, err := BootID()
	if err != nil {
		return ""
	}
	return boot
})

// UpTime returns how long the machine has been up, including the time it was asleep, and the id of this boot, or "" if
// the kernel does not report it. Setting the clock changes neither.
func UpTime() (boot string, up time.Duration) {
	return bootOnce(), uptimeOf(unix.CLOCK_BOOTTIME)
}
