package executor

import (
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

var bootOnce = sync.OnceValue(func() string {
	boot, err := bootID()
	if err != nil {
		return ""
	}
	return boot
})

// UpTime is how long the machine has been up, its sleep included, and a name of this boot, "" where there is
// none: a clock that nobody can set.
func UpTime() (boot string, up time.Duration) {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &now); err != nil {
		return "", time.Since(processBegan)
	}
	return bootOnce(), time.Duration(now.Nano())
}

var processBegan = time.Now()
