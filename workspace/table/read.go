package table

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Read reads and parses a table. A relative name starts at folder, which is that of the workfile. The error is a
// *Mistake; for a file that does not exist, errors.Is(err, fs.ErrNotExist) is true. It waits for the disk.
func Read(folder, name string, l Limits) ([]any, error) {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	// A named pipe must not block the reader.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, unreadable(name, folder, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, unreadable(name, folder, err)
	}
	if !info.Mode().IsRegular() {
		return nil, &Mistake{File: name, Problem: "the table is not a file", Remedy: "foreach=table:FILE names a file in .tsv or .csv"}
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxBytes+4)) // a byte order mark does not count
	if err != nil {
		return nil, unreadable(name, folder, err)
	}
	return Parse(name, data, l)
}

// A missing table is a Mistake that keeps its cause.
type missing struct {
	Mistake
	cause error
}

func (m *missing) Unwrap() error { return m.cause }

func unreadable(name, folder string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &missing{Mistake{File: name, Problem: "the table does not exist",
			Remedy: fmt.Sprintf("relative names start at the folder of the workfile, %s", folder)}, err}
	}
	var cause syscall.Errno
	text := err.Error()
	if errors.As(err, &cause) {
		text = cause.Error()
	}
	return &Mistake{File: name, Problem: "the table cannot be read: " + text, Remedy: "the user of the daemon must be able to read it"}
}
