package workfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"strings"

	"wf/executor/ownfile"
	"wf/graph"
	"wf/graphml"
)

// A workfile may name others, whose nodes stand for nodes of it. The document and its edits know only the file itself: File.raw.
// Everything else sees the whole: File.g. For a file that names no others, both are the same graph.

// IncludedName is the name of the file, in the folder of a run, with the other workfiles that the run's workfile names.
const IncludedName = "included.json"

// Limits of included workfiles, so that a few files cannot fill the memory.
const (
	maxIncludeDepth = 50
	maxIncludeNodes = 500_000
)

// An inclusion is the workfiles that a workfile names, directly or through others. Paths are relative to its folder, or absolute.
type inclusion struct {
	root  string // folder of the workfile; "" if the files are those of a run
	main  string // path of the workfile, with symlinks resolved
	files map[string]*includedFile
	nodes int
}

// includedFile is one of them.
type includedFile struct {
	data []byte
	real string // its path, with symlinks resolved
	id   identity
	err  error
	g    *graph.Graph // whole, once it is read; nil if not or if it cannot be used
}

func newInclusion(path string) *inclusion {
	return &inclusion{root: filepath.Dir(path), main: path, files: map[string]*includedFile{}}
}

// whole returns a graph with the workfiles that its nodes name: the graph itself if they name none.
func (in *inclusion) whole(g *graph.Graph) *graph.Graph {
	in.nodes = len(g.Nodes())
	return in.expand(g, "", []string{in.main})
}

// expand is whole for a file in a folder. chain are the files that lead to it, itself last.
func (in *inclusion) expand(g *graph.Graph, folder string, chain []string) *graph.Graph {
	var parts []graph.Part
	for _, n := range graph.Includes(g) {
		p := graph.Part{At: n}
		var err error
		switch name := n.WorkfileName(); {
		case n.Container && n.Children() > 0:
			err = errors.New("the node contains nodes of its own; leave them or workfile out")
		case strings.Contains(name, "${{"):
			err = fmt.Errorf("%s contains an expression, and the nodes must be known before the run; write the name of a file", name)
		default:
			p.Graph, err = in.part(name, folder, chain)
		}
		if err != nil {
			p.Graph, p.Problem = nil, err.Error()
		}
		parts = append(parts, p)
	}
	if parts == nil {
		return g
	}
	return graph.Include(g, parts)
}

// part returns the whole graph of a file.
func (in *inclusion) part(name, folder string, chain []string) (*graph.Graph, error) {
	path := filepath.Clean(name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	f := in.file(path)
	if f.err != nil {
		return nil, f.err
	}
	for k, above := range chain {
		if above == f.real {
			return nil, fmt.Errorf("the workfiles include each other: %s", in.names(append(chain[k:len(chain):len(chain)], f.real)))
		}
	}
	if len(chain) > maxIncludeDepth {
		return nil, fmt.Errorf("%s is nested too deeply: %d workfiles in each other are the most", path, maxIncludeDepth)
	}
	g := f.g
	if g == nil {
		_, own, _, err := graphml.Parse(f.data, limits())
		if err != nil {
			return nil, fmt.Errorf("%s cannot be used: %w", path, err)
		}
		g = in.expand(own, filepath.Dir(path), append(chain[:len(chain):len(chain)], f.real))
		f.g = g
	}
	if in.nodes += len(g.Nodes()); in.nodes > maxIncludeNodes {
		return nil, fmt.Errorf("with %s there are more than %d nodes", path, maxIncludeNodes)
	}
	return g, nil
}

// names lists files for a message, without the folder of the workfile.
func (in *inclusion) names(paths []string) string {
	shown := make([]string, len(paths))
	for i, path := range paths {
		shown[i] = path
		if rel, err := filepath.Rel(filepath.Dir(in.main), path); err == nil && filepath.IsAbs(path) {
			shown[i] = rel
		}
	}
	return strings.Join(shown, " -> ")
}

// file reads a file, once.
func (in *inclusion) file(path string) *includedFile {
	f := in.files[path]
	if f != nil {
		return f
	}
	f = &includedFile{err: fmt.Errorf("%s is not in the folder of the run", path)}
	if in.root != "" {
		f = in.readFile(path)
	}
	in.files[path] = f
	return f
}

func (in *inclusion) readFile(path string) *includedFile {
	f := &includedFile{}
	if f.real, f.err = filepath.EvalSymlinks(in.at(path)); f.err == nil {
		f.data, f.id, f.err = read(f.real)
	}
	switch {
	case errors.Is(f.err, fs.ErrNotExist):
		f.err = fmt.Errorf("there is no %s; a relative name starts at the folder of the workfile that names it", path)
	case f.err != nil:
		f.err = fmt.Errorf("%s cannot be read: %s", path, Plain(f.err))
	}
	return f
}

// at returns the path of a file on the disk.
func (in *inclusion) at(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(in.root, path)
}

// seenFiles are the versions of files that were read, by their paths on the disk; the zero identity is of one that could not be read.
// It never changes.
type seenFiles map[string]identity

func (in *inclusion) seen() seenFiles {
	seen := make(seenFiles, len(in.files))
	for path, f := range in.files {
		seen[in.at(path)] = f.id
	}
	return seen
}

// changed reports whether a file on the disk differs from what was read.
func (s seenFiles) changed() bool {
	for path, id := range s {
		if now, _ := identityAt(path); now != id {
			return true
		}
	}
	return false
}

// Included returns the other workfiles for the folder of a run, nil if there are none.
func Included(f *File) any {
	if f.raw == f.g {
		return nil
	}
	files := map[string]includedText{}
	for path, part := range f.parts.files {
		if part.err == nil {
			files[path] = includedText{part.data, part.real}
		}
	}
	return map[string]any{"files": files}
}

// includedText is a workfile in the folder of a run.
type includedText struct {
	Data []byte `json:"data"`
	Real string `json:"real"`
}

// frozenInclusion returns the workfiles that a run kept. dir is the folder of the run.
func frozenInclusion(dir string) (*inclusion, error) {
	in := &inclusion{files: map[string]*includedFile{}}
	data, err := ownfile.Read(filepath.Join(dir, IncludedName), MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return in, nil
	}
	var kept struct {
		Files map[string]includedText `json:"files"`
	}
	if err == nil {
		err = json.Unmarshal(data, &kept)
	}
	if err != nil {
		return nil, fmt.Errorf("the workfiles that it includes: %w", err)
	}
	for path, text := range kept.Files {
		in.files[path] = &includedFile{data: text.Data, real: text.Real}
	}
	return in, nil
}

// collapse makes the graph that of the file alone, with the present statuses, before an edit or a change of the file.
func collapse(f *File) {
	if f.raw == f.g {
		return
	}
	f.inner = map[string]graph.Status{}
	for _, n := range f.g.Nodes() {
		if n.Included() {
			f.inner[n.ID] = n.Status
		} else {
			f.raw.SetStatus(f.raw.Node(n.ID), n.Status)
		}
	}
	for _, e := range f.raw.Edges() {
		f.raw.SetMark(e, f.g.Edge(e.Key).Mark)
	}
	use(f, f.raw)
}

// expand makes the graph the whole again.
func expand(f *File) {
	if len(graph.Includes(f.raw)) == 0 {
		f.seen.Store(nil)
		if f.inner != nil {
			f.inner = nil
			f.cfg.Host.Relink()
		}
		return
	}
	if f.parts == nil || f.parts.root != "" {
		parts := newInclusion(f.cfg.Path)
		if f.parts != nil {
			maps.Copy(parts.files, f.parts.files)
		}
		f.parts = parts
	}
	g := f.parts.whole(f.raw)
	if f.parts.root != "" {
		f.seen.Store(new(f.parts.seen()))
	}
	for _, n := range g.Nodes() {
		if n.Included() {
			g.SetStatus(n, f.inner[n.ID])
		}
	}
	use(f, g)
	f.cfg.Host.Relink()
}

// use replaces the graph by another one of the same file.
func use(f *File, g *graph.Graph) {
	f.g, f.handles = g, nil
	nodes, edges := f.disk.nodes, f.disk.edges
	f.disk.nodes, f.disk.edges = map[*graph.Node]change{}, map[*graph.Edge]struct{}{}
	for n, what := range nodes {
		if n = g.Node(n.ID); n != nil {
			f.disk.nodes[n] = what
		}
	}
	for e := range edges {
		if e = g.Edge(e.Key); e != nil {
			f.disk.edges[e] = struct{}{}
		}
	}
}
