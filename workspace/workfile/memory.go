package workfile

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"wf/graphml"
)

// Limits for the memory to read a workfile, unless the setting allows more: a fixed amount for small files, a multiple of
// the size for large ones, and at most a share of the machine's memory.
const (
	fileFrom  = 256 << 20
	fileTimes = 12
	fileShare = 4
)

// fileMemory is the setting in bytes; 0 means none. It is set once, when the process starts.
var fileMemory atomic.Int64

// LimitMemory bounds the memory for reading a workfile, in bytes. 0 means a few times the size of the file.
func LimitMemory(bytes int64) { fileMemory.Store(bytes) }

// limits returns the limits for parsing files of any origin.
func limits() graphml.Limits {
	if said := fileMemory.Load(); said > 0 {
		return graphml.Limits{MaxMemory: said}
	}
	return graphml.Limits{MaxMemory: machineMemory() / fileShare, MemoryPerByte: fileTimes, MemoryPerByteFrom: fileFrom}
}

// memoryFix returns the advice for a file that is too large for the memory.
func memoryFix(e *graphml.MemoryError) string {
	return fmt.Sprintf("if it is meant to be so, allow more: WF_FILE_MEMORY=%d (MB), or file-memory in config.toml, then wf server restart",
		max(1000, 4*e.Allowed>>20))
}

// machineMemory returns the memory of this container or machine, in bytes, or 0 if it is not known.
func machineMemory() int64 {
	var all int64
	if info, err := physicalMemory(); err == nil {
		all = info
	}
	for _, path := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 && (all == 0 || n < all) {
			all = n
		}
	}
	return all
}
