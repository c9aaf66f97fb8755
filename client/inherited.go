package client

import (
	"os"
	"strconv"
	"syscall"
)

// keepInherited keeps the descriptors that our parent gave us out of the programs that we start: a
// daemon lives on, and whoever waits for the end of such a pipe or terminal would wait for it. What
// this process opened by itself is marked like that already.
func keepInherited() {
	for _, dir := range []string{"/dev/fd", "/proc/self/fd"} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, entry := range entries {
			if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
				syscall.CloseOnExec(fd)
			}
		}
		return
	}
}
