// Package historytest provides disks for tests of code that writes histories: Faults fails as planned, and
// Volatile loses unsynced data in a power cut. The package contains no expectations about results.
package historytest

import (
	"fmt"
	"io/fs"
	"sync"

	"wf/workspace/history"
)

// A Plan says which operations of a disk fail. Operations are counted from 1, in the order of the calls.
type Plan struct {
	At   int         // the first operation that fails; 0 = none
	Err  error       // the error
	Stay bool        // all later operations fail, too, until Heal
	Over func() bool // if Stay is set: reports whether operations succeed again; nil = never
	Half bool        // a failing write writes its first half
	Tell func(Op)    // called for each operation that fails; it must not use the disk; may be nil
}

// An Op is one operation.
type Op struct{ Name, Path string }

// Faults is a disk that fails as planned. It is safe for concurrent use.
type Faults struct {
	Disk history.Disk // the underlying disk
	Plan Plan

	mu     sync.Mutex // guards the fields below
	count  int
	failed []Op
	healed bool
}

// Count returns the number of operations, and those that failed.
func (f *Faults) Count() (int, []Op) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count, f.failed
}

// Heal makes all later operations succeed.
func (f *Faults) Heal() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.healed = true
}

// FailFromNowOn makes the next operation the first that fails.
func (f *Faults) FailFromNowOn() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Plan.At = f.count + 1
}

// Attempt counts an operation outside the disk, so that it can also fail as planned.
func (f *Faults) Attempt(name, path string) error { return f.check(name, path) }

// do counts an operation and calls it, unless it must fail.
func (f *Faults) do(name, path string, operation func() error) error {
	if err := f.check(name, path); err != nil {
		return err
	}
	return operation()
}

func (f *Faults) check(name, path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
	if f.Plan.At == 0 || f.healed || f.count < f.Plan.At || f.count > f.Plan.At && !f.Plan.Stay {
		return nil
	}
	if f.Plan.Stay && f.Plan.Over != nil && f.Plan.Over() {
		f.healed = true
		return nil
	}
	f.failed = append(f.failed, Op{name, path})
	if f.Plan.Tell != nil {
		f.Plan.Tell(Op{name, path})
	}
	return &fs.PathError{Op: name, Path: path, Err: fmt.Errorf("planned: %w", f.Plan.Err)}
}

// Open opens a file whose operations also fail as planned.
func (f *Faults) Open(path string, flag int) (file history.File, err error) {
	err = f.do("open", path, func() error {
		below, err := f.Disk.Open(path, flag)
		file = &faultyFile{below, f, path}
		return err
	})
	if err != nil {
		return nil, err
	}
	return file, nil
}

// Mkdir creates a folder.
func (f *Faults) Mkdir(path string) error {
	return f.do("mkdir", path, func() error { return f.Disk.Mkdir(path) })
}

// Rename moves a file or a folder.
func (f *Faults) Rename(from, to string) error {
	return f.do("rename", to, func() error { return f.Disk.Rename(from, to) })
}

// Remove removes a file.
func (f *Faults) Remove(path string) error {
	return f.do("remove", path, func() error { return f.Disk.Remove(path) })
}

// RemoveAll removes a folder.
func (f *Faults) RemoveAll(path string) error {
	return f.do("remove", path, func() error { return f.Disk.RemoveAll(path) })
}

// SyncDir makes the entries of a folder durable.
func (f *Faults) SyncDir(dir string) error {
	return f.do("sync", dir, func() error { return f.Disk.SyncDir(dir) })
}

type faultyFile struct {
	history.File
	faults *Faults
	path   string
}

func (f *faultyFile) Read(p []byte) (n int, err error) {
	err = f.faults.do("read", f.path, func() (err error) { n, err = f.File.Read(p); return err })
	return n, err
}

func (f *faultyFile) ReadAt(p []byte, off int64) (n int, err error) {
	err = f.faults.do("read", f.path, func() (err error) { n, err = f.File.ReadAt(p, off); return err })
	return n, err
}

func (f *faultyFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.faults.check("write", f.path); err != nil {
		if !f.faults.Plan.Half {
			return 0, err
		}
		n, below := f.File.WriteAt(p[:len(p)/2], off)
		if below != nil {
			return n, below
		}
		return n, err
	}
	return f.File.WriteAt(p, off)
}

func (f *faultyFile) Truncate(size int64) error {
	return f.faults.do("truncate", f.path, func() error { return f.File.Truncate(size) })
}

// Sync loses the unsynced data when it fails, like a kernel that then treats the pages as clean.
func (f *faultyFile) Sync() error {
	err := f.faults.check("sync", f.path)
	if err == nil {
		return f.File.Sync()
	}
	if v, ok := f.File.(*volatileFile); ok {
		v.forget()
	}
	return err
}

// Close closes the file even when it fails.
func (f *faultyFile) Close() error {
	err := f.faults.check("close", f.path)
	if below := f.File.Close(); err == nil {
		err = below
	}
	return err
}
