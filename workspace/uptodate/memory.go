package uptodate

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"wf/executor/checksum"
	"wf/executor/ownfile"
)

// A Success is a successful execution of a command that declares outputs.
type Success struct {
	Node    string            `json:"node"` // its path, by which its latest success is found
	Run     int               `json:"run"`
	Time    time.Time         `json:"time"`
	Facts   Facts             `json:"facts"`
	Outputs map[string]Digest `json:"outputs"`          // by declared path
	Values  json.RawMessage   `json:"values,omitempty"` // what the command has written to WF_OUTPUT
	Stdout  json.RawMessage   `json:"stdout,omitempty"` // what it has printed; nil if no expression read it
	// Accepted means that a person has declared the outputs to be right (wf accept); there was no execution.
	Accepted string `json:"accepted,omitempty"`
}

// Bounds of a memory. What is forgotten is executed, or read, once more.
const (
	maxPerNode = 8 // successes of one node with different facts
	maxDigests = 500_000
)

// A Memory is the file with the successes of a workfile, and the digests of the files that it has read. The file is text: each
// line is "crc32c SP JSON". A line that is damaged, or that a crash cut off, is as if it had not been written: then a command is
// executed that need not have been.
type Memory struct {
	path   string
	saving sync.Mutex // during a Save

	mu        sync.Mutex
	successes map[Digest]*Success
	ofNode    map[string][]Digest // keys of its successes, the latest last
	digests   map[string]known
	attempts  map[string]*attempt // by node
	partial   map[string]bool     // places that attempts may have left incomplete
	unwritten []byte
	size      int64 // of the file, in bytes
	lines     int   // in the file
}

// known is the digest of a file with some identity.
type known struct {
	Path   string `json:"path"`
	Digest Digest `json:"digest"`
	identity
}

// line is one line of the file.
type line struct {
	Success *Success `json:"success,omitempty"`
	Known   *known   `json:"known,omitempty"`
	Begun   *attempt `json:"begun,omitempty"`
}

// Open reads the memory in a file, which need not exist. An unreadable file is an error; the caller may remove it.
func Open(path string) (*Memory, error) {
	m := &Memory{path: path, successes: map[Digest]*Success{}, ofNode: map[string][]Digest{}, digests: map[string]known{},
		attempts: map[string]*attempt{}, partial: map[string]bool{}}
	f, err := ownfile.Open(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<16)
	for {
		text, err := r.ReadBytes('\n')
		if err == io.EOF {
			m.size += int64(len(text))
			if len(text) > 0 {
				m.unwritten = append(m.unwritten, '\n') // so that the next line does not continue this one
			}
			break
		}
		if err != nil {
			return nil, err
		}
		m.size += int64(len(text))
		m.lines++
		m.take(text)
	}
	return m, nil
}

// take applies a line of the file.
func (m *Memory) take(text []byte) {
	sum, payload, ok := bytes.Cut(bytes.TrimSuffix(text, []byte{'\n'}), []byte{' '})
	if !ok || string(sum) != sumOf(payload) {
		return
	}
	var l line
	if json.Unmarshal(payload, &l) != nil {
		return
	}
	if l.Success != nil {
		m.add(l.Success)
	}
	if l.Known != nil {
		m.digests[l.Known.Path] = *l.Known
	}
	if l.Begun != nil {
		m.begin(l.Begun)
	}
}

func sumOf(payload []byte) string { return fmt.Sprintf("%08x", checksum.Of(payload)) }

// add makes a success the latest one of its node.
func (m *Memory) add(s *Success) {
	m.endAttempt(s.Node)
	key := s.Facts.Key()
	m.successes[key] = s
	keys := slices.DeleteFunc(m.ofNode[s.Node], func(k Digest) bool { return k == key })
	keys = append(keys, key)
	if len(keys) > maxPerNode {
		if old := m.successes[keys[0]]; old != nil && old.Node == s.Node {
			delete(m.successes, keys[0])
		}
		keys = keys[1:]
	}
	m.ofNode[s.Node] = keys
}

// append adds a line to those that Save writes.
func (m *Memory) append(l line) {
	payload, err := json.Marshal(l)
	if err != nil {
		panic("internal error: a success cannot be written as JSON")
	}
	m.unwritten = fmt.Appendf(m.unwritten, "%s %s\n", sumOf(payload), payload)
}

// Latest returns the latest success of a node, or nil. It must not be changed.
func (m *Memory) Latest(node string) *Success {
	m.mu.Lock()
	defer m.mu.Unlock()
	if keys := m.ofNode[node]; len(keys) > 0 {
		return m.successes[keys[len(keys)-1]]
	}
	return nil
}

// digest returns the remembered digest of a file with this identity.
func (m *Memory) digest(path string, id identity) (Digest, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, ok := m.digests[path]
	return k.Digest, ok && k.identity == id
}

// remember notes the digest of a file with this identity.
func (m *Memory) remember(path string, id identity, digest Digest) {
	k := known{Path: path, Digest: digest, identity: id}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.digests[path] = k
	m.append(line{Known: &k})
}

// Remember adds a success. Save makes it last.
func (m *Memory) Remember(s *Success) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.add(s)
	m.append(line{Success: s})
}

// Save writes to the file what is new. A power cut may take back the latest successes: the file is not synced, because what it
// loses is merely executed again.
func (m *Memory) Save() error {
	m.saving.Lock()
	defer m.saving.Unlock()
	m.mu.Lock()
	data, rewrite := m.unwritten, m.wasteful()
	m.unwritten = nil
	if rewrite {
		data = m.whole()
	}
	at := m.size
	m.mu.Unlock()
	if len(data) == 0 {
		return nil
	}
	var err error
	if rewrite {
		err = m.replace(data)
	} else {
		err = m.extend(data, at)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		m.unwritten = append(data, m.unwritten...) // of a rewritten file, too: lines may occur twice
		return err
	}
	if rewrite {
		at, m.lines = 0, 0
	}
	m.size = at + int64(len(data))
	m.lines += bytes.Count(data, []byte{'\n'})
	return nil
}

// wasteful reports whether most lines of the file are superseded.
func (m *Memory) wasteful() bool {
	return m.lines > 1000 && m.lines > 3*(len(m.successes)+len(m.digests)) || len(m.digests) > maxDigests
}

// whole returns a file without superseded lines.
func (m *Memory) whole() []byte {
	if len(m.digests) > maxDigests {
		clear(m.digests)
	}
	kept := m.unwritten
	m.unwritten = nil
	for _, keys := range m.ofNode {
		for _, key := range keys {
			if s := m.successes[key]; s != nil {
				m.append(line{Success: s})
			}
		}
	}
	for _, k := range m.digests {
		m.append(line{Known: &k})
	}
	for _, a := range m.attempts {
		m.append(line{Begun: a})
	}
	data := m.unwritten
	m.unwritten = kept
	return data
}

func (m *Memory) extend(data []byte, at int64) error {
	f, err := ownfile.Open(m.path, os.O_WRONLY|os.O_CREATE)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(data, at)
	return errors.Join(err, f.Close())
}

func (m *Memory) replace(data []byte) error {
	tmp := filepath.Join(filepath.Dir(m.path), ".new-"+filepath.Base(m.path))
	f, err := ownfile.Open(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(tmp, m.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return nil
}
