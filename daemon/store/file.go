package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"

	bolt "go.etcd.io/bbolt"

	"wf/executor/ownfile"
)

// Buckets of the file.
var (
	aboutBucket  = []byte("about")  // formatKey
	valuesBucket = []byte("values") // a bucket for each scope: key → record
	expiryBucket = []byte("expiry") // expiryKey → nothing, for each value that expires
	formatKey    = []byte("format")
	formatNow    = []byte("1")
)

// lockTime bounds the wait for another program that has locked the file.
const lockTime = 3 * time.Second

// A file is an open database. Transactions may run in it on any goroutine.
type file struct {
	path string
	db   *bolt.DB
	os   *os.File    // of db
	info fs.FileInfo // which file it is
}

// A breakage is a file that was found to be damaged. It is not opened again as long as it is unchanged.
type breakage struct {
	info fs.FileInfo
	err  error
}

// unchanged reports whether the file at path is the damaged one, unchanged.
func (b *breakage) unchanged(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && os.SameFile(info, b.info) && info.Size() == b.info.Size() && info.ModTime().Equal(b.info.ModTime())
}

// openFile opens the existing database at path and checks it. Nothing is written.
func openFile(path string) (*file, error) {
	f := &file{path: path}
	err := guarded(path, func() (err error) {
		f.db, err = bolt.Open(path, 0o600, &bolt.Options{Timeout: lockTime, OpenFile: f.open})
		return err
	})
	if err == nil {
		err = f.view(checkPages)
	}
	if err != nil {
		f.abandon()
		return nil, explain(path, err)
	}
	return f, nil
}

// open opens the file for bbolt. It must not create one: makeFile creates complete files.
func (f *file) open(path string, flag int, _ fs.FileMode) (*os.File, error) {
	opened, err := ownfile.Open(path, flag&^os.O_CREATE)
	if err != nil {
		return nil, err
	}
	f.os = opened
	if f.info, err = opened.Stat(); err == nil && f.info.Size() == 0 {
		err = damagedFile(path, "it is empty") // bbolt would treat it as a new file
	}
	if err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return opened, nil
}

// makeFile creates an empty database at path: a crash leaves a complete one or none.
func makeFile(path string) error {
	tmp := path + ownfile.Unfinished
	if err := ownfile.Remove(tmp); err != nil {
		return err
	}
	db, err := bolt.Open(tmp, 0o600, &bolt.Options{Timeout: lockTime, OpenFile: func(path string, flag int, _ fs.FileMode) (*os.File, error) {
		return ownfile.Open(path, flag|os.O_EXCL)
	}})
	if err != nil {
		return errors.Join(err, ownfile.Remove(tmp))
	}
	err = errors.Join(db.Update(fill), db.Close())
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		return errors.Join(err, ownfile.Remove(tmp))
	}
	return syncFolder(filepath.Dir(path))
}

// fill creates the buckets of a new file.
func fill(tx *bolt.Tx) error {
	for _, name := range [][]byte{aboutBucket, valuesBucket, expiryBucket} {
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	return tx.Bucket(aboutBucket).Put(formatKey, formatNow)
}

// syncFolder makes a new name durable.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// checkPages reads every page except pages of long values, so that damage is found before a change: bbolt would write
// next to pages that it cannot read.
func checkPages(tx *bolt.Tx) error {
	about, values, expiry := tx.Bucket(aboutBucket), tx.Bucket(valuesBucket), tx.Bucket(expiryBucket)
	if about == nil || values == nil || expiry == nil {
		return damagedFile(tx.DB().Path(), "it is no store of wf")
	}
	if format := about.Get(formatKey); !bytes.Equal(format, formatNow) {
		return &Error{Kind: Newer, Text: "the file of the store is of another version of wf", Path: tx.DB().Path(), Why: fmt.Sprintf("its format is %q", format)}
	}
	if err := expiry.ForEach(func(_, _ []byte) error { return nil }); err != nil {
		return err
	}
	return values.ForEachBucket(func(name []byte) error {
		return values.Bucket(name).ForEach(func(_, record []byte) error {
			if len(record) < headBytes {
				return damagedFile(tx.DB().Path(), badRecord)
			}
			return nil
		})
	})
}

// inPlace reports whether f is still the file at its path.
func (f *file) inPlace() bool {
	info, err := os.Lstat(f.path)
	return err == nil && os.SameFile(info, f.info)
}

// view runs do in a read transaction.
func (f *file) view(do func(*bolt.Tx) error) error {
	return guarded(f.path, func() error {
		return f.db.View(func(tx *bolt.Tx) error { return f.checked(tx, do) })
	})
}

// update runs do in a transaction, which is on the disk when update returns.
func (f *file) update(do func(*bolt.Tx) error) error {
	return guarded(f.path, func() error {
		return f.db.Update(func(tx *bolt.Tx) error { return f.checked(tx, do) })
	})
}

// checked runs do, or returns an error if the file was truncated, because pages beyond its end cannot be read.
func (f *file) checked(tx *bolt.Tx, do func(*bolt.Tx) error) error {
	info, err := f.os.Stat()
	if err != nil {
		return err
	}
	if info.Size() < tx.Size() {
		return &Error{Kind: Damaged, Text: "the file of the store is damaged", Path: f.path, err: errBroken,
			Why: fmt.Sprintf("it ends after %d of %d bytes", info.Size(), tx.Size())}
	}
	return do(tx)
}

// errBroken is wrapped by errors after which a file is no longer used.
var errBroken = errors.New("the file cannot be read")

// guarded runs do, in which bbolt reads pages without checks: a damaged page makes it panic, and a page that the disk
// cannot read is a fault. The daemon must survive both.
func guarded(path string, do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if v := recover(); v != nil {
			why := fmt.Sprint(v)
			if _, fault := v.(interface{ Addr() uintptr }); fault {
				why = "a part of it cannot be read" // clearer than the address in the message of Go
			}
			broken := damagedFile(path, why)
			broken.err = errBroken
			err = broken
		}
	}()
	return do()
}

// close closes an intact file after the last reader has finished.
func (f *file) close() error { return guarded(f.path, f.db.Close) }

// abandon closes the descriptor of a file in which a transaction may have been interrupted. bbolt may still hold its
// locks, so that closing the database would wait for ever; its mapped memory stays and keeps the file open. So abandon
// removes the lock on the file first.
func (f *file) abandon() {
	if f.os != nil {
		_ = syscall.Flock(int(f.os.Fd()), syscall.LOCK_UN) // fails if it is closed already
		f.os.Close()                                       // the same; what was written is synced
	}
}
