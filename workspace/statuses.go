package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"wf/api"
	"wf/executor/ownfile"
	"wf/graph"
	"wf/workspace/history"
)

// The statuses of nodes and edges live in the state folder; the workfile shows them where it is allowed
// to (results.go). What this machine knows counts: a node that took part in a run here keeps its status,
// whatever the file says by now. Of the other nodes the file's statuses are believed, except with
// "none", and shown as "from the file".

// statusesFile is written at the end of every run and when a workspace closes. Before the end of a run it
// is durable only if the workfile cannot show the statuses: else a power cut costs no more than reading
// them from the workfile or the history once more.
//
// A file of this name also lies beside the frozen workfile of a run where that does not show the statuses
// that the run began with.
const statusesFile = "statuses.json"

// keptStatuses is the content of the file.
type keptStatuses struct {
	Workfile string `json:"workfile"`          // absolute
	Setting  string `json:"setting,omitempty"` // what the user's configuration says about results
	Through  int    `json:"through,omitempty"` // the newest run that is part of it
	// Unwritten says that the workfile lacks some of it: the disk was full, or the file gone or garbage.
	Unwritten bool         `json:"unwritten,omitempty"`
	Content   *fileContent `json:"content,omitempty"` // of the workfile as it was left
	Nodes     []keptStatus `json:"nodes"`
	Marks     []markedEdge `json:"marks,omitempty"` // edges that bear a token
	Dead      []markedEdge `json:"dead,omitempty"`  // edges that are dead
}

// keptStatus is the id of a node, its status, and a hash of its command. Nodes that no run of this
// machine covered are not listed.
type keptStatus [3]string

// markedEdge is the N-th edge between two nodes, and bears a mark.
type markedEdge struct {
	Source string `json:"source"`
	Target string `json:"target"`
	N      int    `json:"n"`
}

func markedIn(g *graph.Graph, e *graph.Edge) markedEdge {
	return markedEdge{e.Source.ID, e.Target.ID, nth(g.EdgesBetween(e.Source, e.Target), e)}
}

func (w *Workspace) statusesPath() string {
	return filepath.Join(w.cfg.State, "workspaces", w.id, statusesFile)
}

// known reports whether this machine knows the status of a node: a run covered it, or somebody set it.
func (w *Workspace) known(id string) bool {
	if _, foreign := w.foreign[id]; foreign {
		return false // a resume may have kept it without executing it
	}
	m := w.last[id]
	return m.known || m.run != 0
}

// know notes that it does.
func (w *Workspace) know(n *graph.Node) {
	m := w.last[n.ID]
	m.known = true
	w.last[n.ID] = m
	delete(w.foreign, n.ID)
}

// statuses is what is known now, to be written by keep.
func (w *Workspace) statuses() keptStatuses {
	k := keptStatuses{Workfile: w.path, Setting: w.setting, Through: w.through, Content: w.file.content,
		Unwritten: w.unwritten(), Nodes: make([]keptStatus, 0, len(w.last))}
	for _, n := range w.g.Nodes() {
		if w.known(n.ID) {
			k.Nodes = append(k.Nodes, keptStatus{n.ID, n.Status.String(), commandHash(n)})
		}
	}
	for _, e := range w.g.Edges() {
		switch {
		case !w.known(e.Source.ID) || !w.known(e.Target.ID):
		case e.Mark == graph.ToRun:
			k.Marks = append(k.Marks, markedIn(w.g, e))
		case e.Mark == graph.Dead:
			k.Dead = append(k.Dead, markedIn(w.g, e))
		}
	}
	return k
}

// unwritten reports whether something of ours is not in the workfile.
func (w *Workspace) unwritten() bool { return w.file.changed != w.file.written }

func commandHash(n *graph.Node) string {
	h := fnv.New32a()
	h.Write([]byte(n.Label))
	return strconv.FormatUint(uint64(h.Sum32()), 36)
}

// keep writes it. After an error an earlier note is as it was.
func (k keptStatuses) keep(disk history.Disk, path string) error {
	data, err := json.Marshal(k)
	if err != nil {
		return err
	}
	if k.Unwritten {
		return history.ReplaceFile(disk, path, data)
	}
	return history.ReplaceFileLater(disk, path, data)
}

// keepStatuses writes them now, on the loop, if they have changed: for edits, and when a workspace ends.
func (w *Workspace) keepStatuses() {
	if !w.statusesStale && w.noted == w.unwritten() {
		return
	}
	k := w.statuses()
	if err := k.keep(w.disk(), w.statusesPath()); err != nil {
		w.cfg.Log.Error("the statuses cannot be kept in the state folder", "workfile", w.path, "err", err)
		return
	}
	w.statusesStale, w.noted = false, k.Unwritten
}

// keepThen calls f when what somebody has set or reset is in the state folder.
func (w *Workspace) keepThen(f func()) {
	if !w.statusEdited {
		f()
		return
	}
	w.statusEdited = false
	k, disk, path := w.statuses(), w.disk(), w.statusesPath()
	w.statusesStale, w.noted = false, k.Unwritten
	w.loop.Run(func() {
		err := k.keep(disk, path)
		w.send(call(func(w *Workspace) {
			if err != nil {
				w.statusesStale = true
				w.cfg.Log.Error("the statuses cannot be kept in the state folder", "workfile", w.path, "err", err)
			}
			f()
		}))
	})
}

// recallStatuses brings graph and state folder together when a workfile is opened. What it could not be
// sure of is settled by settleStatuses, when the history has been read.
func (w *Workspace) recallStatuses() {
	k, found := w.readStatuses()
	w.setting, w.through, w.noted = k.Setting, k.Through, k.Unwritten
	w.settleResults()
	w.foreign = map[string]struct{}{}
	w.otherWorkflow = found && !w.sameWorkflow(k)
	// A power cut may have left a note from before the latest run; the workfile was made durable at its end.
	overtaken := w.results != api.ResultsNone && !k.Unwritten && w.later(k.Through)
	w.statusesFound = found && !w.otherWorkflow && !overtaken
	status := make(map[string]graph.Status, len(k.Nodes))
	if w.statusesFound {
		for _, s := range k.Nodes {
			status[s[0]], _ = graph.ParseStatus(s[1])
		}
	}
	for _, n := range w.g.Nodes() {
		s, known := status[n.ID]
		switch {
		case known:
			w.last[n.ID] = memory{known: true}
		case w.statusesFound && k.Unwritten: // it was reset, which the file does not show
			s = graph.Idle
		case w.results == api.ResultsNone && (w.statusesFound || w.otherWorkflow):
			s = graph.Idle
		default:
			if s = n.Status; s != graph.Idle {
				w.foreign[n.ID] = struct{}{}
			}
		}
		w.recallStatus(n, s, k.Unwritten)
	}
	if w.statusesFound {
		w.recallMarks(k)
	}
}

// recallStatus gives a node a status that the file may not show. One that could not be put there is put
// there now; else the next run does that.
func (w *Workspace) recallStatus(n *graph.Node, s graph.Status, unwritten bool) {
	if n.Status == s {
		return
	}
	w.g.SetStatus(n, s)
	if w.behind = true; unwritten && w.results != api.ResultsNone {
		w.file.touch(n)
	}
}

func (w *Workspace) recallMarks(k keptStatuses) {
	marked := k.marks()
	for _, e := range w.g.Edges() {
		mark := marked[markedIn(w.g, e)]
		if !w.known(e.Source.ID) || !w.known(e.Target.ID) {
			if mark = e.Mark; k.Unwritten || w.results == api.ResultsNone {
				mark = graph.Unmarked
			}
		}
		if mark == e.Mark {
			continue
		}
		w.g.SetMark(e, mark)
		if w.behind = true; k.Unwritten && w.results != api.ResultsNone {
			w.file.touchEdge(e)
		}
	}
}

// readStatuses reads the note of this version, else that of an earlier one.
func (w *Workspace) readStatuses() (k keptStatuses, found bool) {
	data, err := ownfile.Read(w.statusesPath(), maxFile)
	if err == nil {
		err = json.Unmarshal(data, &k)
	}
	switch {
	case err == nil:
		return k, true
	case errors.Is(err, fs.ErrNotExist):
		return w.readUnpublished()
	}
	w.cfg.Log.Warn("a note of statuses cannot be read", "path", w.statusesPath(), "err", err)
	return keptStatuses{}, false
}

// readUnpublished reads what earlier versions wrote down when statuses could not be put into the
// workfile. It listed every node with a status.
func (w *Workspace) readUnpublished() (k keptStatuses, found bool) {
	var old struct {
		Nodes map[string]string `json:"nodes"`
		Marks []markedEdge      `json:"marks"`
		Dead  []markedEdge      `json:"dead"`
	}
	path := w.unpublishedPath()
	data, err := ownfile.Read(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return k, false
	}
	if err == nil {
		err = json.Unmarshal(data, &old)
	}
	if err != nil {
		w.cfg.Log.Warn("a note of statuses cannot be read", "path", path, "err", err)
		return k, false
	}
	k = keptStatuses{Unwritten: true, Marks: old.Marks, Dead: old.Dead}
	for _, n := range w.g.Nodes() {
		k.Nodes = append(k.Nodes, keptStatus{n.ID, old.Nodes[n.ID], commandHash(n)})
	}
	return k, true
}

func (w *Workspace) unpublishedPath() string {
	return filepath.Join(w.cfg.State, "workspaces", w.id, unpublishedFile)
}

// unpublishedFile is where earlier versions kept statuses that the workfile lacked.
const unpublishedFile = "unpublished.json"

// dropUnpublished removes the note of an earlier version when a newer one stands in its place.
func (w *Workspace) dropUnpublished() {
	if err := os.Remove(w.unpublishedPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.cfg.Log.Warn("a note of statuses cannot be removed", "err", err)
	}
}

// later reports whether a run that is over is newer than run n.
func (w *Workspace) later(n int) bool {
	numbers, err := w.store.Numbers()
	if err != nil {
		return false
	}
	for _, m := range numbers {
		if m <= n {
			return false
		}
		if w.store.Over(m) {
			return true
		}
	}
	return false
}

// sameWorkflow tells an edited workfile from another workflow at the same path, whose nodes have the same
// ids because a program has numbered them. It is another one if nothing of any node that is known is as
// it was: command, status in the file, or an id that a person or a random generator chose.
func (w *Workspace) sameWorkflow(k keptStatuses) bool {
	met := false
	for _, s := range k.Nodes {
		n := w.g.Node(s[0])
		if n == nil {
			continue
		}
		if met = true; commandHash(n) == s[2] || !numbered(n.ID) || n.Status != graph.Idle && n.Status.String() == s[1] {
			return true
		}
	}
	return !met
}

// numbered reports whether an id is a number, or a letter and a number: n0, 17.
func numbered(id string) bool {
	digits := strings.TrimLeft(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-")
	return len(id)-len(digits) <= len("node_") && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// settleStatuses decides about what only the history could tell, and about what was left running by a run
// that nobody has.
func (w *Workspace) settleStatuses() {
	for _, n := range w.g.Nodes() {
		_, foreign := w.foreign[n.ID]
		if foreign && !w.statusesFound && !w.otherWorkflow && (w.record(n) != nil || w.last[n.ID].run != 0) {
			w.know(n) // a run of an earlier version, which kept statuses in the workfile only
		}
		if w.relearns() {
			w.relearn(n)
		}
		if n.Status == graph.Running && !w.covered(n) && len(w.untaken) == 0 {
			w.lose(n, foreign)
		}
	}
}

// relearns reports whether statuses have to be taken from the history: the file's are not believed, and
// the state folder has none.
func (w *Workspace) relearns() bool {
	return w.results == api.ResultsNone && !w.statusesFound && !w.otherWorkflow
}

// relearn takes the status of a node from the history, where neither the state folder nor the file tells.
func (w *Workspace) relearn(n *graph.Node) {
	status := graph.Idle
	switch rec := w.last[n.ID].rec; {
	case w.covered(n):
		return
	case rec != nil && rec.status == n.Status:
		return
	case rec != nil && w.last[n.ID].run == rec.run:
		status = rec.status
	}
	delete(w.foreign, n.ID)
	if n.Status != status {
		w.g.SetStatus(n, status)
		w.behind, w.statusesStale = true, true
	}
}

// covered reports whether a run that is going covers a node, itself or by its instances.
func (w *Workspace) covered(n *graph.Node) bool {
	for _, r := range w.runs {
		if _, in := r.sched.Index(n.ID); in || r.templates[n.ID] != nil {
			return true
		}
	}
	return false
}

// lose is about a node that is said to run while nobody runs it: its run is lost, or was never here.
func (w *Workspace) lose(n *graph.Node, foreign bool) {
	m := w.last[n.ID]
	message := "its run is gone"
	if foreign {
		message = "the workfile says that it runs, and no run of this machine does that"
	}
	if foreign {
		m.run = 0
	}
	rec := nodeRecord{run: m.run, status: graph.Failed, reason: api.ReasonLost, message: message}
	if m.rec != nil && m.rec.run == m.run {
		rec.executions, rec.started, rec.command, rec.out, rec.err = m.rec.executions, m.rec.started, m.rec.command, m.rec.out, m.rec.err
	}
	m.rec = &rec
	w.last[n.ID] = m
	w.g.SetStatus(n, graph.Failed)
	w.behind = true
}

// statusKeeping is what a workspace knows of its statuses beyond the graph.
type statusKeeping struct {
	results string              // what is published in the workfile: api.ResultsNone …
	setting string              // what the user's configuration says about that; "" = nothing
	foreign map[string]struct{} // nodes whose status came with the file
	through int                 // the newest run that is over
	behind  bool                // the workfile may not show all statuses

	statusesStale bool   // they have changed since they were kept
	statusesFound bool   // the state folder had them when the workfile was opened
	otherWorkflow bool   // what it had is about another workflow, which lay at the same path
	statusEdited  bool   // somebody has set or reset a status
	movedFrom     string // the workfile that this one seems to have been
	noted         bool   // what is kept says that the workfile lacks some of it
}

// anyStatus reports whether any node or edge has a status.
func anyStatus(g *graph.Graph) bool {
	return slices.ContainsFunc(g.Nodes(), func(n *graph.Node) bool { return n.Status != graph.Idle }) ||
		slices.ContainsFunc(g.Edges(), func(e *graph.Edge) bool { return e.Mark != graph.Unmarked })
}

// putFrozenStatuses puts the statuses that a run began with into its frozen graph, where they lie beside it in dir.
func putFrozenStatuses(g *graph.Graph, dir string) error {
	data, err := ownfile.Read(filepath.Join(dir, statusesFile), maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var k keptStatuses
	if err == nil {
		err = json.Unmarshal(data, &k)
	}
	if err != nil {
		return fmt.Errorf("the statuses that it began with: %w", err)
	}
	k.putInto(g)
	return nil
}

// putInto makes the statuses of a graph those that were kept: of what is not listed there are none.
func (k keptStatuses) putInto(g *graph.Graph) {
	status := make(map[string]graph.Status, len(k.Nodes))
	for _, s := range k.Nodes {
		status[s[0]], _ = graph.ParseStatus(s[1])
	}
	for _, n := range g.Nodes() {
		if s := status[n.ID]; s != n.Status {
			g.SetStatus(n, s)
		}
	}
	marks := k.marks()
	for _, e := range g.Edges() {
		if m := marks[markedIn(g, e)]; m != e.Mark {
			g.SetMark(e, m)
		}
	}
}

func (k keptStatuses) marks() map[markedEdge]graph.Mark {
	marks := make(map[markedEdge]graph.Mark, len(k.Marks)+len(k.Dead))
	for _, m := range k.Marks {
		marks[m] = graph.ToRun
	}
	for _, m := range k.Dead {
		marks[m] = graph.Dead
	}
	return marks
}
