package wire

import (
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// WithShortPath calls f with a path to the same file that is short enough for the address of a socket, which has room
// for about a hundred bytes. The short path is valid only during the call.
func WithShortPath(path string, f func(short string) error) error {
	if len(path) <= socketLimit {
		return f(path)
	}
	folder, err := unix.Open(filepath.Dir(path), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: filepath.Dir(path), Err: err}
	}
	defer unix.Close(folder)
	return f("/proc/self/fd/" + strconv.Itoa(folder) + "/" + filepath.Base(path))
}
