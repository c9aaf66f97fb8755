package doctor

import "golang.org/x/sys/unix"

// diskOf asks the file system of path about itself.
func diskOf(path string) (disk, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return disk{}, err
	}
	found := disk{noexec: s.Flags&unix.MNT_NOEXEC != 0, bytes: s.Bavail * uint64(s.Bsize), inodes: s.Files, freeInodes: s.Ffree}
	if s.Flags&unix.MNT_LOCAL == 0 {
		found.kind = unix.ByteSliceToString(s.Fstypename[:])
	}
	return found, nil
}

// checkSystem does nothing: every macOS has what wf needs.
func (d *doctor) checkSystem() {}

// pidfd returns nil. macOS has no pidfd, and checkSystem does not call it.
func pidfd() error { return nil }
