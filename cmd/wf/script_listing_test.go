package main

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// cmdRemember stores the state of the files of a script and of the folders of its daemon, for untouched.
func cmdRemember(ts *testscript.TestScript, neg bool, args []string) {
	w := sandboxOf(ts, neg, args, 0, 0, "remember")
	w.listing = w.list(ts)
}

// cmdUntouched fails if a file or folder was created, removed, written, renamed or changed its mode since
// remember; only times of reading may differ.
func cmdUntouched(ts *testscript.TestScript, neg bool, args []string) {
	w := sandboxOf(ts, neg, args, 0, 0, "untouched")
	if now := w.list(ts); now != w.listing {
		ts.Fatalf("before:\n%s\nnow:\n%s", w.listing, now)
	}
}

// list describes every file of the script and of its daemon, one per line, except for the lock files of runs: a runner
// writes the number of its log entries there from time to time.
func (w *sandbox) list(ts *testscript.TestScript) string {
	var b strings.Builder
	for _, root := range []string{ts.MkAbs("."), w.home} {
		ts.Check(filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			var st unix.Stat_t
			if err == nil {
				err = unix.Lstat(path, &st)
			}
			if err == nil && filepath.Base(path) == "lock" {
				return nil
			}
			fmt.Fprintf(&b, "%s inode %d mode %o owner %d size %d written %v changed %v\n", path, st.Ino, st.Mode, st.Uid,
				st.Size, st.Mtim, st.Ctim)
			return err
		}))
	}
	return b.String()
}
