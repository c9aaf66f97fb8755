package workfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"wf/api"
	"wf/executor/checksum"
	"wf/graph"
	"wf/graphml"
)

// MaxSize bounds the files that are read, in bytes.
const MaxSize = 1 << 30

// identity distinguishes versions of a file on disk.
type identity struct {
	dev, ino uint64
	size     int64
	mtime    time.Time
	ctime    time.Time
}

func identify(info fs.FileInfo) identity {
	id := identity{size: info.Size(), mtime: info.ModTime()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		id.dev, id.ino, id.ctime = uint64(st.Dev), st.Ino, changeTime(st)
	}
	return id
}

// sameContent compares identities without the change time, which a rename updates.
func (id identity) sameContent(other identity) bool {
	id.ctime, other.ctime = time.Time{}, time.Time{}
	return id == other
}

// String returns the form that notes store.
func (id identity) String() string {
	return fmt.Sprintf("%s:%d", id.content(), id.ctime.UnixNano())
}

// identityAt returns the identity of the file at a path.
func identityAt(path string) (identity, error) {
	info, err := os.Stat(path)
	if err != nil {
		return identity{}, err
	}
	return identify(info), nil
}

// content is String without the change time, which a rename updates.
func (id identity) content() string {
	return fmt.Sprintf("%d:%d:%d:%d", id.dev, id.ino, id.size, id.mtime.UnixNano())
}

// Content identifies the bytes of a file, independent of its name.
type Content struct {
	Size  int64  `json:"size"`
	CRC32 uint32 `json:"crc32"` // Castagnoli
}

func contentOf(pieces graphml.Pieces) *Content {
	c := &Content{Size: pieces.Size()}
	for _, piece := range pieces {
		c.CRC32 = checksum.Update(c.CRC32, piece)
	}
	return c
}

// Holds reports whether the file at path can be read and has this content.
func (c *Content) Holds(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != c.Size {
		return false
	}
	data, _, err := read(path)
	return err == nil && *contentOf(graphml.Pieces{data}) == *c
}

// read reads a whole workfile and returns its identity. It refuses folders, devices, pipes, and files larger than MaxSize.
func read(path string) ([]byte, identity, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // without it a pipe would block
	if err != nil {
		return nil, identity{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, identity{}, err
	}
	if !info.Mode().IsRegular() {
		return nil, identity{}, fmt.Errorf("it is no regular file (%s)", info.Mode().Type())
	}
	if info.Size() > MaxSize {
		return nil, identity{}, fmt.Errorf("it has %d bytes: at most %d can be read", info.Size(), MaxSize)
	}
	data := make([]byte, info.Size())
	n, err := io.ReadFull(f, data)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, identity{}, err
	}
	return data[:n], identify(info), nil
}

// ReadGraph reads only the graph of the workfile at path. The error is an *api.Error.
func ReadGraph(path string) (*graph.Graph, error) {
	data, _, err := read(path)
	if err != nil {
		return nil, ReadError(path, err)
	}
	_, g, _, err := graphml.Parse(data, limits())
	if err != nil {
		return nil, parseError(path, err)
	}
	return newInclusion(path).whole(g), nil
}

// ReadError describes why a workfile cannot be found or read.
func ReadError(path string, err error) *api.Error {
	e := &api.Error{Code: api.CodeWorkfile, Message: "the workfile cannot be read", Where: path, Why: Plain(err)}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Message, e.Why, e.Fix = "there is no workfile "+path, "", "wf new "+filepath.Base(path)+" creates one"
	case errors.Is(err, fs.ErrPermission):
		e.Fix = "chmod u+r " + path
	}
	return e
}

// parseError describes why a workfile is not valid GraphML.
func parseError(path string, err error) *api.Error {
	e := &api.Error{Code: api.CodeWorkfile, Message: "the workfile cannot be used", Where: path, Why: err.Error()}
	var memory *graphml.MemoryError
	if errors.As(err, &memory) {
		e.Fix = memoryFix(memory)
	}
	var syntax *graphml.SyntaxError
	if errors.As(err, &syntax) && syntax.Line > 0 {
		e.Where, e.Why = where(path, syntax.Line), syntax.Msg
	}
	return e
}

// Plain returns the reason of a file error without operation and path.
func Plain(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}
