// Package surroundings says how the commands of nodes are executed: the wrapper, shell, folder, files of variables, container
// ("box") or environment that the nearest element has which has one, and the argument vectors that follow from these. It also has
// the scripts that make environments. It reads small files for a check, and executes nothing.
package surroundings

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"wf/executor/shell"
	"wf/graph"
	"wf/scheduler/expression"
	"wf/workspace/history"
)

// Code is the code of the problems.
const Code = "surroundings"

// The attributes, in the order of raw.
const (
	attrWrapper = iota
	attrShell
	attrCwd
	attrEnvFile
	attrBox
	attrEngine
	attrArgs
	attrConda
	attrPixi
	attrNix
	attrCount
)

var names = [attrCount]string{"wrapper", "shell", "cwd", "env_file", "container", "container_engine", "container_args", "conda", "pixi", "nix"}

// none is the value of container, conda, pixi and nix that takes back the one of an element around.
const none = "none"

// auto lets wf choose the engine.
const auto = "auto"

// engines are the values of container_engine, in the order in which auto tries them.
var engines = []string{"docker", "podman", "apptainer"}

// A raw has the texts of the nearest elements that have them.
type raw struct {
	texts [attrCount]string
	at    [attrCount]*graph.Node // the element of each text; nil = the graph
	files []string               // of env_file, those of the graph first
}

// A Found is the surroundings of one or several nodes, before programs are looked up. Its Nodes are empty, and the engine may be
// auto.
type Found struct {
	history.Surroundings
	at [attrCount]*graph.Node
}

// On returns the element that has an attribute of these surroundings; nil = the graph.
func (f *Found) On(attr string) *graph.Node { return f.at[max(0, slices.Index(names[:], attr))] }

// A Set has the surroundings of the nodes of a graph.
type Set struct {
	List []*Found // without duplicates, in the order of the nodes
	by   map[*graph.Node]*Found
}

// Of returns the surroundings of a node, nil if they are those of the run.
func (s *Set) Of(n *graph.Node) *Found {
	if s == nil {
		return nil
	}
	return s.by[n]
}

// reader is the state of one Read.
type reader struct {
	g        *graph.Graph
	folder   string
	wrapper  string // of the graph
	around   map[*graph.Node]*raw
	found    map[string]*Found
	set      *Set
	problems []graph.Problem
	reported map[string]bool
}

// Read returns the surroundings of the nodes of a graph, nil if all are those of the run, and what is wrong with them. folder is
// that of the workfile, wrapper the one of the graph. The texts of the graph for wrapper, shell and cwd are not looked at: they
// apply to the whole run.
func Read(g *graph.Graph, folder, wrapper string) (*Set, []graph.Problem) {
	r := &reader{g: g, folder: folder, wrapper: wrapper}
	outer := r.ofGraph()
	for _, n := range g.Nodes() {
		if outer == nil && n.Parent == nil && !says(n) {
			continue
		}
		if n.Container && !n.SubFlow() {
			continue
		}
		if r.set == nil {
			r.set, r.around, r.found, r.reported = &Set{by: map[*graph.Node]*Found{}}, map[*graph.Node]*raw{nil: outer}, map[string]*Found{}, map[string]bool{}
		}
		if x := r.rawOf(n); x != nil {
			r.set.by[n] = r.foundOf(x)
		}
	}
	if r.set == nil || len(r.set.by) == 0 {
		return nil, r.problems
	}
	return r.set, r.problems
}

// says reports whether a node itself has one of the attributes.
func says(n *graph.Node) bool {
	if n.Extra == nil && n.Inherited() == nil {
		return false
	}
	return slices.ContainsFunc(names[:], func(name string) bool { return text(n, name) != "" })
}

func text(n *graph.Node, name string) string {
	value, _ := n.Attr(name)
	return strings.TrimSpace(value)
}

// ofGraph returns the texts of the graph, nil if there are none.
func (r *reader) ofGraph() (x *raw) {
	for i := attrEnvFile; i < attrCount; i++ {
		value, _ := r.g.Attr(names[i])
		if value = strings.TrimSpace(value); value == "" {
			continue
		}
		if x == nil {
			x = &raw{}
		}
		x.set(i, value, nil)
	}
	r.oneEnvironment(nil)
	return x
}

// rawOf returns the texts that apply to a node, nil if there are none. Nodes without texts share those around them.
func (r *reader) rawOf(n *graph.Node) *raw {
	if x, known := r.around[n]; known {
		return x
	}
	x := r.rawOf(n.Parent)
	if says(n) {
		own := raw{}
		if x != nil {
			own = *x
			own.files = slices.Clone(x.files)
		}
		r.oneEnvironment(n)
		for i := range names {
			if value := text(n, names[i]); value != "" {
				own.set(i, value, n)
			}
		}
		x = &own
	}
	if n.Container {
		r.around[n] = x
	}
	return x
}

// set stores the text of an element. A container or environment replaces the one of an element around.
func (x *raw) set(i int, value string, at *graph.Node) {
	switch i {
	case attrBox, attrConda, attrPixi, attrNix:
		for _, k := range []int{attrBox, attrConda, attrPixi, attrNix} {
			if x.at[k] != at {
				x.texts[k] = ""
			}
		}
		if value == none {
			value = ""
		}
	case attrEnvFile:
		for line := range strings.SplitSeq(value, "\n") {
			if line = strings.TrimSpace(line); line != "" {
				x.files = append(x.files, line)
			}
		}
	}
	x.texts[i], x.at[i] = value, at
}

// oneEnvironment reports an element with two of container, conda, pixi and nix.
func (r *reader) oneEnvironment(n *graph.Node) {
	var has []string
	for _, i := range []int{attrBox, attrConda, attrPixi, attrNix} {
		value, _ := r.g.Attr(names[i])
		if n != nil {
			value = text(n, names[i])
		}
		if value = strings.TrimSpace(value); value != "" && value != none {
			has = append(has, names[i])
		}
	}
	if len(has) > 1 {
		r.wrong(n, has[1], "it has %s and %s, and a command runs in one of them; leave one out", has[0], strings.Join(has[1:], " and "))
	}
}

// wrong adds a problem of an attribute of an element, once.
func (r *reader) wrong(n *graph.Node, attr, format string, args ...any) {
	key := attr
	p := graph.Problem{Severity: graph.Error, Code: Code, Edge: -1, Attr: attr, Message: fmt.Sprintf(format, args...)}
	if n != nil {
		p.Nodes, key = []string{n.ID}, attr+" "+n.ID
	}
	if r.reported == nil {
		r.reported = map[string]bool{}
	}
	if !r.reported[key] {
		r.reported[key] = true
		r.problems = append(r.problems, p)
	}
}

// foundOf returns the surroundings that texts describe.
func (r *reader) foundOf(x *raw) *Found {
	key := strings.Join(append(slices.Clone(x.texts[:]), x.files...), "\x00")
	if f := r.found[key]; f != nil {
		return f
	}
	f := &Found{at: x.at}
	r.found[key] = f
	r.set.List = append(r.set.List, f)
	for i, value := range x.texts {
		if expression.HasTemplate(value) {
			r.wrong(x.at[i], names[i], "%s contains ${{ }}, and must be known before the run starts; a line of env may contain it", names[i])
			return f
		}
	}
	r.wrapping(f, x)
	if x.texts[attrCwd] != "" {
		f.Cwd = r.path(x.texts[attrCwd])
	}
	for _, file := range x.files {
		f.EnvFiles = append(f.EnvFiles, r.path(file))
	}
	r.box(f, x)
	r.environment(f, x)
	return f
}

// wrapping reads wrapper and shell.
func (r *reader) wrapping(f *Found, x *raw) {
	program, _ := r.g.Attr(names[attrShell])
	wrapper, on, attr := r.wrapper, x.at[attrShell], attrShell
	if x.texts[attrShell] != "" {
		program = x.texts[attrShell]
		f.Shell = &program
		if _, err := shell.Words(program); err != nil {
			r.wrong(x.at[attrShell], names[attrShell], "%v", err)
			return
		}
	}
	if x.texts[attrWrapper] != "" {
		wrapper, on, attr = x.texts[attrWrapper], x.at[attrWrapper], attrWrapper
		f.Wrapper = &wrapper
	}
	if f.Shell == nil && f.Wrapper == nil {
		return
	}
	if p := shell.CheckWrapper(wrapper, program); p != nil {
		message := p.Message
		if p.Why != "" {
			message += ": " + p.Why
		}
		if p.Correct != "" {
			message += "; write " + p.Correct
		}
		r.wrong(on, names[attr], "%s", message)
	}
}

// box reads the container in which the commands are executed.
func (r *reader) box(f *Found, x *raw) {
	engine := x.texts[attrEngine]
	if engine == "" {
		engine = auto
	}
	if engine != auto && !slices.Contains(engines, engine) {
		r.wrong(x.at[attrEngine], names[attrEngine], "container_engine is %q; write auto, docker, podman or apptainer", engine)
		return
	}
	args, err := words(x.texts[attrArgs])
	if err != nil {
		r.wrong(x.at[attrArgs], names[attrArgs], "container_args is %q: %v", x.texts[attrArgs], err)
		return
	}
	image := x.texts[attrBox]
	switch {
	case image == "":
		return
	case strings.HasPrefix(image, "-"), strings.ContainsAny(image, " \t\r\n"):
		r.wrong(x.at[attrBox], names[attrBox], "container is %q, which is no image; write one such as debian:12, and options into container_args", image)
		return
	}
	if isFile(image) {
		image = r.path(image)
	}
	f.Box = &history.Box{Image: image, Engine: engine, Args: args}
}

// isFile reports whether an image is a file, as apptainer has them.
func isFile(image string) bool {
	return strings.HasPrefix(image, "/") || strings.HasPrefix(image, "./") || strings.HasPrefix(image, "../") ||
		strings.HasSuffix(image, ".sif") && !strings.Contains(image, "://")
}

// environment reads the environment in which the commands are executed.
func (r *reader) environment(f *Found, x *raw) {
	for _, i := range []int{attrConda, attrPixi, attrNix} {
		ref := x.texts[i]
		if ref == "" {
			continue
		}
		e := &history.Environment{Kind: names[i], Ref: ref}
		var err error
		switch i {
		case attrConda:
			err = r.conda(e, ref)
		case attrPixi:
			err = r.pixi(e, ref)
		default:
			err = r.nix(e, ref)
		}
		if err != nil {
			r.wrong(x.at[i], names[i], "%s is %q, %v", names[i], ref, err)
			return
		}
		f.Environment = e
		return
	}
}

func (r *reader) conda(e *history.Environment, ref string) error {
	ext := strings.ToLower(filepath.Ext(ref))
	switch {
	case ext == ".yml" || ext == ".yaml":
		e.Path = r.path(ref)
	case strings.ContainsAny(ref, "/ \t\n") || strings.HasPrefix(ref, "-"):
		return errors.New("which is neither a file ENV.yml nor the name of an environment")
	default:
		e.Name = ref
	}
	return nil
}

func (r *reader) pixi(e *history.Environment, ref string) error {
	file, name, named := strings.Cut(ref, "#")
	if named && (name == "" || strings.ContainsAny(name, " \t\n") || strings.HasPrefix(name, "-")) {
		return errors.New("and what follows # is no name of an environment")
	}
	e.Name = name
	e.Path = r.path(file)
	if ext := filepath.Ext(file); ext != ".toml" {
		e.Path = filepath.Join(e.Path, "pixi.toml")
	}
	return nil
}

func (r *reader) nix(e *history.Environment, ref string) error {
	switch {
	case strings.HasPrefix(ref, "-") || strings.ContainsAny(ref, " \t\n"):
		return errors.New("which is neither a file .nix nor a flake")
	case strings.HasSuffix(ref, ".nix"):
		if filepath.Base(ref) == "flake.nix" {
			return errors.New("which is part of a flake; write its folder")
		}
		e.Path = r.path(ref)
	case strings.HasPrefix(ref, ".") || strings.HasPrefix(ref, "/"):
		folder, _, _ := strings.Cut(ref, "#")
		e.Path = filepath.Join(r.path(folder), "flake.nix")
	}
	return nil
}

// path makes a path absolute: relative ones begin in the folder of the workfile.
func (r *reader) path(text string) string {
	if filepath.IsAbs(text) {
		return filepath.Clean(text)
	}
	return filepath.Join(r.folder, text)
}

// words splits options as a shell does.
func words(text string) ([]string, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	list, plain := shell.PlainWords(text)
	if !plain {
		return nil, errors.New("only words and quoted words are options; a shell does not read them")
	}
	return list, nil
}
