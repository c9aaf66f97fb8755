// Package workfile manages the file of an open workspace: its document and graph, the edits of clients with undo and redo,
// saving, changes by other programs, and the statuses that are kept in the state folder.
//
// A File is owned by a workspace and belongs to its loop; helpers read and write the disk. What the package needs to know
// about runs it gets from its Host.
package workfile

import (
	"context"
	"iter"
	"log/slog"
	"path/filepath"
	"strconv"
	"sync/atomic"

	"wf/api"
	"wf/executor"
	"wf/executor/shell"
	"wf/graph"
	"wf/graphml"
	"wf/workspace/history"
	"wf/workspace/loop"
	"wf/workspace/secrets"
)

// A Host is the workspace that a file belongs to. Its methods are called on the loop, except FirstCopy and Frozen.
type Host interface {
	// Publish sends an event to the watchers.
	Publish(api.Event)
	// Refusal returns the reason why nothing may be changed at present, or nil.
	Refusal() error
	// Running reports whether runs go on.
	Running() bool
	// RunOf returns the id of the run that a node takes part in, or "".
	RunOf(*graph.Node) string
	// States returns a function that gives the state of a node, in the word that selectors use.
	States() func(*graph.Node) string
	// Ran reports whether a run of this machine covered the node with this id.
	Ran(id string) bool
	// Execution returns the latest execution of a node, or nil if none has ended.
	Execution(*graph.Node) *Execution
	// Lost is called for a node that the file shows as running although no run executes it.
	Lost(*graph.Node)
	// Forget drops what earlier runs left of nodes that are reset.
	Forget([]*graph.Node)
	// ForgetAll drops what earlier runs left: another workflow lies at the path now.
	ForgetAll()
	// Relink is called after the graph was replaced or edited: the nodes and edges may be others.
	Relink()
	// FirstCopy returns the workfile that the oldest run of the history started with, or nil. It may be called on any
	// goroutine.
	FirstCopy() []byte
	// Frozen returns the workfile as it was at the start of a run. It may be called on any goroutine but the loop's. The
	// error is an *api.Error.
	Frozen(ctx context.Context, run string) ([]byte, error)
}

// An Execution is what the file shows of the latest execution of a node.
type Execution struct {
	Command, ErrorCode, PID string
	Dir                     string // the folder that Out and Err are relative to
	Out, Err                executor.Range
}

// Config configures a File.
type Config struct {
	Path   string // of the workfile, absolute and free of symlinks
	Folder string // of the workspace in the state folder, absolute
	Loop   *loop.Loop
	Disk   history.Disk
	Log    *slog.Logger
	Host   Host
	// Secrets knows what is secret in the outputs of runs; nil = nothing is.
	Secrets *secrets.Table
	// StandIns yields copies of the workfile and the folder of each. The first copy that can be parsed replaces a file that
	// cannot be read. nil means that there are none.
	StandIns iter.Seq2[string, []byte]
}

// File is an open workfile. Its methods are called on the loop, or before the loop starts. Methods with a context are called
// on any other goroutine.
type File struct {
	cfg      Config
	doc      *graphml.Document
	g        *graph.Graph // the whole workflow, see include.go
	raw      *graph.Graph // that of the file alone
	parts    *inclusion   // the other files that it names; nil before any is read
	seen     atomic.Pointer[seenFiles]
	inner    map[string]graph.Status // of their nodes, while the graph is that of the file alone
	warnings []graphml.Warning
	handles  *graph.HandleTable // nil when stale
	disk     onDisk
	edits    editLog
	made     madeEdits
	statuses Statuses
}

// New returns a file that has not been read, see Load.
func New(cfg Config) *File {
	f := &File{cfg: cfg}
	f.disk.nodes, f.disk.edges = map[*graph.Node]change{}, map[*graph.Edge]struct{}{}
	f.disk.timer = cfg.Loop.NewTimer(func() { f.disk.due = true })
	f.edits.f, f.made.f = f, f
	f.statuses = Statuses{f: f, own: map[string]struct{}{}, fromFile: map[string]struct{}{}}
	return f
}

// Load reads the file for the first time, before the loop starts. If it cannot, one of the stand-ins
// takes its place. The error is an *api.Error.
func (f *File) Load() error {
	data, id, err := read(f.cfg.Path)
	if err != nil {
		if f.standIn(err) {
			return nil
		}
		return ReadError(f.cfg.Path, err)
	}
	if f.doc, f.g, f.warnings, err = graphml.Parse(data, limits()); err != nil {
		if f.standIn(err) {
			return nil
		}
		return parseError(f.cfg.Path, err)
	}
	f.disk.id, f.disk.content = id, contentOf(graphml.Pieces{data})
	f.raw = f.g
	expand(f)
	return nil
}

// standIn uses a copy of the workfile in place of the file and returns false if there is none. why is the error of the file.
func (f *File) standIn(why error) bool {
	if f.cfg.StandIns == nil {
		return false
	}
	for folder, data := range f.cfg.StandIns {
		doc, g, warnings, err := graphml.Parse(data, limits())
		if err != nil {
			continue
		}
		f.doc, f.g, f.warnings, f.disk.id = doc, g, warnings, identity{}
		f.raw = g
		if f.parts, err = frozenInclusion(folder); err != nil {
			continue
		}
		expand(f)
		f.disk.unreadable = f.unreadable(why)
		f.disk.problem = f.disk.unreadable
		f.cfg.Log.Warn("trouble with a workfile", "workfile", f.cfg.Path, "problem", f.disk.problem, "stands in", folder)
		return true
	}
	return false
}

// Graph returns the graph. Changes by other programs replace it, see Host.Relink.
func (f *File) Graph() *graph.Graph { return f.g }

// Document returns the document. Changes by other programs replace it.
func (f *File) Document() *graphml.Document { return f.doc }

// Warnings returns what the parser found when the file was read.
func (f *File) Warnings() []graphml.Warning { return f.warnings }

// Statuses returns the statuses of nodes and the marks of edges.
func (f *File) Statuses() *Statuses { return &f.statuses }

// Content identifies the bytes that were read or written last. It is nil if a copy replaces the file.
func (f *File) Content() *Content { return f.disk.content }

// Handle returns the short unique name of a node.
func (f *File) Handle(n *graph.Node) string { return f.Handles().Of(n) }

// Handles returns the short unique names of all nodes.
func (f *File) Handles() *graph.HandleTable {
	if f.handles == nil {
		f.handles = graph.Handles(f.g)
	}
	return f.handles
}

// Where returns the position of a line for messages. Line 0 means the whole file.
func (f *File) Where(line int) string { return where(f.cfg.Path, line) }

func where(path string, line int) string {
	if line == 0 {
		return path
	}
	return path + ":" + strconv.Itoa(line)
}

// Wrapper returns the wrapper of the commands, including the form that Python Workforce uses.
func (f *File) Wrapper() string {
	if v, ok := f.g.Attr("wrapper"); ok {
		return v
	}
	prefix, hasPrefix := f.g.Attr("prefix")
	suffix, hasSuffix := f.g.Attr("suffix")
	if hasPrefix || hasSuffix {
		return shell.LegacyWrapper(prefix, suffix)
	}
	return ""
}

// Leave saves statuses and edits for the next time the workfile is opened. It is called when the loop ends. It logs errors,
// because no client waits any more.
func (f *File) Leave() {
	f.statuses.keepNow()
	f.edits.keep()
}

// beside returns the path of a file in the folder of the workspace.
func (f *File) beside(name string) string { return filepath.Join(f.cfg.Folder, name) }

// SetResults sets the word of a client's configuration for results; "" means none. It applies if the workfile does not
// decide. It is called on any goroutine but the loop's.
func (f *File) SetResults(word string) {
	if word, _ = graph.ParseResults(word); word != "" {
		f.cfg.Loop.Post(func() { f.statuses.setResults(word) })
	}
}

// RestoreEdits reads the edits that an earlier daemon saved. It is called before the loop starts, and before the file is
// first written.
func (f *File) RestoreEdits() {
	f.edits.restore()
	f.made.restore()
}

// Ask runs f on the loop. If another program has changed the file, the file is read again first. f must only read.
func Ask[T any](ctx context.Context, file *File, f func() (T, error)) (T, error) {
	if err := file.Refresh(ctx); err != nil {
		var none T
		return none, err
	}
	return loop.Ask(ctx, file.cfg.Loop, f)
}
