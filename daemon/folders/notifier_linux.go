package folders

import (
	"bytes"
	"encoding/binary"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// A Notifier receives the events of the kernel for any number of Watches.
type Notifier struct {
	fd   int
	file *os.File
	done chan struct{} // closed when the reader has ended

	mu      sync.Mutex // guards watches; it is locked around the calls that give and take descriptors
	watches map[int32]map[*Watch]bool
}

// events are those that begin or end a file, or change which folder has the path. What is written into a file is no event: it
// may be thousands of them.
const events = unix.IN_CLOSE_WRITE | unix.IN_MOVED_TO | unix.IN_MOVED_FROM | unix.IN_CREATE | unix.IN_DELETE |
	unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR

// NewNotifier returns a Notifier. The caller closes it.
func NewNotifier() (*Notifier, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, os.NewSyscallError("inotify_init1", err)
	}
	n := &Notifier{fd: fd, file: os.NewFile(uintptr(fd), "inotify"), done: make(chan struct{}), watches: map[int32]map[*Watch]bool{}}
	go n.read()
	return n, nil
}

// Close ends all reports.
func (n *Notifier) Close() error {
	n.mu.Lock()
	err := n.file.Close()
	n.watches = nil
	n.mu.Unlock()
	<-n.done
	return err
}

// add follows a folder for w. It calls added with the descriptor before the first report for it can come.
func (n *Notifier) add(path string, w *Watch, added func(wd int32)) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.watches == nil {
		return os.ErrClosed
	}
	wd, err := unix.InotifyAddWatch(n.fd, path, events)
	if err != nil {
		return os.NewSyscallError("inotify_add_watch", err)
	}
	id := int32(wd)
	if n.watches[id] == nil {
		n.watches[id] = map[*Watch]bool{}
	}
	n.watches[id][w] = true
	added(id)
	return nil
}

// drop no longer follows a folder for w.
func (n *Notifier) drop(wd int32, w *Watch) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.watches[wd], w)
	if len(n.watches[wd]) == 0 && n.watches != nil {
		delete(n.watches, wd)
		unix.InotifyRmWatch(n.fd, uint32(wd)) // the kernel has removed it if the folder is gone
	}
}

// read is the reader.
func (n *Notifier) read() {
	defer close(n.done)
	buf := make([]byte, 64<<10)
	for {
		size, err := n.file.Read(buf)
		if err != nil {
			return
		}
		for rest := buf[:size]; len(rest) >= unix.SizeofInotifyEvent; {
			wd, mask := int32(binary.NativeEndian.Uint32(rest)), binary.NativeEndian.Uint32(rest[4:])
			end := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(rest[12:]))
			name, _, _ := bytes.Cut(rest[unix.SizeofInotifyEvent:end], []byte{0})
			n.report(wd, mask, string(name))
			rest = rest[end:]
		}
	}
}

// report passes an event on. If the kernel has lost events, everybody gets one.
func (n *Notifier) report(wd int32, mask uint32, name string) {
	var to []*Watch
	n.mu.Lock()
	if mask&unix.IN_Q_OVERFLOW != 0 {
		for _, all := range n.watches {
			for w := range all {
				to = append(to, w)
			}
		}
	}
	for w := range n.watches[wd] {
		to = append(to, w)
	}
	if mask&unix.IN_IGNORED != 0 {
		delete(n.watches, wd)
	}
	n.mu.Unlock()
	for _, w := range to {
		w.report(wd, name, mask&(unix.IN_CLOSE_WRITE|unix.IN_MOVED_TO) != 0 && mask&unix.IN_ISDIR == 0)
	}
}

// localDisks are the types of file systems that one kernel changes alone, so that it knows every change, and in which a file keeps
// its inode: ext, XFS, Btrfs, tmpfs, overlay, ramfs, F2FS, ZFS, bcachefs.
var localDisks = map[uint32]bool{unix.EXT4_SUPER_MAGIC: true, unix.XFS_SUPER_MAGIC: true, unix.BTRFS_SUPER_MAGIC: true,
	unix.TMPFS_MAGIC: true, unix.OVERLAYFS_SUPER_MAGIC: true, unix.RAMFS_MAGIC: true, unix.F2FS_SUPER_MAGIC: true,
	0x2fc12fc1: true, 0xca451a4e: true}

// Polled reports whether changes in a folder may be made elsewhere, without events here.
func Polled(path string) bool {
	var s unix.Statfs_t
	return unix.Statfs(path, &s) != nil || !localDisks[uint32(s.Type)]
}
