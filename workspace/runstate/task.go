package runstate

import (
	"cmp"
	"path/filepath"
	"strings"

	"wf/graph/pattern"
	"wf/workspace/uptodate"
)

// TaskOf describes the next execution of a node that declares outputs, with its path and its command line. ok is false for other
// nodes, and in a dry run if its files depend on what commands will do.
func TaskOf(r *State, i int, path, line string) (t uptodate.Task, ok bool) {
	f := r.Sched.Files(i)
	if f == nil || !r.Sched.DeclaresOutputs(i) {
		return t, false
	}
	t.Outputs = uptodate.Paths(f.Outputs)
	if len(t.Outputs) == 0 {
		return t, false
	}
	t.Node, t.Folder, t.Inputs, t.Version, t.Prints = path, r.Request.Cwd, uptodate.Paths(f.Inputs), f.Version, prints(r, i)
	shell, programs := r.Request.Shell, []string(nil)
	if s := SurroundingsOf(r, i); s != nil {
		t.Folder = cmp.Or(s.Cwd, t.Folder)
		if s.Shell != nil {
			shell = *s.Shell
		}
		if s.Box != nil {
			programs = append(append(programs, "container", s.Box.Image), s.Box.Args...)
		}
		if e := s.Environment; e != nil {
			programs = append(programs, e.Kind, e.Ref, e.Name, e.Sum)
		}
		for _, file := range s.EnvFiles { // whose variables count like those of env
			t.Inputs = append(t.Inputs, uptodate.Literally(file))
		}
	}
	t.Command = uptodate.Commanded(append([]string{shell, line, placeOf(r, t.Folder)}, programs...)...)
	t.Values = valuesOf(r, i, line)
	return t, true
}

// prints reports whether a text of the workfile reads what a node prints. In a dry run, nodes of instances have no entry in Nodes.
func prints(r *State, i int) bool {
	if i < len(r.Nodes) {
		return r.Nodes[i].Printed
	}
	t := r.Templates[r.Sched.Template(i)]
	return t != nil && t.printed
}

// placeOf returns a working folder relative to the workfile, so that moving both changes nothing.
func placeOf(r *State, folder string) string {
	place, err := filepath.Rel(filepath.Dir(r.Request.Workfile), folder)
	if err != nil {
		return folder
	}
	return place
}

// ownVariable matches the variables that wf itself sets.
var ownVariable = pattern.Of(`WF_[A-Za-z0-9_]+`)

// valuesOf returns the digests of the values that an execution depends on: all that its env declares, and of the variables that
// wf sets those with values of people that the command line names.
func valuesOf(r *State, i int, line string) map[string]uptodate.Digest {
	var values map[string]uptodate.Digest
	add := func(name, value string) {
		if values == nil {
			values = map[string]uptodate.Digest{}
		}
		values[name] = uptodate.ValueOf(value)
	}
	named := map[string]bool{}
	if strings.Contains(line, "WF_") {
		for _, name := range ownVariable.Get().FindAllString(line, -1) {
			named[name] = true
		}
		for _, variable := range r.Sched.ParamVariables() {
			if name, value, _ := strings.Cut(variable, "="); named[name] {
				add(name, value)
			}
		}
	}
	for _, variable := range r.Sched.Environment(i) {
		name, value, _ := strings.Cut(variable, "=")
		switch {
		case !strings.HasPrefix(name, "WF_"):
			add("env "+name, value)
		case named[name]:
			add(name, value)
		}
	}
	return values
}
