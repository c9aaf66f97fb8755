package historytest

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"wf/workspace/history"
)

// Volatile is a disk below a folder that tracks which data is durable. The files exist, so that readers
// see unsynced data; Cut leaves the state after a power cut. It is safe for concurrent use. Files that
// were created in another way must not be opened and stay as they are; folders created so are durable.
type Volatile struct {
	root string
	disk history.LocalDisk

	mu   sync.Mutex // guards all nodes
	tree *node
}

// A node is a folder or a file.
type node struct {
	dir     map[string]*node // a folder's entries; nil for a file
	ours    map[string]bool  // names in a folder that entries ever had
	durable map[string]*node // entries that are on the disk
	synced  []byte           // of a file: contents on the disk
	pending []change         // changes that may be on the disk, in part and in any order
}

// A change is a write, or a new size if data is nil.
type change struct {
	at   int64
	data []byte
}

func newFolder() *node {
	return &node{dir: map[string]*node{}, durable: map[string]*node{}, ours: map[string]bool{}}
}

// put makes e the entry of that name.
func (n *node) put(name string, e *node) { n.dir[name], n.ours[name] = e, true }

// NewVolatile returns a disk below a folder. The folder itself, and those that exist in it, are durable.
func NewVolatile(root string) (*Volatile, error) {
	v := &Volatile{root: root, tree: newFolder()}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == root || !d.IsDir() {
			return err
		}
		parent, name := v.parent(path)
		parent.put(name, newFolder())
		parent.durable[name] = parent.dir[name]
		return nil
	})
	return v, err
}

// parent returns the folder that contains path, and its name there. The caller must have locked mu.
func (v *Volatile) parent(path string) (*node, string) {
	rel, err := filepath.Rel(v.root, path)
	if err != nil || strings.HasPrefix(rel, "..") {
		panic("historytest: " + path + " is not below " + v.root)
	}
	at := v.tree
	parts := strings.Split(rel, string(filepath.Separator))
	below := v.root
	for _, name := range parts[:len(parts)-1] {
		below = filepath.Join(below, name)
		if at.dir[name] == nil {
			if info, err := os.Lstat(below); err != nil || !info.IsDir() {
				panic("historytest: no folder for " + path)
			}
			at.put(name, newFolder()) // created in another way
			at.durable[name] = at.dir[name]
		}
		at = at.dir[name]
	}
	return at, parts[len(parts)-1]
}

// Open opens a file.
func (v *Volatile) Open(path string, flag int) (history.File, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	f, err := v.disk.Open(path, flag)
	if err != nil {
		return nil, err
	}
	parent, name := v.parent(path)
	n := parent.dir[name]
	if n == nil {
		n = &node{}
		parent.put(name, n)
	}
	if flag&os.O_TRUNC != 0 {
		n.pending = append(n.pending, change{at: 0})
	}
	return &volatileFile{f, v, n}, nil
}

// Mkdir creates a folder.
func (v *Volatile) Mkdir(path string) error {
	return v.after(v.disk.Mkdir(path), func() {
		parent, name := v.parent(path)
		parent.put(name, newFolder())
	})
}

// Rename moves a file or a folder.
func (v *Volatile) Rename(from, to string) error {
	return v.after(v.disk.Rename(from, to), func() {
		old, name := v.parent(from)
		moved := old.dir[name]
		delete(old.dir, name)
		parent, name := v.parent(to)
		parent.put(name, moved)
	})
}

// Remove removes a file.
func (v *Volatile) Remove(path string) error { return v.after(v.disk.Remove(path), v.gone(path)) }

// RemoveAll removes a folder.
func (v *Volatile) RemoveAll(path string) error { return v.after(v.disk.RemoveAll(path), v.gone(path)) }

func (v *Volatile) gone(path string) func() {
	return func() {
		parent, name := v.parent(path)
		delete(parent.dir, name)
	}
}

func (v *Volatile) after(err error, update func()) error {
	if err == nil {
		v.mu.Lock()
		defer v.mu.Unlock()
		update()
	}
	return err
}

// SyncDir makes the entries of a folder durable.
func (v *Volatile) SyncDir(dir string) error {
	return v.after(v.disk.SyncDir(dir), func() {
		parent, _ := v.parent(filepath.Join(dir, "any"))
		clear(parent.durable)
		for name, n := range parent.dir {
			parent.durable[name] = n
		}
	})
}

// Cut simulates a power cut: it leaves all synced data, and random sectors of the rest; with nil none of
// the rest. Open files must not be used any more.
func (v *Volatile) Cut(random *rand.Rand) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.tree.settle(random)
	return v.tree.restore(v.root)
}

// settle makes the remaining state the durable state.
func (n *node) settle(random *rand.Rand) {
	if n.dir == nil {
		if random != nil {
			n.synced = survive(n.synced, n.pending, random)
		}
		n.pending = nil
		return
	}
	if random != nil && random.IntN(2) == 0 { // the folder was written without a sync
		clear(n.durable)
		for name, entry := range n.dir {
			n.durable[name] = entry
		}
	}
	clear(n.dir)
	for name, entry := range n.durable {
		n.dir[name] = entry
		entry.settle(random)
	}
}

const sector = 512

// survive applies a random part of the changes. A sector has all changes up to a random moment and none of
// the later ones. The size of a file is written separately.
func survive(text []byte, changes []change, random *rand.Rand) []byte {
	text = append([]byte(nil), text...)
	moments := map[int64]int{}
	sized, generous := random.IntN(len(changes)+1), random.IntN(2) == 0
	for i, c := range changes {
		if c.data == nil {
			if i < sized {
				text = resize(text, c.at)
			}
			continue
		}
		for len(c.data) > 0 {
			piece := min(int64(len(c.data)), sector-c.at%sector)
			moment, known := moments[c.at/sector]
			if !known {
				moment = random.IntN(len(changes) + 1)
				if generous && random.IntN(4) > 0 {
					moment = len(changes)
				}
				moments[c.at/sector] = moment
			}
			if i < moment {
				text = apply(text, change{c.at, c.data[:piece]})
			}
			c.at, c.data = c.at+piece, c.data[piece:]
		}
	}
	return text
}

func apply(text []byte, c change) []byte {
	if c.data == nil {
		return resize(text, c.at)
	}
	if end := c.at + int64(len(c.data)); end > int64(len(text)) {
		text = resize(text, end)
	}
	copy(text[c.at:], c.data)
	return text
}

func resize(text []byte, size int64) []byte {
	if size <= int64(len(text)) {
		return text[:size]
	}
	return append(text, make([]byte, size-int64(len(text)))...)
}

// restore writes the durable state to path.
func (n *node) restore(path string) error {
	if n.dir == nil {
		return os.WriteFile(path, n.synced, 0o600)
	}
	for name := range n.ours {
		if entry := n.dir[name]; entry != nil && entry.dir != nil {
			continue // restored below
		}
		if err := os.RemoveAll(filepath.Join(path, name)); err != nil {
			return err
		}
	}
	for name, entry := range n.dir {
		below := filepath.Join(path, name)
		if entry.dir != nil {
			if err := os.Mkdir(below, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
		}
		if err := entry.restore(below); err != nil {
			return err
		}
	}
	return nil
}

type volatileFile struct {
	history.File
	disk *Volatile
	node *node
}

func (f *volatileFile) WriteAt(p []byte, off int64) (int, error) {
	n, err := f.File.WriteAt(p, off)
	f.disk.after(nil, func() {
		f.node.pending = append(f.node.pending, change{off, append([]byte(nil), p[:n]...)})
	})
	return n, err
}

func (f *volatileFile) Truncate(size int64) error {
	return f.disk.after(f.File.Truncate(size), func() {
		f.node.pending = append(f.node.pending, change{at: size})
	})
}

func (f *volatileFile) Sync() error {
	return f.disk.after(nil, func() {
		for _, c := range f.node.pending {
			f.node.synced = apply(f.node.synced, c)
		}
		f.node.pending = nil
	})
}

// forget drops the pending changes, as a failed sync may do.
func (f *volatileFile) forget() {
	f.disk.after(nil, func() { f.node.pending = nil })
}
