package daemon

import (
	"runtime"
	"runtime/debug"
)

// untouched is counted as used memory by the garbage collector, but has no pages of its own.
var untouched []byte

// CollectRarely makes the garbage collector of this process run less often; it is called before Run. Large workfiles get half of
// the usual head room, since most of their memory is text and indexes. But a heap of 10 MB grows by half every tenth of a
// second, so it grows by at least half of untouched between two collections.
func CollectRarely() {
	debug.SetGCPercent(50)
	untouched = make([]byte, 32<<20)
}

// memoryKept is how much memory, in bytes, the daemon keeps for the next workspace.
const memoryKept = 8 << 20

// returnMemory returns the memory of a large closed workspace to the machine. The next one then starts with an
// unfragmented heap, so the peak does not grow from run to run.
func returnMemory() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapSys-m.HeapReleased > memoryKept+uint64(len(untouched)) {
		debug.FreeOSMemory()
	}
}
