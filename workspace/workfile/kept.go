package workfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"wf/api"
	"wf/executor/ownfile"
	"wf/graph"
	"wf/graphml"
	"wf/workspace/history"
	"wf/workspace/loop"
)

// StatusesName is the name of the file with the statuses, in the folder of a workspace. It is written at the end of every
// run and when a workspace closes. It is made durable before the end of a run only if the workfile cannot show the statuses.
// Otherwise a power cut only means that they are read from the workfile or the history again.
//
// The folder of a run may also contain such a file, next to the frozen workfile, see Companion.
const StatusesName = "statuses.json"

// Kept is the content of the file.
type Kept struct {
	Workfile string `json:"workfile"`          // absolute
	Setting  string `json:"setting,omitempty"` // the value for results in the user's configuration
	Through  int    `json:"through,omitempty"` // the latest run that it includes
	// Unwritten means that the workfile lacks some of the statuses: the disk was full, or the file missing or invalid.
	Unwritten bool         `json:"unwritten,omitempty"`
	Content   *Content     `json:"content,omitempty"` // of the workfile as it was left
	Nodes     []keptStatus `json:"nodes"`
	Marks     []markedEdge `json:"marks,omitempty"` // edges that bear a token
	Dead      []markedEdge `json:"dead,omitempty"`  // edges that are dead
}

// keptStatus is the id of a node, its status, and a hash of its command. Nodes that no run of this machine covered are not
// listed.
type keptStatus [3]string

// markedEdge is the N-th edge between two nodes, which has a mark.
type markedEdge struct {
	Source string `json:"source"`
	Target string `json:"target"`
	N      int    `json:"n"`
}

func markedIn(g *graph.Graph, e *graph.Edge) markedEdge {
	return markedEdge{e.Source.ID, e.Target.ID, nth(g.EdgesBetween(e.Source, e.Target), e)}
}

// kept returns the present statuses and marks.
func (s *Statuses) kept() Kept {
	f := s.f
	k := Kept{Workfile: f.cfg.Path, Setting: s.setting, Through: s.through, Content: f.disk.content,
		Unwritten: f.disk.unwritten(), Nodes: make([]keptStatus, 0, len(s.own))}
	for _, n := range f.g.Nodes() {
		if s.known(n.ID) {
			k.Nodes = append(k.Nodes, keptStatus{n.ID, n.Status.String(), commandHash(n)})
		}
	}
	for _, e := range f.g.Edges() {
		switch {
		case !s.known(e.Source.ID) || !s.known(e.Target.ID):
		case e.Mark == graph.ToRun:
			k.Marks = append(k.Marks, markedIn(f.g, e))
		case e.Mark == graph.Dead:
			k.Dead = append(k.Dead, markedIn(f.g, e))
		}
	}
	return k
}

func commandHash(n *graph.Node) string {
	h := fnv.New32a()
	h.Write([]byte(n.Label))
	return strconv.FormatUint(uint64(h.Sum32()), 36)
}

// Keep takes a snapshot of the statuses and returns a function that writes it on a helper. After an error the earlier file
// is unchanged, and the caller calls Changed.
func (s *Statuses) Keep() (write func() error) {
	k := s.kept()
	s.stale, s.noted = false, k.Unwritten
	disk, path := s.f.cfg.Disk, s.f.beside(StatusesName)
	return s.snapshots.Take(func() error {
		data, err := json.Marshal(k)
		if err != nil {
			return err
		}
		if k.Unwritten {
			return history.ReplaceFile(disk, path, data)
		}
		return history.ReplaceFileLater(disk, path, data)
	})
}

// keepNow writes the statuses if they have changed. It is called when the workspace closes.
func (s *Statuses) keepNow() {
	if s.stale || s.noted != s.f.disk.unwritten() {
		s.notKept(s.Keep()())
	}
}

// KeepThen calls done when the statuses that an edit or a reset has changed are in the state folder, or cannot be written
// there.
func (s *Statuses) KeepThen(done func()) {
	if !s.edited {
		done()
		return
	}
	s.edited = false
	s.keepLater(s.Keep(), done)
}

// keepLater writes a snapshot on a helper.
func (s *Statuses) keepLater(write func() error, done func()) {
	loop.Go(s.f.cfg.Loop, write, func(err error) {
		s.notKept(err)
		done()
	})
}

// notKept logs the error of a snapshot that could not be written. It does nothing if err is nil.
func (s *Statuses) notKept(err error) {
	if err != nil {
		s.stale = true
		s.f.cfg.Log.Error("the statuses cannot be kept in the state folder", "workfile", s.f.cfg.Path, "err", err)
	}
}

// inFile is called after a save. If the file in the state folder says that the workfile lacks statuses, it is written again
// without that remark.
func (s *Statuses) inFile() {
	if !s.noted || s.f.disk.unwritten() {
		return
	}
	write, old := s.Keep(), s.f.beside(unpublishedName)
	s.keepLater(func() error {
		err := write()
		if err == nil {
			s.remove(old)
		}
		return err
	}, func() {})
}

// remove removes a file in the workspace's folder that is not needed any more.
func (s *Statuses) remove(path string) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.f.cfg.Log.Warn("a note that is not needed any more cannot be removed", "path", path, "err", err)
	}
}

// Restore merges the statuses of the workfile and of the state folder when a workfile is opened, before the loop starts. Some
// nodes are decided later, when the history was read. later reports whether the history contains a run that is over and
// newer than the given run.
func (s *Statuses) Restore(later func(run int) bool) {
	k, found := s.readKept()
	s.setting, s.through, s.noted = k.Setting, k.Through, k.Unwritten
	s.settleResults()
	s.otherWorkflow = found && !k.about(s.f.g)
	// After a power cut this file may be older than the latest run. The workfile was made durable at the end of that run.
	overtaken := s.results != api.ResultsNone && !k.Unwritten && later(k.Through)
	s.found = found && !s.otherWorkflow && !overtaken
	status := make(map[string]graph.Status, len(k.Nodes))
	if s.found {
		status = k.statuses()
	}
	for _, n := range s.f.g.Nodes() {
		word, known := status[n.ID]
		switch {
		case known:
			s.own[n.ID] = struct{}{}
		case s.found && k.Unwritten: // a reset that the file does not show
			word = graph.Idle
		case s.results == api.ResultsNone && (s.found || s.otherWorkflow):
			word = graph.Idle
		default:
			if word = n.Status; word != graph.Idle {
				s.fromFile[n.ID] = struct{}{}
			}
		}
		s.restoreStatus(n, word, k.Unwritten)
	}
	if s.found {
		s.restoreMarks(k)
	}
}

// restoreStatus gives a node a status that the file may not show. If the status could not be written earlier (unwritten), it
// is published now; others are published by the next run.
func (s *Statuses) restoreStatus(n *graph.Node, status graph.Status, unwritten bool) {
	if n.Status == status {
		return
	}
	s.f.g.SetStatus(n, status)
	if s.behind = true; unwritten && s.results != api.ResultsNone {
		s.f.disk.touch(n, changedStatus)
	}
}

func (s *Statuses) restoreMarks(k Kept) {
	marked := k.marks()
	for _, e := range s.f.g.Edges() {
		mark := marked[markedIn(s.f.g, e)]
		if !s.known(e.Source.ID) || !s.known(e.Target.ID) {
			if mark = e.Mark; k.Unwritten || s.results == api.ResultsNone {
				mark = graph.Unmarked
			}
		}
		if mark == e.Mark {
			continue
		}
		s.f.g.SetMark(e, mark)
		if s.behind = true; k.Unwritten && s.results != api.ResultsNone {
			s.f.disk.touchEdge(e)
		}
	}
}

// readKept reads the statuses file, or otherwise the file of an earlier version.
func (s *Statuses) readKept() (k Kept, found bool) {
	path := s.f.beside(StatusesName)
	data, err := ownfile.Read(path, MaxSize)
	if err == nil {
		err = json.Unmarshal(data, &k)
	}
	switch {
	case err == nil:
		return k, true
	case errors.Is(err, fs.ErrNotExist):
		return s.readUnpublished()
	}
	s.f.cfg.Log.Warn("a note of statuses cannot be read", "path", path, "err", err)
	return Kept{}, false
}

// unpublishedName is the file where earlier versions kept statuses that the workfile lacked.
const unpublishedName = "unpublished.json"

// readUnpublished reads the file of earlier versions. It listed every node with a status.
func (s *Statuses) readUnpublished() (k Kept, found bool) {
	var old struct {
		Nodes map[string]string `json:"nodes"`
		Marks []markedEdge      `json:"marks"`
		Dead  []markedEdge      `json:"dead"`
	}
	path := s.f.beside(unpublishedName)
	data, err := ownfile.Read(path, MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return k, false
	}
	if err == nil {
		err = json.Unmarshal(data, &old)
	}
	if err != nil {
		s.f.cfg.Log.Warn("a note of statuses cannot be read", "path", path, "err", err)
		return k, false
	}
	k = Kept{Unwritten: true, Marks: old.Marks, Dead: old.Dead}
	for _, n := range s.f.g.Nodes() {
		k.Nodes = append(k.Nodes, keptStatus{n.ID, old.Nodes[n.ID], commandHash(n)})
	}
	return k, true
}

// about reports whether the statuses belong to this graph, possibly edited since. Another workflow at the same path may have
// the same ids because a program has numbered its nodes. The graph is another workflow if no known node has the same
// command, the same status in the file, or an id that a person or a random generator has chosen.
func (k Kept) about(g *graph.Graph) bool {
	met := false
	for _, s := range k.Nodes {
		n := g.Node(s[0])
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

// Frozen reads the graph that run n started with, including statuses.
func Frozen(store *history.Store, n int) (*graph.Graph, error) {
	frozen, err := store.Workfile(n)
	if err != nil {
		return nil, err
	}
	g, err := parseFrozen(frozen, store.Dir(n))
	if err != nil {
		return nil, err
	}
	data, err := ownfile.Read(filepath.Join(store.Dir(n), StatusesName), MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return g, nil // the frozen workfile shows them
	}
	var k Kept
	if err == nil {
		err = json.Unmarshal(data, &k)
	}
	if err != nil {
		return nil, fmt.Errorf("the statuses that it began with: %w", err)
	}
	k.putInto(g)
	return g, nil
}

// FrozenGraph is Frozen with the statuses that the workfile itself shows.
func FrozenGraph(store *history.Store, n int) (*graph.Graph, error) {
	frozen, err := store.Workfile(n)
	if err != nil {
		return nil, err
	}
	return parseFrozen(frozen, store.Dir(n))
}

func parseFrozen(data []byte, dir string) (*graph.Graph, error) {
	_, g, _, err := graphml.Parse(data, graphml.Limits{})
	if err != nil {
		return nil, fmt.Errorf("the frozen workfile: %w", err)
	}
	in, err := frozenInclusion(dir)
	if err != nil {
		return nil, err
	}
	return in.whole(g), nil
}

// putInto sets the statuses of a graph to those that were kept. Nodes that are not listed get none.
func (k Kept) putInto(g *graph.Graph) {
	status := k.statuses()
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

func (k Kept) statuses() map[string]graph.Status {
	status := make(map[string]graph.Status, len(k.Nodes))
	for _, s := range k.Nodes {
		status[s[0]], _ = graph.ParseStatus(s[1])
	}
	return status
}

func (k Kept) marks() map[markedEdge]graph.Mark {
	marks := make(map[markedEdge]graph.Mark, len(k.Marks)+len(k.Dead))
	for _, m := range k.Marks {
		marks[m] = graph.ToRun
	}
	for _, m := range k.Dead {
		marks[m] = graph.Dead
	}
	return marks
}
