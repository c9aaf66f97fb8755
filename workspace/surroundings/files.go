package surroundings

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"wf/api"
	"wf/executor/shell"
	"wf/workspace/history"
)

// mostFile bounds what is read of a file, in bytes: variables go into the environment of commands, and environments are
// described by small files.
const mostFile = 16 << 20

// Files has what was read of the files that surroundings name, by their keys.
type Files map[string]api.RunFile

// The beginnings of keys: one path can be of several kinds.
const (
	keyCwd     = "cwd:"
	keyEnvFile = "env_file:"
	keySum     = "sum:"
)

// ReadFiles reads the files that the surroundings name. It waits for the disk. Problems are part of the result, because a file
// may belong to nodes that do not run.
func (s *Set) ReadFiles() Files {
	if s == nil {
		return nil
	}
	files := Files{}
	add := func(key, path string, read func(path string) (api.RunFile, error)) {
		if _, known := files[key+path]; known || path == "" {
			return
		}
		f, err := read(path)
		if err != nil {
			f = api.RunFile{Problem: obstacle(err)}
		}
		files[key+path] = f
	}
	for _, f := range s.List {
		add(keyCwd, f.Cwd, checkFolder)
		for _, path := range f.EnvFiles {
			add(keyEnvFile, path, readEnvFile)
		}
		if f.Environment != nil {
			add(keySum, f.Environment.Path, sumOf)
		}
	}
	return files
}

func obstacle(err error) string {
	var at *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "it does not exist"
	case errors.As(err, &at):
		return at.Err.Error()
	}
	return err.Error()
}

func checkFolder(path string) (f api.RunFile, err error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return f, err
	case !info.IsDir():
		return f, errors.New("it is not a folder")
	case unix.Access(path, unix.X_OK) != nil:
		return f, errors.New("this user may not enter it")
	}
	return f, nil
}

// readEnvFile reads a file of variables.
func readEnvFile(path string) (api.RunFile, error) {
	data, err := readSmall(path)
	if err != nil {
		return api.RunFile{}, err
	}
	vars, wrong := shell.ReadVariables(string(data))
	if wrong > 0 {
		return api.RunFile{}, fmt.Errorf("line %d is not KEY=VALUE", wrong)
	}
	for _, v := range vars {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "WF_") {
			return api.RunFile{}, fmt.Errorf("it sets %s, and wf itself sets what begins with WF_", name)
		}
	}
	return api.RunFile{Vars: vars}, nil
}

// sumOf returns the sum of a file that describes an environment, and of the file with the exact versions beside it.
func sumOf(path string) (api.RunFile, error) {
	data, err := readSmall(path)
	if err != nil {
		return api.RunFile{}, err
	}
	sum := sha256.New()
	sum.Write(data)
	beside := map[string]string{"pixi.toml": "pixi.lock", "pyproject.toml": "pixi.lock", "flake.nix": "flake.lock"}[filepath.Base(path)]
	if beside != "" {
		data, err := readSmall(filepath.Join(filepath.Dir(path), beside))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return api.RunFile{}, err
		}
		fmt.Fprintf(sum, "\x00%d", len(data))
		sum.Write(data)
	}
	return api.RunFile{Sum: hex.EncodeToString(sum.Sum(nil))}, nil
}

// readSmall reads an ordinary file.
func readSmall(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a file")
	}
	data, err := io.ReadAll(io.LimitReader(f, mostFile+1))
	if len(data) > mostFile {
		return nil, errors.New("it is too large")
	}
	return data, err
}

// An Error says why surroundings cannot be used.
type Error struct {
	Attr    string // the attribute
	Message string
	Fix     string
}

func (e *Error) Error() string { return e.Message }

// Resolve returns the surroundings with the programs that a run with the environment env uses, which must be there. The error is an *Error.
func (f *Found) Resolve(env []string, files Files) (history.Surroundings, error) {
	s := f.Surroundings
	if err := f.check(files); err != nil {
		return s, err
	}
	if e := s.Environment; e != nil {
		summed := *e
		summed.Sum = files[keySum+e.Path].Sum
		s.Environment = &summed
	}
	if env == nil { // of a plan, which has none. The daemon has no PATH, and each run brings its own
		env = []string{"PATH=" + os.Getenv("PATH")}
	}
	list, _ := shell.Value(env, "PATH")
	if list == "" {
		return s, nil
	}
	if err := resolvePrograms(&s, list); err != nil {
		return s, err
	}
	if s.Shell != nil && s.Box == nil && s.Environment == nil {
		if err := shell.Check(*s.Shell, env, s.Cwd); err != nil {
			return s, &Error{names[attrShell], err.Error(), ""}
		}
	}
	return s, nil
}

// resolvePrograms looks up the engine of a box, or the package manager of an environment, in a list of folders.
func resolvePrograms(s *history.Surroundings, list string) error {
	if s.Box != nil {
		box := *s.Box
		if box.Engine = installed(engines, list, box.Engine); box.Engine == "" {
			return &Error{names[attrEngine], fmt.Sprintf("container %s: %s is not installed (not found in PATH)", box.Image, engineWord(s.Box.Engine)), "install it, or set container_engine"}
		}
		if isFile(box.Image) && box.Engine != "apptainer" {
			return &Error{names[attrBox], fmt.Sprintf("container %s is a file, which %s cannot run", box.Image, box.Engine), "set container_engine to apptainer"}
		}
		s.Box = &box
	}
	if s.Environment == nil {
		return nil
	}
	e := *s.Environment
	for _, name := range managers[e.Kind] {
		if path, ok := shell.FindProgram(name, list); ok {
			e.Program, s.Environment = path, &e
			return nil
		}
	}
	return &Error{e.Kind, fmt.Sprintf("%s %s: %s is not installed (not found in PATH)", e.Kind, e.Ref, strings.Join(managers[e.Kind], " or ")), "install it, or wf edit unset this attribute"}
}

// managers are the programs that make environments, the preferred ones first.
var managers = map[string][]string{"conda": {"micromamba", "mamba", "conda"}, "pixi": {"pixi"}, "nix": {"nix"}}

// installed returns the engine that is asked for, or the first one if any will do; "" = there is none.
func installed(all []string, path, asked string) string {
	for _, name := range all {
		if asked != auto && asked != name {
			continue
		}
		if _, ok := shell.FindProgram(name, path); ok {
			return name
		}
	}
	return ""
}

func engineWord(engine string) string {
	if engine == auto {
		return "none of docker, podman and apptainer"
	}
	return engine
}

// check returns what is wrong with the files that the surroundings name.
func (f *Found) check(files Files) error {
	if why := files[keyCwd+f.Cwd].Problem; why != "" {
		return &Error{names[attrCwd], fmt.Sprintf("cwd: the command cannot work in %s: %s", f.Cwd, why), "mkdir -p " + shell.Quote(f.Cwd)}
	}
	for _, path := range f.EnvFiles {
		if why := files[keyEnvFile+path].Problem; why != "" {
			return &Error{names[attrEnvFile], fmt.Sprintf("env_file: %s cannot be used: %s", path, why), ""}
		}
	}
	if e := f.Environment; e != nil {
		if why := files[keySum+e.Path].Problem; why != "" {
			return &Error{e.Kind, fmt.Sprintf("%s: %s cannot be used: %s", e.Kind, e.Path, why), ""}
		}
	}
	return nil
}

// Problems returns what a check finds about the files, as pairs of an attribute's element and a message.
func (f *Found) Problems(files Files) *Error {
	var e *Error
	errors.As(f.check(files), &e)
	return e
}

// Variables returns the variables of the files of some surroundings, later ones last.
func (files Files) Variables(s *history.Surroundings) (vars []string) {
	for _, path := range s.EnvFiles {
		vars = append(vars, files[keyEnvFile+path].Vars...)
	}
	return vars
}

// OnlyVariables returns the files that commands get variables from, nil if there are none.
func (files Files) OnlyVariables() Files {
	var vars Files
	for key, f := range files {
		if strings.HasPrefix(key, keyEnvFile) && f.Vars != nil {
			if vars == nil {
				vars = Files{}
			}
			vars[key] = f
		}
	}
	return vars
}
