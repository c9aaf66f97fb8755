package history

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"wf/executor/ownfile"
)

// A Disk is the file system of a history, with the operations on which the durability of runs depends.
// LocalDisk is the real one; tests use disks that fail, or lose what was not synced. Reading folders is
// not part of it: it changes nothing, and callers handle its errors.
type Disk interface {
	// Open opens the regular file at path with flags of package os; a new one has mode 0600.
	Open(path string, flag int) (File, error)
	Mkdir(path string) error // mode 0700; the parent exists
	Rename(from, to string) error
	Remove(path string) error    // a file
	RemoveAll(path string) error // a folder, which may be missing
	// SyncDir makes the entries of a folder durable: without it a new file may be missing after a crash
	// although its contents were synced.
	SyncDir(dir string) error
}

// A File is an open file of a Disk.
type File interface {
	io.Reader
	io.ReaderAt
	io.WriterAt
	io.Closer
	Stat() (fs.FileInfo, error)
	Truncate(size int64) error
	// Sync makes the contents and the size durable. After an error the state on the disk is unknown, and
	// a second call may succeed without writing anything.
	Sync() error
}

// LocalDisk is the file system of this machine.
type LocalDisk struct{}

// Open opens a file safely, see ownfile.Open.
func (LocalDisk) Open(path string, flag int) (File, error) {
	f, err := ownfile.Open(path, flag)
	if err != nil {
		return nil, err // not a File that contains a nil *os.File
	}
	return localFile{f}, nil
}

// Mkdir creates a folder.
func (LocalDisk) Mkdir(path string) error { return os.Mkdir(path, 0o700) }

// Rename moves a file or a folder, over a file of that name.
func (LocalDisk) Rename(from, to string) error { return os.Rename(from, to) }

// Remove removes a file.
func (LocalDisk) Remove(path string) error { return os.Remove(path) }

// RemoveAll removes a folder with its contents.
func (LocalDisk) RemoveAll(path string) error { return os.RemoveAll(path) }

// SyncDir makes the entries of a folder durable.
func (LocalDisk) SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Fault reports whether err is a fault of the machine and not of the contents of a file, so that reading
// may succeed later or elsewhere.
func Fault(err error) bool {
	return Shortage(err) || errors.Is(err, unix.EIO) || errors.Is(err, unix.EROFS) || errors.Is(err, unix.ESTALE)
}

// localFile syncs only the data that readers need, which is less than os.File does.
type localFile struct{ *os.File }

func (f localFile) Sync() error { return syncData(f.File) }
