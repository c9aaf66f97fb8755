package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
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
	return &failure{status: exitWorkfile, what: "no workfile " + name,
		where: "looked for " + path, fix: "wf new " + quote(e.rel(path))}
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
