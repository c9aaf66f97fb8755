package planning

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"wf/api"
	"wf/workspace/loop"
	"wf/workspace/workfile"
)

// A workFolder is the folder that the workfile sets for its commands. The goroutine of the request checks it, not the loop,
// because the folder may be on a network.
type workFolder struct {
	path string // "" if the workfile sets none: commands run in the folder of the workfile
	line int
}

func (pl *Planner) workFolder() workFolder {
	if text, _ := pl.File.Graph().Attr("cwd"); strings.TrimSpace(text) == "" {
		return workFolder{}
	}
	return workFolder{pl.Folder(), pl.File.Document().GraphAttrLine("cwd")}
}

// problem returns why commands cannot run in the folder, and how to correct that; "" if they can.
func (f workFolder) problem() (why, fix string) {
	if f.path == "" {
		return "", ""
	}
	info, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "it does not exist", "mkdir -p " + f.path + ", or wf edit set-graph cwd FOLDER"
	case err != nil:
		return workfile.Plain(err), ""
	case !info.IsDir():
		return "it is not a folder", "wf edit set-graph cwd FOLDER"
	case unix.Access(f.path, unix.X_OK) != nil:
		return "this user may not enter it", "chmod u+x " + f.path
	}
	return "", ""
}

// checkWorkFolder refuses a run if its commands cannot run in the folder.
func (pl *Planner) checkWorkFolder(ctx context.Context) error {
	f, err := loop.Ask(ctx, pl.Loop, func() (workFolder, error) { return pl.workFolder(), nil })
	if err != nil {
		return err
	}
	return f.refusal(pl.File)
}

func (f workFolder) refusal(file *workfile.File) error {
	why, fix := f.problem()
	if why == "" {
		return nil
	}
	return &api.Error{Code: api.CodeWorkfile, Message: "the folder of the commands, " + f.path + ", cannot be used", Where: file.Where(f.line), Why: why, Fix: fix}
}

// check adds the problem of the folder, if there is one.
func (f workFolder) check(c *api.Check) {
	if why, _ := f.problem(); why != "" {
		addProblem(c, api.Problem{Severity: "error", Code: "cwd", Line: f.line,
			Message: fmt.Sprintf("cwd: the commands cannot work in %s: %s", f.path, why)})
	}
}

// Folder returns the folder for commands: the one that the workfile sets, relative to its own folder, or its own folder.
func (pl *Planner) Folder() string {
	dir := filepath.Dir(pl.Path)
	text, ok := pl.File.Graph().Attr("cwd")
	switch {
	case !ok || text == "":
		return dir
	case filepath.IsAbs(text):
		return filepath.Clean(text)
	}
	return filepath.Join(dir, text)
}
