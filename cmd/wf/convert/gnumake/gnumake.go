// Package gnumake asks GNU make what it would execute. Make evaluates the makefile, and thereby runs its $(shell …) and
// != commands and includes other files; no recipe is executed, not even lines with + or $(MAKE), which make -n would run.
package gnumake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"wf/cmd/wf/convert"
	"wf/graph/pattern"
)

// A Makefile is what to ask about.
type Makefile struct {
	Path    string   // absolute; "" if Text is the makefile
	Text    []byte   // of standard input
	Name    string   // in messages
	Folder  string   // absolute; where make works
	Goals   []string // none means the default goal
	Environ []string // the environment of make
}

// An Error is what make says about a makefile that it does not accept.
type Error struct {
	Message string
	File    string // as make calls it; "" if it names none
	Line    int    // from 1; 0 if it names none
}

func (e *Error) Error() string { return e.Message }

// ErrMissing means that there is no GNU make on this machine, or only one that is too old.
var ErrMissing = errors.New("no GNU make was found")

// maxOutput is the maximum size of the answers of make, in bytes.
const maxOutput = 256 << 20

// Ask asks make, and calls use with the answers, which may ask further until use returns. It returns ErrMissing, an
// *Error, the error of use, or another error.
func Ask(ctx context.Context, m Makefile, use func(convert.MakeAnswers) error) error {
	program, err := find(ctx, m.Environ)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "wf-make-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	s := session{Makefile: m, program: program, temporary: folder, shell: "/bin/sh"}
	answers, err := s.ask(ctx)
	if err != nil {
		return err
	}
	return use(*answers)
}

var versionLine = pattern.Of(`^GNU Make (\d+)\.(\d+)`)

// find returns the path of the first GNU make that knows --trace, which came with version 4.0.
func find(ctx context.Context, environ []string) (string, error) {
	var old string
	for _, name := range []string{"make", "gmake"} {
		path, err := lookPath(name, environ)
		if err != nil {
			continue
		}
		out, _ := exec.CommandContext(ctx, path, "--version").Output() // another make fails or says something else
		m := versionLine.Get().FindSubmatch(out)
		if m == nil {
			continue
		}
		if major, _ := strconv.Atoi(string(m[1])); major >= 4 {
			return path, nil
		}
		old = fmt.Sprintf("%s is GNU make %s.%s, and 4.0 is needed", path, m[1], m[2])
	}
	if old != "" {
		return "", fmt.Errorf("%w: %s", ErrMissing, old)
	}
	return "", ErrMissing
}

// lookPath finds a program in the PATH of an environment.
func lookPath(name string, environ []string) (string, error) {
	for _, folder := range filepath.SplitList(value(environ, "PATH")) {
		path := filepath.Join(folder, name)
		if info, err := os.Stat(path); err == nil && filepath.IsAbs(path) && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	return "", exec.ErrNotFound
}

// value returns the last value of a variable.
func value(environ []string, name string) (found string) {
	for _, entry := range environ {
		if text, ok := strings.CutPrefix(entry, name+"="); ok {
			found = text
		}
	}
	return found
}

// A session asks make several times about the same makefile.
type session struct {
	Makefile
	program   string
	temporary string // folder for the stand-in shell and the outputs
	shell     string // what the makefile uses as its shell, for $(shell) in recipes
}

// standIn replaces the shell of recipes: it executes nothing except what $(shell) needs, whose output goes to a pipe, and
// tells the environment of recipes.
const standIn = `#!/bin/sh
if [ -p /dev/fd/1 ]; then
	exec %s "$@"
fi
case $* in
*` + environmentMark + `*) exec env -0 > "$WF_MAKE_ENVIRONMENT" ;;
esac
`

// environmentMark is the recipe that makes the stand-in write its environment, and environmentGoal its target.
const (
	environmentMark = "wf-make-environment"
	environmentGoal = ".wf-make-environment"
)

func (s *session) standIn() string { return filepath.Join(s.temporary, "shell") }

func (s *session) ask(ctx context.Context) (*convert.MakeAnswers, error) {
	answers := &convert.MakeAnswers{Program: filepath.Base(s.program), Name: s.Name, Goals: s.Goals, Shell: s.standIn(), Sources: map[string][]byte{}}
	if err := s.writeStandIn(); err != nil {
		return nil, err
	}
	globals, err := s.run(ctx, nil, "--eval="+environmentGoal+": ; +@"+environmentMark, "--eval=override undefine MAKECMDGOALS", "-p", environmentGoal)
	if err != nil {
		return nil, err
	}
	answers.Exports, answers.Removed = s.environment()
	if shell := variable(globals, "SHELL"); filepath.IsAbs(shell) && !strings.Contains(shell, "'") {
		s.shell = "'" + shell + "'"
		if err := s.writeStandIn(); err != nil {
			return nil, err
		}
	}
	s.readSources(answers, variable(globals, "MAKEFILE_LIST"))
	dryRun := func(ctx context.Context, variables []string) ([]byte, error) {
		return s.run(ctx, variables, append([]string{"-n", "-B", "--trace", "-p", "--"}, s.Goals...)...)
	}
	if answers.DryRun, err = dryRun(ctx, nil); err != nil {
		return nil, err
	}
	answers.Again = func(variables []string) ([]byte, error) { return dryRun(ctx, variables) }
	answers.Environment = func(name string) (string, bool) {
		for _, entry := range s.Environ {
			if strings.HasPrefix(entry, name+"=") {
				return value(s.Environ, name), true
			}
		}
		return "", false
	}
	return answers, nil
}

func (s *session) writeStandIn() error {
	path := s.standIn()
	if err := os.WriteFile(path, fmt.Appendf(nil, standIn, s.shell), 0o700); err != nil {
		return err
	}
	return os.Chmod(path, 0o700)
}

// ownVariables are those that this package or make sets for make and its children.
const ownVariables = "MAKEFLAGS MFLAGS MAKELEVEL GNUMAKEFLAGS MAKEFILES MAKEOVERRIDES MAKE_TERMOUT MAKE_TERMERR WF_MAKE_ENVIRONMENT LC_ALL LC_MESSAGES LANGUAGE LANG _ SHLVL PWD OLDPWD"

func isOwn(name string) bool {
	for _, own := range strings.Fields(ownVariables) {
		if name == own {
			return true
		}
	}
	return false
}

// environ returns the environment of make. Its messages are in English, whatever the locale is.
func (s *session) environ(variables []string) (env []string) {
	locale := value(s.Environ, "LANG")
	for _, entry := range s.Environ {
		name, text, _ := strings.Cut(entry, "=")
		if name == "LC_ALL" && text != "" {
			locale = text
		}
		if !isOwn(name) {
			env = append(env, entry)
		}
	}
	env = append(env, "PWD="+s.Folder, "LC_MESSAGES=C", "LANG="+locale, "WF_MAKE_ENVIRONMENT="+filepath.Join(s.temporary, "environment"))
	return append(env, variables...)
}

// run runs make with the stand-in as the shell of all recipes, and returns its standard output.
func (s *session) run(ctx context.Context, variables []string, args ...string) ([]byte, error) {
	out, err := os.OpenFile(filepath.Join(s.temporary, "output"), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	source := []string{"-f", filepath.Base(s.Path)}
	if s.Path == "" {
		source = []string{"-f", "-"}
	}
	args = append(append(source, "-j1", "--no-print-directory", "--eval=%: override SHELL := "+s.standIn()), args...)
	cmd := exec.CommandContext(ctx, s.program, args...)
	cmd.Args[0] = filepath.Base(s.program) // $(MAKE) is this name
	cmd.Dir, cmd.Env = s.Folder, s.environ(variables)
	cmd.Stdin = bytes.NewReader(s.Text)
	if s.Path != "" {
		cmd.Stdin = nil
	}
	var complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = out, &limited{b: &complaints}, 5*time.Second
	failure := cmd.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if failure != nil {
		var exit *exec.ExitError
		if !errors.As(failure, &exit) {
			return nil, failure
		}
		return nil, complaint(complaints.String())
	}
	if info, err := out.Stat(); err != nil || info.Size() > maxOutput {
		return nil, fmt.Errorf("make printed more than %d MiB: %w", maxOutput>>20, err)
	}
	if _, err := out.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return io.ReadAll(out)
}

// A limited writer keeps the end of what is written.
type limited struct{ b *bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	l.b.Write(p)
	if most := 64 << 10; l.b.Len() > 2*most {
		l.b.Next(l.b.Len() - most)
	}
	return len(p), nil
}

var (
	stopped = pattern.Of(`(?m)^(?:(.+?):(\d+)|g?make(?:\[\d+\])?): \*\*\* (.*?)(?:  ?Stop\.)?$`)
	inRule  = pattern.Of(`^\[(.+?):(\d+): (.*)\] (Error .*)$`)
)

// complaint returns the message with which make stopped.
func complaint(text string) error {
	m := stopped.Get().FindStringSubmatch(text)
	if m == nil {
		lines := strings.Split(strings.TrimSpace(text), "\n")
		return &Error{Message: lines[len(lines)-1]}
	}
	e := &Error{Message: strings.TrimSuffix(m[3], "."), File: m[1]}
	e.Line, _ = strconv.Atoi(m[2])
	if in := inRule.Get().FindStringSubmatch(m[3]); in != nil {
		e.File, e.Message = in[1], in[3]+": "+in[4]
		e.Line, _ = strconv.Atoi(in[2])
	}
	if missing := noSuchFile.Get().FindStringSubmatch(text); missing != nil && e.File == "" {
		e.File = missing[1]
		e.Line, _ = strconv.Atoi(missing[2])
	}
	return e
}

// noSuchFile matches the warning about an included file, which names the place; the message at the end does not.
var noSuchFile = pattern.Of(`(?m)^(.+?):(\d+): .*: No such file or directory$`)

var variableName = pattern.Of(`^[A-Za-z_][A-Za-z0-9_]*$`)

// environment compares the environment of recipes with that of make.
func (s *session) environment() (exports map[string]string, removed []string) {
	data, err := os.ReadFile(filepath.Join(s.temporary, "environment"))
	if err != nil || len(data) == 0 {
		return nil, nil // without env -0 the exports stay unknown
	}
	before := map[string]string{}
	for _, entry := range s.environ(nil) {
		name, text, _ := strings.Cut(entry, "=")
		before[name] = text
	}
	exports = map[string]string{}
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(data), "\x00"), "\x00") {
		name, text, _ := strings.Cut(entry, "=")
		old, had := before[name]
		if delete(before, name); isOwn(name) || had && old == text {
			continue
		}
		exports[name] = text
	}
	for name := range before { // shells remove variables with other names
		if !isOwn(name) && variableName.Get().MatchString(name) {
			removed = append(removed, name)
		}
	}
	return exports, removed
}

// variable returns the value of a global variable in the database of make.
func variable(database []byte, name string) string {
	found := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` :?:?= (.*)$`).FindSubmatch(database)
	if found == nil {
		return ""
	}
	return string(found[1])
}

// readSources reads the makefiles, by the names that make uses. Missing ones are left out: make has read a copy.
func (s *session) readSources(a *convert.MakeAnswers, list string) {
	for _, name := range strings.Fields(list) {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.Folder, name)
		}
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > 4<<20 {
			continue
		}
		if data, err := os.ReadFile(path); err == nil {
			a.Sources[name] = data
		}
	}
	if s.Path == "" {
		a.Sources[s.Name] = s.Text
	} else {
		a.Name = filepath.Base(s.Path)
	}
}
