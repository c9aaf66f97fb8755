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

// fenceFile is locked by who writes journals in the folder of a workspace. It is never removed: whoever
// locked a removed file would hold a lock that nobody else sees.
const fenceFile = "fence"

// A Fence is the right to write the history of a workspace. At most one process of the machine, and of
// machines that share the folder, has it; it ends with the process.
type Fence struct {
	path string
	file *os.File // reachable for life: a collected file would be closed, and the fence lost
}

// A Holder is who has a fence, for those who find it taken.
type Holder struct {
	PID     int    `json:"pid"`
	Host    string `json:"host"`
	Runtime string `json:"runtime"` // its runtime folder
}

// A FencedError says that somebody else has the fence.
type FencedError struct{ Holder Holder }

func (e *FencedError) Error() string {
	if e.Holder.PID == 0 {
		return "another daemon has it"
	}
	return fmt.Sprintf("the daemon with pid %d on %s has it", e.Holder.PID, e.Holder.Host)
}

// TakeFence takes the fence of the workspace below dir for own, at once or not at all: a *FencedError says
// who has it. Where nothing can be written to, and no fence was ever taken, the error is that of the file.
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

// sign notes who has the fence. It is only for the words of others, so that a full disk does not matter.
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

// Stands reports whether the fence is still the one that others would find.
func (f *Fence) Stands() bool {
	ours, err := f.file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(f.path)
	return err == nil && os.SameFile(ours, there)
}

// Release gives the fence back.
func (f *Fence) Release() { f.file.Close() }
