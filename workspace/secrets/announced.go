package secrets

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"wf/executor"
	"wf/executor/ownfile"
	"wf/executor/rundir"
)

// Marker begins the value in a line that a command prints to have it hidden from then on.
const Marker = "::add-mask::"

// maxLine bounds an announced value, in bytes. Without an end within it, the line counts as ended.
const maxLine = 64 << 10

// chunk is how much of an output is read at once, in bytes.
const chunk = 256 << 10

// outputs are the outputs of executions that are searched for announced values. Their bytes are searched before anybody gets
// them, and before the end of the execution is recorded. A value is in the output of the command that announces it before
// another command can know that it is announced; so who has read an output, and then lets all be searched, knows all values
// that were announced before what was read.
type outputs struct {
	mu      sync.Mutex // guards the fields below; it is held while outputs are read
	running map[executor.ID][]*searched
	// folder has the outputs of executions that are not known yet, because an earlier daemon started them; "" = all are known.
	// unknown are its files.
	folder  string
	unknown map[string]*searched
}

// searched is a part of an output file, of which the bytes before pos were searched.
type searched struct {
	path     string
	pos, end int64 // end is -1 while the output grows
}

// Started says that an execution writes the outputs out and err below dir, of which the ends are not known yet.
func (m *Masks) Started(dir string, id executor.ID, out, err executor.Range) {
	if m == nil {
		return
	}
	m.outputs.mu.Lock()
	defer m.outputs.mu.Unlock()
	m.started(dir, id, out, err)
}

func (m *Masks) started(dir string, id executor.ID, out, err executor.Range) {
	if _, known := m.outputs.running[id]; known {
		return
	}
	var list []*searched
	for _, r := range []executor.Range{out, err} {
		if r.File != "" {
			list = append(list, &searched{path: pathOf(dir, r), pos: r.Start, end: -1})
		}
	}
	if m.outputs.running == nil {
		m.outputs.running = map[executor.ID][]*searched{}
	}
	m.outputs.running[id] = list
}

// Ended searches what is left of the outputs of an execution that has ended. It reads them, which can take a while.
func (m *Masks) Ended(dir string, id executor.ID, out, err executor.Range) error {
	if m == nil {
		return nil
	}
	m.outputs.mu.Lock()
	defer m.outputs.mu.Unlock()
	m.started(dir, id, out, err)
	var wrong error
	for _, s := range m.outputs.running[id] {
		for _, r := range []executor.Range{out, err} {
			if r.File != "" && pathOf(dir, r) == s.path {
				s.end = r.End
				if s.pos > s.end { // what was searched behind it belongs to the next execution: the last line ended before
					s.pos = max(r.Start, s.end-maxLine)
				}
			}
		}
		wrong = errors.Join(wrong, m.search(s))
	}
	delete(m.outputs.running, id)
	return wrong
}

// resumed says that executions of an earlier daemon write outputs below dir. Until AllStarted, all files there are searched.
func (m *Masks) resumed(dir string) {
	m.outputs.mu.Lock()
	defer m.outputs.mu.Unlock()
	m.outputs.folder, m.outputs.unknown = filepath.Join(dir, rundir.OutputFolder), map[string]*searched{}
}

// AllStarted says that all executions of an earlier daemon were reported to Started.
func (m *Masks) AllStarted() {
	m.outputs.mu.Lock()
	defer m.outputs.mu.Unlock()
	m.outputs.folder, m.outputs.unknown = "", nil
}

// searchFolder searches all files of the folder. The caller holds the mutex.
func (m *Masks) searchFolder() error {
	if m.outputs.folder == "" {
		return nil
	}
	return filepath.WalkDir(m.outputs.folder, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if m.outputs.unknown[path] == nil {
			m.outputs.unknown[path] = &searched{path: path, end: -1}
		}
		return m.search(m.outputs.unknown[path])
	})
}

// CatchUp searches what running executions have printed so far.
func (m *Masks) CatchUp() error {
	if m == nil {
		return nil
	}
	m.outputs.mu.Lock()
	defer m.outputs.mu.Unlock()
	wrong := m.searchFolder()
	for _, list := range m.outputs.running {
		for _, s := range list {
			wrong = errors.Join(wrong, m.search(s))
		}
	}
	return wrong
}

// search reads an output from where it was searched, and adds the values that it announces.
func (m *Masks) search(s *searched) error {
	f, err := ownfile.Open(s.path, os.O_RDONLY)
	if errors.Is(err, os.ErrNotExist) {
		return nil // nobody can read it
	}
	if err != nil {
		return err
	}
	defer f.Close()
	end := s.end
	if end < 0 {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		end = info.Size()
	}
	if end <= s.pos {
		return nil
	}
	buf := make([]byte, min(chunk, end-s.pos))
	for s.pos < end {
		n, err := f.ReadAt(buf[:min(int64(len(buf)), end-s.pos)], s.pos)
		if err != nil && !errors.Is(err, io.EOF) || n == 0 {
			return err
		}
		last := s.pos+int64(n) == end
		values, done := announcedIn(buf[:n], last && s.end >= 0)
		s.pos += int64(done)
		if err := m.Add(values...); err != nil {
			return err
		}
		if last || done == 0 {
			return nil
		}
	}
	return nil
}

// announcedIn returns the values that a text announces, and how much of it need not be read again. whole says that the output
// ends with it.
func announcedIn(text []byte, whole bool) (values []string, done int) {
	for {
		at := bytes.Index(text[done:], []byte(Marker))
		if at < 0 {
			if whole {
				return values, len(text)
			}
			return values, max(done, len(text)-len(Marker)+1)
		}
		begin := done + at + len(Marker)
		length := bytes.IndexByte(text[begin:], '\n')
		switch {
		case length >= 0:
		case whole || len(text)-begin >= maxLine:
			length = min(len(text)-begin, maxLine)
		default:
			return values, done + at
		}
		values = append(values, unescaped(string(text[begin:begin+length])))
		for more := 0; more >= 0; { // the marker may stand in the line again
			if more = bytes.Index(text[done+at+1:begin+length], []byte(Marker)); more >= 0 {
				at += 1 + more
				values = append(values, unescaped(string(text[done+at+len(Marker):begin+length])))
			}
		}
		done = begin + length
	}
}

// unescaped returns a value as its command means it: line ends are written as %0A, and percent signs as %25.
func unescaped(value string) string {
	return strings.NewReplacer("%0A", "\n", "%0a", "\n", "%0D", "\r", "%0d", "\r", "%25", "%").Replace(value)
}
