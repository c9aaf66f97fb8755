package daemon

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// bootID returns the id of the current boot.
func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// startTime returns when a process started, in clock ticks since boot; 0 if there is no such process. It is field 22 of
// stat, counted from the end of the command's name, which may contain blanks and brackets.
func startTime(pid int) uint64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	const index = 22 - 3 // the first field after the name has number 3
	if len(fields) <= index {
		return 0
	}
	n, err := strconv.ParseUint(string(fields[index]), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
