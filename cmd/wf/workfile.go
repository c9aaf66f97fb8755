package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wf/daemon"
)

// defaultWorkfile is used where no other is named.
const defaultWorkfile = "Workfile"

// fileFlag adds --file to cmd; short is "f" where that letter is free.
func fileFlag(cmd *cobra.Command, file *string, short string) {
	cmd.Flags().StringVarP(file, "file", short, "", "the workfile `FILE` (default ./Workfile)")
}

// fileArg is for commands that take FILE as an argument too.
func fileArg(file *string, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if *file != "" && *file != args[0] {
		return usage("two workfiles: %s and %s", args[0], *file)
	}
	*file = args[0]
	return nil
}

// workfile finds the workfile that name means, and says what it looked for when there is none. The
// advice of later errors is about that file.
func (e *env) workfile(name string) (string, error) {
	if name == "" {
		name = defaultWorkfile
	}
	path := e.abs(name)
	e.workpath = path
	info, err := os.Stat(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) && daemon.GoesOn(e.whereFolders().state, path) {
			return path, nil // the daemon knows its runs
		}
		return "", e.noWorkfile(path, err)
	}
	if info.IsDir() {
		return "", &failure{status: exitWorkfile, what: path + " is a folder, not a workfile",
			why: "a workfile is one file, for instance " + filepath.Join(e.rel(path), defaultWorkfile)}
	}
	return path, nil
}

// noWorkfile explains a workfile that cannot be looked at.
func (e *env) noWorkfile(path string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return &failure{status: exitWorkfile, what: "cannot read the workfile " + path, why: errText(err)}
	}
	name := filepath.Base(path)
	f := &failure{status: exitWorkfile, what: "no workfile " + name,
		where: "looked for " + path, fix: "wf new " + quote(e.rel(path))}
	if to := daemon.MovedTo(path, e.whereFolders().state); to != "" {
		f.why = "looks like it was moved to " + e.rel(to)
		f.fix = "wf mv " + quote(e.rel(path)) + " " + quote(e.rel(to)) + " moves its history, too"
		return f
	}
	if similar := suggest(name, filesIn(filepath.Dir(path))); len(similar) > 0 {
		f.fix = "did you mean " + strings.Join(similar, ", ") + "?"
	} else if others := workfilesIn(filepath.Dir(path)); len(others) > 0 {
		f.why = "there is " + nameList(others, 3)
		f.fix = "say which: --file " + quote(others[0]) + "; or make it: " + f.fix
	}
	return f
}

// filesBeside are the files in the folder of path, as somebody would write them who wrote path.
func (e *env) filesBeside(path string) []string {
	names := filesIn(filepath.Dir(e.abs(path)))
	for i, name := range names {
		names[i] = filepath.Join(filepath.Dir(path), name)
	}
	return names
}

// maxBeside bounds how many files of a folder are looked at for a suggestion.
const maxBeside = 2000

// filesIn lists files of a folder; a folder that cannot be read has none.
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

// workfilesIn are those that look like workfiles by their names.
func workfilesIn(dir string) []string {
	return slices.DeleteFunc(filesIn(dir), func(name string) bool { return !workfileName(name) })
}

// workfileName says whether a file is called as workfiles are.
func workfileName(name string) bool {
	switch filepath.Ext(name) {
	case ".graphml", ".wf":
		return true
	}
	return name == defaultWorkfile
}

// rel is path as a person in the working directory would write it.
func (e *env) rel(path string) string {
	if rel, err := filepath.Rel(e.dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// fileFix is the --file flag to add to a command in an advice; "" for the default workfile.
func (e *env) fileFix(path string) string {
	if rel := e.rel(path); rel != defaultWorkfile {
		return " --file " + quote(rel)
	}
	return ""
}
