package uptodate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// identity distinguishes versions of a file without reading it.
type identity struct {
	Inode uint64 `json:"inode"`
	Size  int64  `json:"size"`
	MTime int64  `json:"mtime"` // nanoseconds since 1970
	CTime int64  `json:"ctime"`
}

func identify(info fs.FileInfo) identity {
	id := identity{Size: info.Size(), MTime: info.ModTime().UnixNano()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		id.Inode, id.CTime = st.Ino, changeTime(st)
	}
	return id
}

// racy is how old a file must be when its reading begins, so that its digest is remembered. The clocks of file systems are coarse,
// two seconds at most (FAT): a younger file may change again without another identity.
const racy = 2 * time.Second

// settled reports whether the file that was identified at this moment will get another identity with its next change.
func (id identity) settled(at time.Time) bool {
	return at.Sub(time.Unix(0, max(id.MTime, id.CTime))) >= racy
}

// errMoving means that a file changed while it was read.
var errMoving = errors.New("it changes while it is read")

// A reading is what is known of a path: the digest of its contents, and a stamp that is another one if the path was written,
// even with the same contents. Times of change do not count for the stamp: a hard link to a file changes them.
type reading struct {
	digest, stamp Digest
}

// read reads a file or a folder; of what has not changed since an earlier reading, the digest is remembered. The digest of a
// folder covers the names, the contents and the permission to execute of all that is in it. Links count as what they lead to;
// above are the folders around the path, to which a link may lead back.
func (m *Memory) read(ctx context.Context, path string, above ...fs.FileInfo) (reading, error) {
	info, err := os.Stat(path)
	if err != nil {
		return reading{}, err
	}
	if info.Mode().IsRegular() {
		return m.readFile(ctx, path, info)
	}
	if !info.IsDir() {
		return reading{}, fmt.Errorf("%s is neither a file nor a folder", path)
	}
	for _, folder := range above {
		if os.SameFile(folder, info) {
			return reading{digest: "a link back"}, nil
		}
	}
	entries, err := os.ReadDir(path) // sorted by name
	if err != nil {
		return reading{}, err
	}
	contents, stamps := sha256.New(), sha256.New()
	above = append(slices.Clip(above), info)
	for _, e := range entries {
		place := filepath.Join(path, e.Name())
		r, err := m.read(ctx, place, above...)
		if errors.Is(err, fs.ErrNotExist) && e.Type()&fs.ModeSymlink != 0 {
			r, err = reading{digest: "a link to nothing"}, nil
		}
		if err != nil {
			return reading{}, err
		}
		fmt.Fprintf(contents, "%q %c %s\n", e.Name(), kindOf(place), r.digest)
		fmt.Fprintf(stamps, "%q %s\n", e.Name(), r.stamp)
	}
	return reading{digestFrom(contents), digestFrom(stamps)}, nil
}

// kindOf distinguishes programs, other files and folders.
func kindOf(path string) byte {
	switch info, err := os.Stat(path); {
	case err != nil:
		return '-'
	case info.IsDir():
		return 'd'
	case info.Mode()&0o100 != 0:
		return 'x'
	}
	return '-'
}

// stamp is the part of an identity that writing a file changes.
func (id identity) stamp() Digest {
	return Digest(fmt.Sprintf("%d %d %d", id.Inode, id.Size, id.MTime))
}

// readFile reads a file, unless the digest of these contents is known.
func (m *Memory) readFile(ctx context.Context, path string, info fs.FileInfo) (reading, error) {
	id := identify(info)
	if digest, known := m.digest(path, id); known {
		return reading{digest, id.stamp()}, nil
	}
	began := time.Now()
	digest, id, err := readContents(ctx, path)
	if err != nil {
		return reading{}, fmt.Errorf("%s: %w", path, err)
	}
	if id.settled(began) {
		m.remember(path, id, digest)
	}
	return reading{digest, id.stamp()}, nil
}

// readContents returns the digest of a file, whose contents are on the disk then, and its identity.
func readContents(ctx context.Context, path string) (Digest, identity, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", identity{}, err
	}
	defer f.Close()
	before, err := f.Stat()
	if err != nil {
		return "", identity{}, err
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, &contextReader{ctx, f}); err != nil {
		return "", identity{}, err
	}
	// Otherwise a power cut could take away contents that are remembered as whole. Some file systems cannot sync a file that
	// is open for reading.
	if err := f.Sync(); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.EROFS) && !errors.Is(err, unix.EBADF) {
		return "", identity{}, err
	}
	after, err := f.Stat()
	if err != nil {
		return "", identity{}, err
	}
	id := identify(after)
	if identify(before) != id {
		return "", identity{}, errMoving
	}
	return digestFrom(sum), id, nil
}

func digestFrom(sum hash.Hash) Digest { return Digest(hex.EncodeToString(sum.Sum(nil))) }

// contextReader ends the reading of a large file when its context ends.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (r *contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}
