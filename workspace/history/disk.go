package history

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"wf/executor/ownfile"
)

// A Disk is the file system under a history: what of it has to be right for a run to survive.
// LocalDisk is the real one; tests put one in its place that fails, or that loses what was not
// synced. Looking at folders is not part of it: it changes nothing, and everybody survives its
// failure.
type Disk interface {
	// Open opens the regular file at path with flags of package os; a new one has mode 0600.
	Open(path string, flag int) (File, error)
	Mkdir(path string) error // mode 0700; the parent exists
	Rename(from, to string) error
	Remove(path string) error    // a file
	RemoveAll(path string) error // a folder, which may be missing
	// SyncDir makes the entries of a folder durable: without it a new file may be gone after a
	// crash although its contents were synced.
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
	// Sync puts the contents and the size on the disk. After an error nobody knows what of the
	// file is there, and a second call may succeed without having done anything.
	Sync() error
}

// LocalDisk is the file system of this machine.
type LocalDisk struct{}

// Open refuses what never is in a history, see ownfile.Open.
func (LocalDisk) Open(path string, flag int) (File, error) {
	f, err := ownfile.Open(path, flag)
	if err != nil {
		return nil, err // not a File that holds a nil *os.File
	}
	return localFile{f}, nil
}

// Mkdir creates a folder.
func (LocalDisk) Mkdir(path string) error { return os.Mkdir(path, 0o700) }

// Rename moves a file or a folder, over a file of that name.
func (LocalDisk) Rename(from, to string) error { return os.Rename(from, to) }

// Remove removes a file.
func (LocalDisk) Remove(path string) error { return os.Remove(path) }

// RemoveAll removes a folder with what is in it.
func (LocalDisk) RemoveAll(path string) error { return os.RemoveAll(path) }

// SyncDir makes the entries of a folder durable.
func (LocalDisk) SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Fault reports whether err is one of the machine and says nothing about what a file holds: it may
// be read another time, or from another place.
func Fault(err error) bool {
	return Shortage(err) || errors.Is(err, unix.EIO) || errors.Is(err, unix.EROFS) || errors.Is(err, unix.ESTALE)
}

// localFile syncs what readers need, which is less than os.File does.
type localFile struct{ *os.File }

func (f localFile) Sync() error { return syncData(f.File) }
