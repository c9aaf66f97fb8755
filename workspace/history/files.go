package history

import (
	"errors"
	"os"
	"path/filepath"
	"sync"

	"wf/executor/ownfile"
)

// Maximum sizes of files that are read. A workfile may have 1 GiB, and the list of its nodes in run.json
// is smaller; notes have one line.
const (
	maxFile = 1 << 30
	maxNote = 1 << 20
)

// readFile reads a whole file of up to maxFile bytes.
func readFile(disk Disk, path string) ([]byte, error) { return readUpTo(disk, path, maxFile) }

// readSmall is readFile for a note.
func readSmall(disk Disk, path string) ([]byte, error) { return readUpTo(disk, path, maxNote) }

// readUpTo reads a whole file. It refuses more than limit bytes before it allocates memory.
func readUpTo(disk Disk, path string, limit int64) ([]byte, error) {
	f, err := disk.Open(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	data, err := ownfile.ReadOpen(f, path, limit)
	return data, errors.Join(err, f.Close())
}

// writeNew writes a file that must not exist yet, and returns it open. It is not durable.
func writeNew(disk Disk, path string, data []byte) (File, error) {
	f, err := disk.Open(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, err
	}
	if _, err := f.WriteAt(data, 0); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// together calls functions that wait for the disk at the same time, because a file system joins such waits. It returns when
// all have returned.
func together(waits ...func() error) error {
	problems := make([]error, len(waits))
	var all sync.WaitGroup
	for i, wait := range waits {
		all.Go(func() { problems[i] = wait() })
	}
	all.Wait()
	return errors.Join(problems...)
}

// replacedPrefix starts the names of incomplete files.
const replacedPrefix = ".new-"

// replaceFile replaces the file at path atomically: readers see the old content or the new one. If durable
// is set, the new content is durable when replaceFile returns. Calls for one file must not overlap.
func replaceFile(disk Disk, path string, data []byte, durable bool) error {
	tmp := filepath.Join(filepath.Dir(path), replacedPrefix+filepath.Base(path))
	f, err := disk.Open(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(data, 0)
	if err == nil && durable {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = disk.Rename(tmp, path)
	}
	if err != nil {
		return errors.Join(err, disk.Remove(tmp))
	}
	if durable {
		return disk.SyncDir(filepath.Dir(path))
	}
	return nil
}

// ReplaceFileLater is ReplaceFile without waiting for the disk: after a power cut the file may have the
// old content, the new one, or none.
func ReplaceFileLater(disk Disk, path string, data []byte) error {
	return replaceFile(disk, path, data, false)
}

// ReplaceFile replaces the content of the file at path durably and atomically: readers, also after a
// crash, see the old content or the new one. After an error the old content is unchanged.
func ReplaceFile(disk Disk, path string, data []byte) error {
	return replaceFile(disk, path, data, true)
}
