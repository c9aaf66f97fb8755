package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"wf/executor/ownfile"
)

// fenceFile is locked by the process that writes journals in the folder of a workspace. It is never
// removed: a lock on a removed file would not be visible to other processes.
const fenceFile = "fence"

// A Fence is an exclusive lock for writing the history of a workspace. At most one process, on this
// machine or another one that shares the folder, has it. The lock ends with the process.
type Fence struct {
	path string
	file *os.File // kept reachable: garbage collection would close it and release the lock
}

// A Holder is the process that has a fence, for messages of other processes.
type Holder struct {
	PID     int    `json:"pid"`
	Host    string `json:"host"`
	Runtime string `json:"runtime"` // its runtime folder
}

// A FencedError reports that another process has the fence.
type FencedError struct{ Holder Holder }

func (e *FencedError) Error() string {
	if e.Holder.PID == 0 {
		return "another daemon has it"
	}
	return fmt.Sprintf("the daemon with pid %d on %s has it", e.Holder.PID, e.Holder.Host)
}

// TakeFence takes the fence of the workspace below dir for own. It does not wait: if another process has
// the fence, the error is a *FencedError. On a read-only file system an existing fence can be taken.
func TakeFence(dir string, own Holder) (*Fence, error) {
	path := filepath.Join(dir, fenceFile)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	file, err := ownfile.Open(path, os.O_RDWR|os.O_CREATE)
	writable := err == nil
	if errors.Is(err, unix.EROFS) {
		file, err = ownfile.Open(path, os.O_RDONLY)
	}
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		if errors.Is(err, unix.EWOULDBLOCK) {
			err = &FencedError{readHolder(file)}
		} else {
			err = fmt.Errorf("lock %s: %w", path, err)
		}
		return nil, errors.Join(err, file.Close())
	}
	f := &Fence{path, file}
	if !f.Stands() {
		return nil, errors.Join(fmt.Errorf("%s: it was replaced meanwhile", path), file.Close())
	}
	if writable {
		f.sign(own)
	}
	return f, nil
}

// sign writes the holder into the file. It is only for messages, so errors do not matter.
func (f *Fence) sign(own Holder) {
	data, err := json.Marshal(own)
	if err != nil {
		return
	}
	if f.file.Truncate(0) == nil {
		_, _ = f.file.WriteAt(append(data, '\n'), 0)
	}
}

func readHolder(file *os.File) Holder {
	var h Holder
	data, err := ownfile.ReadOpen(file, file.Name(), maxNote)
	if err != nil || json.Unmarshal(data, &h) != nil {
		return Holder{}
	}
	return h
}

// Stands reports whether the locked file is still the one at its path.
func (f *Fence) Stands() bool {
	ours, err := f.file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(f.path)
	return err == nil && os.SameFile(ours, there)
}

// Release releases the fence.
func (f *Fence) Release() { f.file.Close() }
