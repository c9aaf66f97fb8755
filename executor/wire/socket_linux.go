package wire

import (
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// WithShortPath calls f with a name of the socket at path that the kernel takes: the address of a socket
// has room for a hundred bytes, the folder of a run can be deeper. The name holds only during the call.
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
