package workfile

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"wf/api"
	"wf/executor"
	"wf/graphml"
	"wf/workspace/secrets"
)

// Prefixes of the temporary files of saves, by which a later daemon finds them.
const (
	tmpPrefix = ".wf-"
	tmpSuffix = ".tmp"
)

// errChanged means that the file on disk is not the one that was read or written last.
var errChanged = errors.New("the file was changed by another program")

// replaceFile replaces the file by a durable temporary file in the same folder, with the mode and owner of the old file
// (docs/semantics.md, The workfile). Before the rename it calls announce with the identity that the file will have. It
// returns errChanged if the file on disk is not expect. After any error the old file is unchanged.
func replaceFile(path string, pieces graphml.Pieces, expect identity, announce func(identity)) (identity, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return identity{}, errChanged
	}
	if err != nil {
		return identity{}, err
	}
	if identify(info) != expect {
		return identity{}, errChanged
	}
	if err := writable(path); err != nil {
		return identity{}, err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), tmpOf(path)+"*"+tmpSuffix)
	if err != nil {
		return identity{}, err
	}
	id, err := fill(tmp, pieces, info)
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		announce(id)
		err = swap(tmp.Name(), path, expect)
	}
	if err != nil {
		os.Remove(tmp.Name())
		return identity{}, err
	}
	return renamed(path, id), syncFolder(filepath.Dir(path))
}

// renamed returns the identity of the file that was written as id and has been renamed to path: the rename has updated its
// change time. If another program has written the file since then, renamed returns id, so that this write is still noticed.
func renamed(path string, id identity) identity {
	info, err := os.Stat(path)
	if err != nil || !identify(info).sameContent(id) {
		return id
	}
	return identify(info)
}

// tmpOf returns the prefix of the temporary files of a workfile. path is absolute, with symlinks resolved.
func tmpOf(path string) string { return tmpPrefix + Hash(path)[:12] + "-" }

// sameBytes reports whether the file is expect and already contains these pieces.
func sameBytes(path string, pieces graphml.Pieces, expect identity) bool {
	data, id, err := read(path)
	return err == nil && id == expect && bytes.Equal(data, whole(pieces))
}

// renameOver replaces the old file by the new one after a last check. Between the check and the rename another program may
// still change the file.
func renameOver(tmp, path string, expect identity) error {
	if info, err := os.Stat(path); err != nil || identify(info) != expect {
		return errChanged
	}
	return os.Rename(tmp, path)
}

// writable refuses a file that its owner has made read-only, which a rename does not check.
func writable(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o222 == 0 {
		return &fs.PathError{Op: "write", Path: path, Err: fs.ErrPermission} // root can open any file
	}
	return nil
}

func fill(tmp *os.File, pieces graphml.Pieces, old fs.FileInfo) (identity, error) {
	if err := tmp.Chmod(old.Mode().Perm()); err != nil {
		return identity{}, err
	}
	if st, ok := old.Sys().(*syscall.Stat_t); ok && (int(st.Uid) != os.Geteuid() || int(st.Gid) != os.Getegid()) {
		if err := tmp.Chown(int(st.Uid), int(st.Gid)); err != nil {
			return identity{}, fmt.Errorf("cannot keep the file's owner: %w", err)
		}
	}
	if _, err := pieces.WriteTo(tmp); err != nil {
		return identity{}, err
	}
	if err := tmp.Sync(); err != nil {
		return identity{}, err
	}
	info, err := tmp.Stat()
	if err != nil {
		return identity{}, err
	}
	return identify(info), nil
}

func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// tail reads the end of an output for the workfile.
func tail(masks *secrets.Masks, dir string, r executor.Range, name string) string {
	if r.End <= r.Start {
		return ""
	}
	// Sanitize removes control sequences, so more than the bound is read.
	text, before, err := secrets.Tail(masks, dir, r, 4*outputTail)
	if err != nil || len(text) == 0 {
		return ""
	}
	return graphml.Sanitize(text, outputTail, before, name)
}

// WriteNew creates a file, which must not exist.
func WriteNew(path string, pieces graphml.Pieces) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return &api.Error{Code: api.CodeRefused, Message: path + " exists already",
			Fix: "choose another name, or remove it first"}
	}
	if err != nil {
		return &api.Error{Code: api.CodeWorkfile, Message: "cannot create the workfile", Where: path, Why: Plain(err)}
	}
	_, err = pieces.WriteTo(f)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		os.Remove(path)
		return &api.Error{Code: api.CodeWorkfile, Message: "cannot write the workfile", Where: path, Why: Plain(err)}
	}
	return syncFolder(filepath.Dir(path))
}

// Hash returns the SHA-256 of a path in hexadecimal digits.
func Hash(path string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(path))) }

// whole joins pieces. It makes no copy if there is only one.
func whole(pieces graphml.Pieces) []byte {
	if len(pieces) == 1 {
		return pieces[0]
	}
	return bytes.Join(pieces, nil)
}

// leftoverAge is the age at which a temporary file of another workfile counts as left over.
const leftoverAge = time.Hour

// RemoveLeftovers deletes temporary files that a crash during a save left in the folder of the file. fenced means that no
// other daemon has this workfile open, so all its temporary files are left over.
func (f *File) RemoveLeftovers(fenced bool) {
	dir := filepath.Dir(f.cfg.Path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), tmpPrefix) || !strings.HasSuffix(e.Name(), tmpSuffix) {
			continue
		}
		own := fenced && strings.HasPrefix(e.Name(), tmpOf(f.cfg.Path))
		if info, err := e.Info(); err == nil && (own || time.Since(info.ModTime()) > leftoverAge) {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
