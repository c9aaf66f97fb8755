package daemon

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// bootID is the id of this boot of the machine.
func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// startTime is when a process began, in clock ticks since boot; 0 when there is none. It is
// field 22 of stat, counted behind the command's name, which may hold blanks and brackets.
func startTime(pid int) uint64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	const index = 22 - 3 // the first field behind the name is number 3
	if len(fields) <= index {
		return 0
	}
	n, err := strconv.ParseUint(string(fields[index]), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
