package runner

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"wf/executor/ownfile"
	"wf/executor/proc"
	"wf/executor/wire"
)

// Between fork and start entry a runner can die, and then nobody has written down which process the
// child is. Marker, window and parent tell a lot, but a process that another command has left in a session
// of its own looks just like it. So the kernel itself notes the child, before the child runs: clone3 with
// CLONE_PARENT_SETTID writes the pid into memory that is a page of a file, which outlives its writer.

// forkNoteFile is that file, in the folder of a run: a forkNote in the byte order of the machine.
const forkNoteFile = "birth"

// A forkNote says which process an execution was given last.
type forkNote struct {
	id  uint64 // forkNoteKey of the execution; 0 while the rest is being changed
	pid int32  // written by the kernel; 0 = there is none yet
	way int32
}

// How the fork that a note is about was done.
const (
	forkNoted int32 = 1 // by a clone that notes the pid
	forkPlain int32 = 2 // by one that does not
)

// forkNoteSize is the size of a forkNote in bytes.
const forkNoteSize = 16

func forkNoteKey(id wire.ID) uint64 { return uint64(id.Node)<<32 | uint64(uint32(id.Execution)) }

// openForkNote makes a new note in dir. It stays mapped as long as the process lives. Where it cannot be
// had, nil is returned: forks are not noted then.
func openForkNote(dir string) *forkNote {
	path := filepath.Join(dir, forkNoteFile)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	f, err := ownfile.Open(path, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil
	}
	defer f.Close()
	// Written, not truncated to its size: a hole that the disk has no room for would be a fatal fault later.
	if _, err := f.Write(make([]byte, forkNoteSize)); err != nil {
		return nil
	}
	page, err := unix.Mmap(int(f.Fd()), 0, forkNoteSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil
	}
	return (*forkNote)(unsafe.Pointer(&page[0]))
}

// begin says that the execution is about to be forked. Who reads the note after any of these steps finds
// either the execution with all that belongs to it, or none.
func (n *forkNote) begin(id wire.ID, way int32) {
	if n == nil {
		return
	}
	atomic.StoreUint64(&n.id, 0)
	atomic.StoreInt32(&n.pid, 0)
	atomic.StoreInt32(&n.way, way)
	atomic.StoreUint64(&n.id, forkNoteKey(id))
}

// readForkNote returns what the runner before has left in dir. ok is false if there is nothing.
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

// notedChild finds the child of an execution whose fork entry says that the fork was to be noted. It reports
// false if the note does not know: then the child is to be searched for.
func notedChild(dir string, e *execution) (child proc.Process, found finding, known bool) {
	n, ok := readForkNote(dir)
	switch {
	case !ok || n.id == forkNoteKey(e.job.ID) && n.way != forkNoted:
		return proc.Process{}, unclear, false
	case n.id != forkNoteKey(e.job.ID), n.pid == 0: // the runner has not come to fork it
		return proc.Process{}, notForked, true
	case n.pid <= 1:
		return proc.Process{}, unclear, false
	}
	child, found = awaitExec(int(n.pid), e)
	return child, found, true
}
