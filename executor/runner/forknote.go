package runner

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"wf/executor/ownfile"
	"wf/executor/proc"
	"wf/executor/wire"
)

// A runner can die between a fork and its start entry. Then its log does not contain the pid of the child. Marker, start
// time and parent nearly identify the child, but another command may have left a process that looks the same. So the
// kernel itself writes the pid into a file before the child runs: clone3 with CLONE_PARENT_SETTID stores it in a mapped
// page of the file, which outlives the runner.

// forkNoteFile is the name of that file in the folder of a run. It contains a forkNote in native byte order.
const forkNoteFile = "birth"

// A forkNote is about the latest fork of the runner.
type forkNote struct {
	id  uint64 // forkNoteKey of the execution; 0 while the other fields change
	pid int32  // written by the kernel; 0 = not forked yet
	way int32  // forkNoted or forkPlain
}

// How the child was forked.
const (
	forkNoted int32 = 1 // by clone3, which writes the pid
	forkPlain int32 = 2 // by a system call that does not
)

// forkNoteSize is the size of a forkNote in bytes.
const forkNoteSize = 16

func forkNoteKey(id wire.ID) uint64 { return uint64(id.Node)<<32 | uint64(uint32(id.Execution)) }

// openForkNote creates the note in dir and maps it for as long as the process lives. It returns nil on an error; then
// forks are not noted.
func openForkNote(dir string) *forkNote {
	path := filepath.Join(dir, forkNoteFile)
	if ownfile.Remove(path) != nil {
		return nil
	}
	f, err := ownfile.Open(path, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil
	}
	defer f.Close()
	// Write zeros instead of truncating: touching a hole when the disk is full would kill the process.
	if _, err := f.Write(make([]byte, forkNoteSize)); err != nil {
		return nil
	}
	page, err := unix.Mmap(int(f.Fd()), 0, forkNoteSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil
	}
	return (*forkNote)(unsafe.Pointer(&page[0]))
}

// begin notes that the execution is about to be forked. A reader finds, after each of these steps, either no execution
// or one with the fields that belong to it.
func (n *forkNote) begin(id wire.ID, way int32) {
	if n == nil {
		return
	}
	atomic.StoreUint64(&n.id, 0)
	atomic.StoreInt32(&n.pid, 0)
	atomic.StoreInt32(&n.way, way)
	atomic.StoreUint64(&n.id, forkNoteKey(id))
}

// readForkNote returns the note that the earlier runner left in dir. ok is false if there is none.
func readForkNote(dir string) (n forkNote, ok bool) {
	text, err := ownfile.Read(filepath.Join(dir, forkNoteFile), forkNoteSize)
	if err != nil || len(text) != forkNoteSize {
		return n, false
	}
	n.id = binary.NativeEndian.Uint64(text)
	n.pid = int32(binary.NativeEndian.Uint32(text[8:]))
	n.way = int32(binary.NativeEndian.Uint32(text[12:]))
	return n, true
}

// notedChild finds the child of an execution whose fork entry says that the fork was to be noted. known is false if the
// note does not tell; then the caller must search for the child.
func notedChild(dir string, e *execution) (child proc.Process, found finding, known bool) {
	n, ok := readForkNote(dir)
	switch {
	case !ok || n.id == forkNoteKey(e.job.ID) && n.way != forkNoted:
		return proc.Process{}, unclear, false
	case n.id != forkNoteKey(e.job.ID), n.pid == 0: // the runner died before the fork
		return proc.Process{}, notForked, true
	case n.pid <= 1:
		return proc.Process{}, unclear, false
	}
	child, found = awaitExec(int(n.pid), e)
	return child, found, true
}
