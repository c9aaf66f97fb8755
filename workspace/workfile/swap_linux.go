package workfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// swap replaces path by tmp if path is still the expected file. It exchanges both and compares the old file afterwards. If
// another program has written the file at the last moment, swap puts it back.
func swap(tmp, path string, expect identity) error {
	err := exchange(tmp, path)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return renameOver(tmp, path, expect) // some file systems cannot exchange files
	}
	if errors.Is(err, unix.ENOENT) {
		return errChanged
	}
	if err != nil {
		return &os.LinkError{Op: "exchange", Old: tmp, New: path, Err: err}
	}
	info, err := os.Stat(tmp)
	if err == nil && identify(info).sameContent(expect) {
		return os.Remove(tmp)
	}
	if err := exchange(tmp, path); err != nil {
		return &os.LinkError{Op: "exchange back", Old: tmp, New: path, Err: err}
	}
	return errChanged
}

func exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}
