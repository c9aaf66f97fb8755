package fence

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// localDisks are the types of file systems that one kernel has for itself, as statfs(2) numbers them: ext, XFS, Btrfs, tmpfs,
// overlay, ramfs, F2FS, ZFS, bcachefs. Everything else, such as NFS, Lustre, FUSE or an unknown one, may be shared.
var localDisks = map[uint32]bool{unix.EXT4_SUPER_MAGIC: true, unix.XFS_SUPER_MAGIC: true, unix.BTRFS_SUPER_MAGIC: true,
	unix.TMPFS_MAGIC: true, unix.OVERLAYFS_SUPER_MAGIC: true, unix.RAMFS_MAGIC: true, unix.F2FS_SUPER_MAGIC: true,
	0x2fc12fc1: true, 0xca451a4e: true}

func isShared(file *os.File) bool {
	var s unix.Statfs_t
	return unix.Fstatfs(int(file.Fd()), &s) != nil || !localDisks[uint32(s.Type)]
}

// lock locks the file without waiting. EWOULDBLOCK and EACCES mean that another process has it locked.
//
// A client of NFS turns flock(2) into a lock of bytes, which its server does not compare with flock(2) of its own processes. So
// on a local disk, which this machine may export, lock takes a lock of bytes as well. On NFS itself both would be the
// same lock of two owners.
func lock(file *os.File, shared bool) error {
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil || shared {
		return err
	}
	err := unix.FcntlFlock(file.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_WRLCK})
	if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EACCES) {
		return err
	}
	return nil // a file that was opened for reading, or a kernel without these locks
}
