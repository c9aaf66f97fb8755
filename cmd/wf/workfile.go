package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wf/cmd/wf/exit"
	"wf/cmd/wf/settings"
	"wf/daemon"
	"wf/tui/words"
)

// defaultWorkfile is used if no workfile is named.
const defaultWorkfile = "Workfile"

// fileFlag adds --file to cmd; short is "f" if that letter is free.
func fileFlag(cmd *cobra.Command, file *string, short string) {
	cmd.Flags().StringVarP(file, "file", short, "", "the workfile `FILE` (default ./Workfile)")
}

// ofRun marks commands that, without FILE, use the workfile of the run in which they are called. Commands that start or
// stop runs or change workfiles do not: a command may have created another workfile, and a command that starts its
// own run again would never end.
const ofRun = "wf-of-run"

// lookFlag is fileFlag for a command that it marks with ofRun.
func lookFlag(cmd *cobra.Command, file *string, short string) {
	fileFlag(cmd, file, short)
	cmd.Flags().Lookup("file").Usage = "the workfile `FILE` (default ./Workfile; inside a run the workfile of the run)"
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[ofRun] = "yes"
}

// fileArg sets file to the argument FILE of a command.
func fileArg(cmd *cobra.Command, file *string, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if *file != "" && *file != args[0] {
		f := exit.Usage("two workfiles: %s and %s", args[0], *file)
		if cmd.Flags().Lookup("nodes") != nil {
			f.Fix = "to choose nodes: --nodes " + words.Quote(args[0])
		}
		return f
	}
	*file = args[0]
	return nil
}

// runE is the function of a command.
type runE = func(cmd *cobra.Command, args []string) error

// onFile returns the function of a command whose only argument is FILE: it sets file and calls run.
func onFile(e *env, file *string, run func(context.Context, *env) error) runE {
	return func(cmd *cobra.Command, args []string) error {
		if err := fileArg(cmd, file, args); err != nil {
			return err
		}
		return run(cmd.Context(), e)
	}
}

// A targetFunc is what a command does with an open workfile.
type targetFunc = func(ctx context.Context, e *env, s *target) error

// onTarget is onFile for a command that needs the open workfile.
func onTarget(e *env, file *string, run targetFunc) runE {
	return onFile(e, file, func(ctx context.Context, e *env) error { return e.open(ctx, *file, run) })
}

// onNodes is onTarget for a command whose arguments are nodes; see look.
func onNodes(e *env, file *string, run func(ctx context.Context, e *env, s *target, nodes []string) error) runE {
	return func(cmd *cobra.Command, args []string) error {
		if err := e.nodeArgs(cmd, *file, args); err != nil {
			return err
		}
		return e.look(cmd.Context(), *file, func(ctx context.Context, e *env, s *target) error { return run(ctx, e, s, args) })
	}
}

// runArg returns the argument RUN of a command. If arg is a workfile, runArg sets file to it and returns "".
func (e *env) runArg(file *string, arg string) (run string) {
	if *file == "" && e.isWorkfile(arg) {
		*file = arg
		return ""
	}
	return arg
}

// nodeArgs refuses workfiles in place of nodes, with the right command as the fix.
func (e *env) nodeArgs(cmd *cobra.Command, file string, args []string) error {
	for i, arg := range args {
		if file != "" || !e.isWorkfile(arg) {
			continue
		}
		rest := append(slices.Clone(args[:i]), args[i+1:]...)
		for j, word := range rest {
			rest[j] = words.Quote(word)
		}
		if len(rest) == 0 {
			rest = []string{"NODE"}
		}
		return &exit.Failure{Status: exit.BadUsage, What: arg + " is a workfile, and " + cmd.CommandPath() + " takes nodes",
			Fix: cmd.CommandPath() + " --file " + words.Quote(arg) + " " + strings.Join(rest, " ")}
	}
	return nil
}

// isWorkfile says whether an argument names a file that looks like a workfile.
func (e *env) isWorkfile(arg string) bool {
	info, err := os.Stat(e.Abs(arg))
	if arg == "" || err != nil || !info.Mode().IsRegular() {
		return false
	}
	if workfileName(filepath.Base(arg)) {
		return true
	}
	head, err := headOf(e.Abs(arg))
	return err == nil && bytes.Contains(head, []byte("<graphml"))
}

// workfile returns the absolute path of the workfile with this name ("" = the default). Fixes of later errors name that
// file.
func (e *env) workfile(name string) (string, error) {
	if inside := e.Get("WF_WORKFILE"); name == "" && e.ofRun && filepath.IsAbs(inside) {
		name = inside
	}
	if name == "" {
		name = defaultWorkfile
	}
	path := e.Abs(name)
	e.workpath = path
	info, err := os.Stat(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) && daemon.HasActiveRuns(settings.FoldersOf(&e.Console).State, path) {
			return path, nil // the daemon has its runs
		}
		return "", e.noWorkfile(path, name, err)
	}
	if info.IsDir() {
		return "", e.isFolder(path)
	}
	return path, nil
}

// isFolder returns the error about a folder in place of a workfile. It names the workfiles in the folder.
func (e *env) isFolder(path string) error {
	f := &exit.Failure{Status: exit.BadWorkfile, What: path + " is a folder, not a workfile",
		Why: "a workfile is one file, for instance " + filepath.Join(e.rel(path), defaultWorkfile)}
	if inside := workfilesIn(path); len(inside) > 0 {
		f.Why = "it contains " + words.NameList(inside, 3)
		f.Fix = "name the file: " + words.Quote(e.rel(filepath.Join(path, inside[0])))
	}
	return f
}

// noWorkfile returns the error about a workfile that is missing or cannot be read.
func (e *env) noWorkfile(path, named string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return &exit.Failure{Status: exit.BadWorkfile, What: "cannot read the workfile " + path, Why: exit.Obstacle(err)}
	}
	if isURL(named) {
		return &exit.Failure{Status: exit.BadWorkfile, What: named + " is a URL: wf opens only files of this machine",
			Fix: "curl -fLO " + words.Quote(named) + ", then name the file: " + words.Quote(filepath.Base(path))}
	}
	name := filepath.Base(path)
	f := &exit.Failure{Status: exit.BadWorkfile, What: "no workfile " + name,
		Where: "looked for " + path, Fix: "wf new " + words.Quote(e.rel(path))}
	if to := daemon.MovedTo(path, settings.FoldersOf(&e.Console).State); to != "" {
		f.Why = "looks like it was moved to " + e.rel(to)
		f.Fix = "wf mv " + words.Quote(e.rel(path)) + " " + words.Quote(e.rel(to)) + " moves its history, too"
		return f
	}
	if node := e.nodeBeside(path, named); node != "" {
		f.Why = node + " is a node of " + defaultWorkfile
		f.Fix = "to choose nodes: --nodes " + words.Quote(named)
	} else if similar := exit.DidYouMean(name, filesIn(filepath.Dir(path))); similar != "" {
		f.Fix = similar
	} else if others := workfilesIn(filepath.Dir(path)); len(others) > 0 {
		f.Why = "there is " + words.NameList(others, 3)
		f.Fix = "name the file: --file " + words.Quote(others[0]) + "; or create it: " + f.Fix
	}
	return f
}

// nodeBeside returns the handle of the node of ./Workfile with this name, "" if there is none: the user may have
// meant a node where a file is expected.
func (e *env) nodeBeside(path, named string) string {
	peek, err := daemon.PeekAt(filepath.Join(filepath.Dir(path), defaultWorkfile))
	if err != nil {
		return ""
	}
	for _, n := range peek.Nodes {
		if n.Name == named || n.ID == named {
			return n.Name
		}
	}
	return ""
}

// filesBeside returns the files in the folder of path, in the same form as path.
func (e *env) filesBeside(path string) []string {
	names := filesIn(filepath.Dir(e.Abs(path)))
	for i, name := range names {
		names[i] = filepath.Join(filepath.Dir(path), name)
	}
	return names
}

// maxBeside limits how many files of a folder are read for a suggestion.
const maxBeside = 2000

// filesIn lists files of a folder; none if it cannot be read.
func filesIn(dir string) []string {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	entries, _ := d.ReadDir(maxBeside)
	var names []string
	for _, entry := range entries {
		if !entry.IsDir() {
			names = append(names, entry.Name())
		}
	}
	slices.Sort(names)
	return names
}

// workfilesIn lists the files of a folder with the names of workfiles.
func workfilesIn(dir string) []string {
	return slices.DeleteFunc(filesIn(dir), func(name string) bool { return !workfileName(name) })
}

// workfileName says whether name is the name of a workfile.
func workfileName(name string) bool {
	switch filepath.Ext(name) {
	case ".graphml", ".wf":
		return true
	}
	return name == defaultWorkfile
}

// rel returns path relative to the working directory, if it is below that.
func (e *env) rel(path string) string {
	if rel, err := filepath.Rel(e.Dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// fileFix returns the flags that a command in an advice needs: --host, and --file unless it is the default workfile.
func (e *env) fileFix(path string) string { return hostOption(e.RemoteName) + fileOption(e, path) }

// fileOption returns the --file flag for a command in an advice; "" for the default workfile.
func fileOption(e *env, path string) string {
	if rel := e.rel(path); rel != defaultWorkfile {
		return " --file " + words.Quote(rel)
	}
	return ""
}
