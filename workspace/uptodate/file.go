package uptodate

import "sync"

// FileName is the name of the file of a memory in the folder with the history of a workfile.
const FileName = "successes"

// A File opens a memory when it is first needed. It may be used by several goroutines.
type File struct {
	path string

	mu     sync.Mutex
	memory *Memory
}

// At returns the file at a path, which need not exist.
func At(path string) *File { return &File{path: path} }

// Memory returns the memory, which all callers share.
func (f *File) Memory() (*Memory, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.memory == nil {
		m, err := Open(f.path)
		if err != nil {
			return nil, err
		}
		f.memory = m
	}
	return f.memory, nil
}
