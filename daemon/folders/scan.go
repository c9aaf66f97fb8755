// Package folders lists the files that match a pattern and reports changes of their folders. A list is always complete; a report
// only says that it is time for a new one. It decides nothing about the files.
package folders

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"wf/trigger"
	"wf/trigger/arrivals"
)

// Limits of one pattern.
const (
	MostFiles   = 100_000
	mostFolders = 10_000
)

// A Pattern is a pattern of files, relative to a folder.
type Pattern struct {
	root string   // the folder to which names are relative
	base string   // the parts before the first wildcard, without the name of the file
	rest []string // the others
}

// NewPattern returns a pattern of trigger.File that is relative to root.
func NewPattern(root, pattern string) Pattern {
	parts := strings.Split(filepath.ToSlash(filepath.Clean(pattern)), "/")
	n := 0
	for n < len(parts)-1 && !trigger.HasWildcard(parts[n]) {
		n++
	}
	base := strings.Join(parts[:n], "/")
	if n == 1 && base == "" {
		base = "/"
	}
	return Pattern{root: root, base: base, rest: parts[n:]}
}

// Path returns the absolute path of a name in a List.
func (p Pattern) Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.root, name)
}

// Base returns the folder that contains all files of the pattern.
func (p Pattern) Base() string { return p.Path(p.base) }

// A List is what a scan found.
type List struct {
	Files []arrivals.File
	// Folder is the inode of the base; 0 = it does not exist.
	Folder uint64
	// Err is why files may be missing in the list, such as a folder that cannot be read.
	Err error
}

// Scan lists the regular files that match. Symbolic links are followed. Before a folder is read, enter is called with its path and the
// part of the pattern that its entries shall match; enter may be nil.
func (p Pattern) Scan(enter func(path, part string)) (l List) {
	info, err := os.Stat(p.Base())
	switch {
	case err != nil && !gone(err):
		l.Err = err
		return l
	case err != nil || !info.IsDir():
		return l
	}
	l.Folder = inode(info)
	s := scan{p: p, list: &l, enter: enter, inodes: p.inodes()}
	s.folder(p.base, p.rest)
	return l
}

// scan is a scan that is under way.
type scan struct {
	p       Pattern
	list    *List
	enter   func(path, part string)
	folders int
	inodes  bool // versions have the inode
}

// fail notes the first error.
func (s *scan) fail(err error) {
	if s.list.Err == nil {
		s.list.Err = err
	}
}

// full reports that a limit is reached.
func (s *scan) full() bool {
	if s.folders > mostFolders {
		s.fail(fmt.Errorf("more than %d folders match", mostFolders))
	}
	if len(s.list.Files) > MostFiles {
		s.fail(fmt.Errorf("more than %d files match", MostFiles))
	}
	return s.folders > mostFolders || len(s.list.Files) > MostFiles
}

// folder lists the folder with a name. parts are the rest of the pattern.
func (s *scan) folder(name string, parts []string) {
	if s.folders++; s.full() {
		return
	}
	path := s.p.Path(name)
	if s.enter != nil {
		s.enter(path, parts[0])
	}
	if !trigger.HasWildcard(parts[0]) {
		s.entry(filepath.Join(name, parts[0]), parts)
		return
	}
	f, err := os.Open(path)
	if err != nil {
		if !gone(err) {
			s.fail(err)
		}
		return
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		s.fail(err)
	}
	for _, e := range entries {
		switch kind := e.Type(); {
		case !trigger.MatchName(parts[0], e.Name()):
		case kind&fs.ModeSymlink == 0 && kind.IsDir() != (len(parts) > 1):
		default:
			s.entry(filepath.Join(name, e.Name()), parts)
		}
		if s.full() {
			return
		}
	}
}

// entry looks at an entry of a folder.
func (s *scan) entry(name string, parts []string) {
	info, err := os.Stat(s.p.Path(name))
	switch {
	case err != nil && !gone(err):
		s.fail(err)
	case err != nil: // it was removed meanwhile, or is a link to nothing
	case len(parts) == 1 && info.Mode().IsRegular():
		s.list.Files = append(s.list.Files, arrivals.File{Name: name, Version: version(info, s.inodes)})
	case len(parts) > 1 && info.IsDir():
		s.folder(name, parts[1:])
	}
}

// Look returns those of some files of a List that still exist.
func (p Pattern) Look(names []string) (files []arrivals.File, err error) {
	inodes := p.inodes()
	for _, name := range names {
		info, statErr := os.Stat(p.Path(name))
		if statErr != nil && !gone(statErr) {
			err = statErr
		}
		if statErr == nil && info.Mode().IsRegular() {
			files = append(files, arrivals.File{Name: name, Version: version(info, inodes)})
		}
	}
	return files, err
}

// gone reports that there is nothing at a path.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}

// inodes reports whether a file keeps its inode. On network file systems and FUSE it may change with each mount, which would make
// all files new.
func (p Pattern) inodes() bool { return !Polled(p.Base()) }

func version(info fs.FileInfo, inodes bool) arrivals.Version {
	v := arrivals.Version{Size: info.Size(), Modified: info.ModTime().UnixNano()}
	if inodes {
		v.Inode = inode(info)
	}
	return v
}

func inode(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ino
	}
	return 0
}
