package history

import (
	"errors"
	"os"
	"path/filepath"
)

// syncDir makes the entries of a folder durable: without it a new file may be gone after a crash
// although its contents were synced.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// writeNew writes a file that must not exist yet, durably but for its entry in the folder.
func writeNew(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// replaceFile makes data the contents of path: readers see the old file or the new one. With
// durable it is on the disk when replaceFile returns.
func replaceFile(path string, data []byte, durable bool) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && durable {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if durable {
		return syncDir(filepath.Dir(path))
	}
	return nil
}
