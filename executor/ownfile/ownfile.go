// Package ownfile opens files of the state and runtime folders safely: the folders are private, but a crash,
// a restored backup, a full disk or another program of the same user can leave anything under the names that
// wf uses. The package does not interpret the content of files.
package ownfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Open opens the regular file at path with flags of package os; a new file has mode 0600. It returns an error
// if path is a symbolic link, not a regular file, or belongs to another user. It never blocks, although
// opening a pipe usually waits for the other end. Executed programs do not inherit the file. The caller
// closes it.
func Open(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = check(path, info)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func check(path string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: it is not a regular file (%s)", path, info.Mode().Type())
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
		return fmt.Errorf("%s: it belongs to user %d, not to you (%d)", path, stat.Uid, os.Geteuid())
	}
	return nil
}

// Unfinished ends the name of a file that Replace writes.
const Unfinished = ".new"

// Replace replaces the file at path, or leaves it unchanged. With sync the new content survives a crash of the machine. Only
// one process may replace a file at a time.
func Replace(path string, data []byte, sync bool) error {
	tmp := path + Unfinished
	if err := Remove(tmp); err != nil {
		return err
	}
	f, err := Open(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && sync {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return nil
}

// Remove removes the file at path, which may be missing.
func Remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Read reads the whole file at path. It returns an error for more than limit bytes, before it allocates
// memory.
func Read(path string, limit int64) ([]byte, error) {
	f, err := Open(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadOpen(f, path, limit)
}

// ReadOpen is Read for a file that is open at its beginning. Errors name it path.
func ReadOpen(f fs.File, path string, limit int64) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("%s: it has %d bytes: at most %d are read", path, info.Size(), limit)
	}
	data := make([]byte, info.Size())
	n, err := io.ReadFull(f, data)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // the file was truncated meanwhile
	}
	return data[:n], err
}
