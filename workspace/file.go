package workspace

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"wf/api"
	"wf/executor"
	"wf/graphml"
)

// Temporary files of saves are named so that a later daemon knows them.
const (
	tmpPrefix = ".wf-"
	tmpSuffix = ".tmp"
)

// maxFile bounds the workfiles that are read, in bytes.
const maxFile = 1 << 30

// fileID tells one state of a file on disk from another.
type fileID struct {
	dev, ino uint64
	size     int64
	mtime    time.Time
	ctime    time.Time
}

func identify(info fs.FileInfo) fileID {
	id := fileID{size: info.Size(), mtime: info.ModTime()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		id.dev, id.ino, id.ctime = uint64(st.Dev), st.Ino, changeTime(st)
	}
	return id
}

// fileContent tells files of equal content from others, whatever they are called.
type fileContent struct {
	Size  int64  `json:"size"`
	CRC32 uint32 `json:"crc32"` // Castagnoli
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func contentOf(pieces graphml.Pieces) *fileContent {
	c := &fileContent{Size: pieces.Size()}
	for _, piece := range pieces {
		c.CRC32 = crc32.Update(c.CRC32, castagnoli, piece)
	}
	return c
}

// sameContent compares without the change time, which a rename moves.
func (id fileID) sameContent(other fileID) bool {
	id.ctime, other.ctime = time.Time{}, time.Time{}
	return id == other
}

// errChanged says that the file on disk is not the one that was read or written last.
var errChanged = errors.New("the file was changed by another program")

// readFile reads a workfile whole, and says what it read. The file is not a folder, device or
// pipe, and not larger than maxFile.
func readFile(path string) ([]byte, fileID, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe would be waited for
	if err != nil {
		return nil, fileID{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fileID{}, err
	}
	if !info.Mode().IsRegular() {
		return nil, fileID{}, fmt.Errorf("it is no regular file (%s)", info.Mode().Type())
	}
	if info.Size() > maxFile {
		return nil, fileID{}, fmt.Errorf("it has %d bytes: at most %d can be read", info.Size(), maxFile)
	}
	data := make([]byte, info.Size())
	n, err := io.ReadFull(f, data)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, fileID{}, err
	}
	return data[:n], identify(info), nil
}

// replaceFile writes the file anew: a temporary file in the same folder, durable, with the mode and
// owner of the old one, renamed over it (docs/semantics.md, The workfile) after tell has been told which file it will be. errChanged: the file on disk is not expect,
// and nothing was done. Any error leaves the old file as it was.
func replaceFile(path string, pieces graphml.Pieces, expect fileID, tell func(fileID)) (fileID, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fileID{}, errChanged
	}
	if err != nil {
		return fileID{}, err
	}
	if identify(info) != expect {
		return fileID{}, errChanged
	}
	if err := writable(path); err != nil {
		return fileID{}, err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), tmpOf(path)+"*"+tmpSuffix)
	if err != nil {
		return fileID{}, err
	}
	id, err := fill(tmp, pieces, info)
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		tell(id)
		err = swap(tmp.Name(), path, expect)
	}
	if err != nil {
		os.Remove(tmp.Name())
		return fileID{}, err
	}
	if info, err := os.Stat(path); err == nil && identify(info).ino == id.ino {
		id = identify(info) // the rename moved the change time
	}
	return id, syncFolder(filepath.Dir(path))
}

// tmpOf begins the names of the temporary files of a workfile, whose path is absolute and real.
func tmpOf(path string) string { return tmpPrefix + pathHash(path)[:12] + "-" }

// sameBytes reports whether the file is expect and holds these pieces already.
func sameBytes(path string, pieces graphml.Pieces, expect fileID) bool {
	data, id, err := readFile(path)
	return err == nil && id == expect && bytes.Equal(data, whole(pieces))
}

// renameOver puts the new file in the place of the old one after a last look at it. Between the
// look and the rename somebody else may still be faster.
func renameOver(tmp, path string, expect fileID) error {
	if info, err := os.Stat(path); err != nil || identify(info) != expect {
		return errChanged
	}
	return os.Rename(tmp, path)
}

// writable refuses a file that its owner has made read-only: a rename would not ask.
func writable(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o222 == 0 {
		return &fs.PathError{Op: "write", Path: path, Err: fs.ErrPermission} // root may open anything
	}
	return nil
}

func fill(tmp *os.File, pieces graphml.Pieces, old fs.FileInfo) (fileID, error) {
	if err := tmp.Chmod(old.Mode().Perm()); err != nil {
		return fileID{}, err
	}
	if st, ok := old.Sys().(*syscall.Stat_t); ok && (int(st.Uid) != os.Geteuid() || int(st.Gid) != os.Getegid()) {
		if err := tmp.Chown(int(st.Uid), int(st.Gid)); err != nil {
			return fileID{}, fmt.Errorf("cannot keep the file's owner: %w", err)
		}
	}
	if _, err := pieces.WriteTo(tmp); err != nil {
		return fileID{}, err
	}
	if err := tmp.Sync(); err != nil {
		return fileID{}, err
	}
	info, err := tmp.Stat()
	if err != nil {
		return fileID{}, err
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

// tail reads the end of an output and makes it fit for the workfile.
func tail(dir string, r executor.Range, name string) string {
	size := r.End - r.Start
	if r.File == "" || size <= 0 {
		return ""
	}
	f, err := os.Open(filepath.Join(dir, filepath.FromSlash(r.File)))
	if err != nil {
		return ""
	}
	defer f.Close()
	// Control sequences vanish, so a little more than the bound is read.
	n := min(size, 4*outputTail)
	buf := make([]byte, n)
	k, err := f.ReadAt(buf, r.End-n)
	if err != nil && err != io.EOF {
		return ""
	}
	return graphml.Sanitize(buf[:k], outputTail, size-n, name)
}

// writeNew creates a file that must not exist.
func writeNew(path string, pieces graphml.Pieces) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return &api.Error{Code: api.CodeRefused, Message: path + " exists already",
			Fix: "choose another name, or remove it first"}
	}
	if err != nil {
		return &api.Error{Code: api.CodeWorkfile, Message: "cannot create the workfile", Where: path, Why: plain(err)}
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
		return &api.Error{Code: api.CodeWorkfile, Message: "cannot write the workfile", Where: path, Why: plain(err)}
	}
	return syncFolder(filepath.Dir(path))
}

// plain is the reason of a file error without operation and path.
func plain(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

func pathHash(real string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(real))) }
