package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"wf/api"
	"wf/workspace/workfile"
)

// checkPrivate returns an error unless the folders of the history belong to this user and other users cannot enter them.
// Their parent folder is private, but they may be links to another disk.
func (w *Workspace) checkPrivate() error {
	all := filepath.Join(w.cfg.State, "workspaces")
	own := filepath.Join(all, w.id)
	for _, dir := range []string{all, own, filepath.Join(own, "runs")} {
		info, err := os.Stat(dir)
		if err != nil {
			return unsafeFolder(dir, workfile.Plain(err), "")
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		switch {
		case !info.IsDir():
			return unsafeFolder(dir, "it is not a folder", "")
		case ok && int(stat.Uid) != os.Geteuid():
			return unsafeFolder(dir, fmt.Sprintf("it belongs to user %d, not to you (%d)", stat.Uid, os.Geteuid()), "")
		case info.Mode().Perm()&0o077 != 0:
			return unsafeFolder(dir, fmt.Sprintf("its mode is %04o: other users can enter it", info.Mode().Perm()), "chmod 700 "+dir)
		}
	}
	return nil
}

func unsafeFolder(dir, why, fix string) *api.Error {
	return &api.Error{Code: api.CodeRefused, Message: "the folder " + dir + " is not safe to use", Why: why, Fix: fix}
}
