package planning

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"

	"wf/api"
	"wf/graph"
	"wf/scheduler/flow"
	"wf/workspace/history"
	"wf/workspace/loop"
	"wf/workspace/surroundings"
)

// readSurroundings returns the surroundings of the nodes of the workfile, nil if all are those of the run.
func readSurroundings(pl *Planner) (*surroundings.Set, []graph.Problem) {
	set, problems := surroundings.Read(pl.File.Graph(), filepath.Dir(pl.Path), pl.File.Wrapper())
	for i := range problems {
		if p := &problems[i]; len(p.Nodes) > 0 {
			p.Message = "node " + pl.File.Handle(pl.File.Graph().Node(p.Nodes[0])) + ": " + p.Message
		}
	}
	return set, problems
}

// withFiles reads the files that surroundings name into a request. It waits for the disk, so it must not be called on the loop.
func withFiles(ctx context.Context, pl *Planner, req api.RunRequest) (api.RunRequest, error) {
	set, err := loop.Ask(ctx, pl.Loop, func() (*surroundings.Set, error) {
		set, _ := readSurroundings(pl)
		return set, nil
	})
	req.Files = set.ReadFiles()
	return req, err
}

// surround writes the surroundings of the nodes of a run into its request. It refuses surroundings that cannot be used.
func surround(pl *Planner, r *history.Request, f *flow.Flow, nodes []*graph.Node, req api.RunRequest, asked bool) error {
	set, problems := readSurroundings(pl)
	if set == nil && len(problems) == 0 {
		return nil
	}
	mocks, err := pl.mocks(req.Mocks)
	if err != nil {
		return err
	}
	index := map[*surroundings.Found]int{}
	wrong := map[string]graph.Problem{}
	for _, p := range problems {
		if len(p.Nodes) == 0 {
			return surroundingsError(pl, pl.problem(p), nil, "")
		}
		wrong[p.Nodes[0]] = p
	}
	for _, n := range nodes {
		for on := n; on != nil && len(wrong) > 0; on = on.Parent {
			if p, found := wrong[on.ID]; found {
				return surroundingsError(pl, pl.problem(p), nil, "")
			}
		}
		found := set.Of(n)
		if _, mocked := mocks[n.ID]; mocked || found == nil {
			continue
		}
		k, known := index[found]
		if !known {
			s, err := found.Resolve(req.Env, req.Files)
			if err == nil {
				err = notElsewhere(&s, cmp.Or(ownExecutor(f, n), r.Executor))
			}
			var e *surroundings.Error
			if errors.As(err, &e) {
				on := cmp.Or(found.On(e.Attr), n)
				p := pl.problem(graph.Problem{Severity: graph.Error, Code: surroundings.Code, Edge: -1, Nodes: []string{on.ID}, Attr: e.Attr, Message: e.Message})
				if found.On(e.Attr) == nil {
					p = pl.problem(graph.Problem{Severity: graph.Error, Code: surroundings.Code, Edge: -1, Attr: e.Attr, Message: e.Message})
				}
				return surroundingsError(pl, p, []string{pl.File.Handle(n)}, e.Fix)
			}
			if asked { // a flag applies to all commands
				s.Wrapper = nil
			}
			k = len(r.Surroundings)
			index[found] = k
			r.Surroundings = append(r.Surroundings, s)
		} else if err := notElsewhere(&r.Surroundings[k], cmp.Or(ownExecutor(f, n), r.Executor)); err != nil {
			return surroundingsError(pl, api.Problem{Message: err.Error()}, []string{pl.File.Handle(n)}, "")
		}
		r.Surroundings[k].Nodes = append(r.Surroundings[k].Nodes, n.ID)
	}
	return nil
}

// notElsewhere returns an error if another executor than this machine cannot provide the surroundings.
func notElsewhere(s *history.Surroundings, name string) error {
	const why = ", and the machines of an executor need not have it; use container_engine=apptainer, a wrapper, or executor=local"
	switch {
	case name == "" || name == flow.LocalExecutor:
		return nil
	case s.Box != nil && s.Box.Engine != "apptainer":
		return &surroundings.Error{Attr: "container", Message: "container " + s.Box.Image + ": " + s.Box.Engine + " cannot be used with executor " + name + why}
	case s.Environment != nil:
		return &surroundings.Error{Attr: s.Environment.Kind, Message: s.Environment.Kind + " " + s.Environment.Ref + " cannot be used with executor " + name + ": wf makes environments on this machine" + why}
	}
	return nil
}

func surroundingsError(pl *Planner, p api.Problem, nodes []string, fix string) error {
	if nodes == nil {
		nodes = p.Nodes
	}
	return &api.Error{Code: api.CodeWorkfile, Message: p.Message, Nodes: nodes, Where: pl.File.Where(p.Line), Fix: cmp.Or(fix, "wf check shows all problems")}
}

// foundSurroundings are the surroundings of a workfile with their places, for a check beside the loop.
type foundSurroundings struct {
	set    *surroundings.Set
	places map[*surroundings.Found]func(attr string) api.Problem
}

// checkSurroundings adds the problems that can be found without the disk. It returns what else is to be checked.
func checkSurroundings(pl *Planner, c *api.Check) foundSurroundings {
	set, problems := readSurroundings(pl)
	for _, p := range problems {
		addProblem(c, pl.problem(p))
	}
	x := foundSurroundings{set: set, places: map[*surroundings.Found]func(string) api.Problem{}}
	if set == nil {
		return x
	}
	for _, f := range set.List {
		at := map[string]api.Problem{}
		for _, attr := range []string{"cwd", "env_file", "conda", "pixi", "nix"} {
			p := graph.Problem{Severity: graph.Error, Code: surroundings.Code, Edge: -1, Attr: attr}
			if on := f.On(attr); on != nil {
				p.Nodes = []string{on.ID}
			}
			at[attr] = pl.problem(p)
		}
		x.places[f] = func(attr string) api.Problem { return at[attr] }
	}
	return x
}

// check adds the problems of the files that surroundings name.
func (x foundSurroundings) check(c *api.Check) {
	if x.set == nil {
		return
	}
	files, seen := x.set.ReadFiles(), map[string]bool{}
	for _, f := range x.set.List {
		e := f.Problems(files)
		if e == nil || seen[e.Message] {
			continue
		}
		seen[e.Message] = true
		p := x.places[f](e.Attr)
		p.Message = e.Message
		addProblem(c, p)
	}
}
