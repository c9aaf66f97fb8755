package executor

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// A folderWatch notices that a name came, went or changed in any of some folders, or on the way to
// one of them. The kernel queues the notice before the call that made the change returns, so whoever
// asks afterwards knows. What it cannot see is a file system mounted over a folder.
type folderWatch struct{ fd int }

const (
	// watchedNames are the changes that make a way lead somewhere else.
	watchedNames = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO |
		unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_UNMOUNT
	// watchedFiles adds that a file becomes a program, or is none any more.
	watchedFiles = watchedNames | unix.IN_ATTRIB
)

// linkLimit bounds the symbolic links on the way to a folder, as the kernel does.
const linkLimit = 40

// localDisks are the file systems that tell of every change: others may be changed from elsewhere.
var localDisks = []int64{
	unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC,
	unix.OVERLAYFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, zfsMagic,
}

const zfsMagic = 0x2fc12fc1 // of OpenZFS, which is not part of the kernel's headers

// watchFolders returns nil if not all changes would be noticed: too many watches, a folder on a
// network, a list that depends on where one stands.
func watchFolders(folders []string) *folderWatch {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil
	}
	w := &folderWatch{fd}
	for _, folder := range folders {
		if !filepath.IsAbs(folder) || !w.follow(folder) {
			w.close()
			return nil
		}
	}
	return w
}

// follow watches every folder on the way, through symbolic links, and the one it leads to. A way that
// ends early is watched to where it ends.
func (w *folderWatch) follow(folder string) bool {
	at, rest := "/", split(folder)
	for links := 0; len(rest) > 0; {
		if !w.add(at, watchedNames) {
			return false
		}
		next := filepath.Join(at, rest[0])
		var st unix.Stat_t
		if err := unix.Lstat(next, &st); err != nil {
			return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR)
		}
		if st.Mode&unix.S_IFMT != unix.S_IFLNK {
			at, rest = next, rest[1:]
			continue
		}
		target, ok := readLink(next)
		if links++; !ok || links > linkLimit {
			return false
		}
		if filepath.IsAbs(target) {
			at = "/"
		}
		rest = slices.Concat(split(target), rest[1:])
	}
	return w.add(at, watchedFiles)
}

// split cuts a way into names. Those that lead nowhere or back stay: Join walks back over folders
// that are no links, as the kernel does.
func split(way string) []string {
	return slices.DeleteFunc(strings.Split(way, "/"), func(name string) bool { return name == "" })
}

func readLink(path string) (string, bool) {
	text := make([]byte, unix.PathMax)
	n, err := unix.Readlink(path, text)
	return string(text[:max(0, n)]), err == nil && n > 0
}

// add watches one folder. That it is none, or may not be read, is a change like others to come.
func (w *folderWatch) add(folder string, what uint32) bool {
	var fs unix.Statfs_t
	if err := unix.Statfs(folder, &fs); err != nil || !slices.Contains(localDisks, int64(fs.Type)) {
		return false
	}
	_, err := unix.InotifyAddWatch(w.fd, folder, what|unix.IN_MASK_ADD)
	return err == nil
}

// changed reports whether there was a change since watchFolders, once: then begin anew.
func (w *folderWatch) changed() bool {
	var event [unix.SizeofInotifyEvent + unix.NAME_MAX + 1]byte
	_, err := unix.Read(w.fd, event[:])
	return !errors.Is(err, unix.EAGAIN)
}

func (w *folderWatch) close() { unix.Close(w.fd) }
