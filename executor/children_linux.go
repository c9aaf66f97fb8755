package executor

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// A childList reads the children of this process. Orphans are given to the main thread, so its
// list holds all of them beside the children it forked itself.
type childList struct{ file *os.File }

// openChildList fails on kernels without CONFIG_PROC_CHILDREN; a nil list then knows nothing.
func openChildList() *childList {
	file, err := os.Open(fmt.Sprintf("/proc/self/task/%d/children", os.Getpid()))
	if err != nil {
		return nil
	}
	return &childList{file: file}
}

// any reports whether there is a child that known does not know. Where it cannot tell it says so.
func (l *childList) any(known func(pid int) bool) bool {
	if l == nil {
		return true
	}
	var buf [4096]byte
	n, err := l.file.ReadAt(buf[:], 0)
	if n == len(buf) || (n == 0 && err == nil) {
		return true
	}
	for _, field := range bytes.Fields(buf[:n]) {
		pid, err := strconv.Atoi(string(field))
		if err != nil || !known(pid) {
			return true
		}
	}
	return false
}
