package history

import (
	"errors"
	"os"
	"path/filepath"

	"wf/executor/ownfile"
)

// How many bytes are read of a file. A workfile may have 1 GiB, and the list of its nodes in
// run.json is smaller than it is; notes are a line, or a name and a path.
const (
	maxFile = 1 << 30
	maxNote = 1 << 20
)

// readFile reads a file whole, one of up to maxFile.
func readFile(disk Disk, path string) ([]byte, error) { return readUpTo(disk, path, maxFile) }

// readSmall is readFile for a note.
func readSmall(disk Disk, path string) ([]byte, error) { return readUpTo(disk, path, maxNote) }

// readUpTo refuses a file of more than limit bytes before it takes the memory for it.
func readUpTo(disk Disk, path string, limit int64) ([]byte, error) {
	f, err := disk.Open(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	data, err := ownfile.ReadOpen(f, path, limit)
	return data, errors.Join(err, f.Close())
}

// writeNew writes a file that must not exist yet, durably but for its entry in the folder.
func writeNew(disk Disk, path string, data []byte) error {
	f, err := disk.Open(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(data, 0)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// replacedPrefix begins the names of files that are not whole yet.
const replacedPrefix = ".new-"

// replaceFile makes data the contents of path: readers see the old file or the new one. With
// durable it is on the disk when replaceFile returns. Only one at a time may replace a file.
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

// ReplaceFileLater is ReplaceFile without waiting for the disk: whoever comes after a power cut may see
// the old file, the new one, or an empty one.
func ReplaceFileLater(disk Disk, path string, data []byte) error {
	return replaceFile(disk, path, data, false)
}

// ReplaceFile makes data the contents of the file at path, durably: readers, and whoever comes
// after a crash, see the old file or the new one. After an error the old one is still there.
func ReplaceFile(disk Disk, path string, data []byte) error {
	return replaceFile(disk, path, data, true)
}
