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

// birthFile is that file, in the folder of a run: a birthNote in the byte order of the machine.
const birthFile = "birth"

// A birthNote says which process an execution was given last.
type birthNote struct {
	id  uint64 // birthKey of the execution; 0 while the rest is being changed
	pid int32  // written by the kernel; 0 = there is none yet
	way int32
}

// How the fork that a note is about was done.
const (
	birthNoted int32 = 1 // by a clone that notes the pid
	birthPlain int32 = 2 // by one that does not
)

// birthNoteSize is the size of a birthNote in bytes.
const birthNoteSize = 16

func birthKey(id wire.ID) uint64 { return uint64(id.Node)<<32 | uint64(uint32(id.Execution)) }

// openBirthNote makes a new note in dir. It stays mapped as long as the process lives. Where it cannot be
// had, nil is returned: forks are not noted then.
func openBirthNote(dir string) *birthNote {
	path := filepath.Join(dir, birthFile)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	f, err := ownfile.Open(path, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil
	}
	defer f.Close()
	// Written, not truncated to its size: a hole that the disk has no room for would be a fatal fault later.
	if _, err := f.Write(make([]byte, birthNoteSize)); err != nil {
		return nil
	}
	page, err := unix.Mmap(int(f.Fd()), 0, birthNoteSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil
	}
	return (*birthNote)(unsafe.Pointer(&page[0]))
}

// begin says that the execution is about to be forked. Who reads the note after any of these steps finds
// either the execution with all that belongs to it, or none.
func (n *birthNote) begin(id wire.ID, way int32) {
	if n == nil {
		return
	}
	atomic.StoreUint64(&n.id, 0)
	atomic.StoreInt32(&n.pid, 0)
	atomic.StoreInt32(&n.way, way)
	atomic.StoreUint64(&n.id, birthKey(id))
}

// readBirthNote returns what the runner before has left in dir. ok is false if there is nothing.
func readBirthNote(dir string) (n birthNote, ok bool) {
	text, err := ownfile.Read(filepath.Join(dir, birthFile), birthNoteSize)
	if err != nil || len(text) != birthNoteSize {
		return n, false
	}
	n.id = binary.NativeEndian.Uint64(text)
	n.pid = int32(binary.NativeEndian.Uint32(text[8:]))
	n.way = int32(binary.NativeEndian.Uint32(text[12:]))
	return n, true
}

// bornAs finds the child of an execution whose fork entry says that the fork was to be noted. It reports
// false if the note does not know: then the child is to be searched for.
func (r *runner) bornAs(e *execution) (child proc.Process, found finding, known bool) {
	n, ok := readBirthNote(r.dir)
	switch {
	case !ok || n.id == birthKey(e.job.ID) && n.way != birthNoted:
		return proc.Process{}, unclear, false
	case n.id != birthKey(e.job.ID), n.pid == 0: // the runner has not come to fork it
		return proc.Process{}, notForked, true
	case n.pid <= 1:
		return proc.Process{}, unclear, false
	}
	child, found = r.awaitExec(int(n.pid), e)
	return child, found, true
}
