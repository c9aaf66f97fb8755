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

// A workFolder is the folder that the workfile names for its commands. The goroutine of the request looks at it, not the loop: the
// folder may be on a network.
type workFolder struct {
	path string // "" if the workfile names none: commands run in the folder of the workfile
	line int
}

func (pl *Planner) workFolder() workFolder {
	if text, _ := pl.file.Graph().Attr("cwd"); strings.TrimSpace(text) == "" {
		return workFolder{}
	}
	return workFolder{pl.Folder(), pl.file.Document().GraphAttrLine("cwd")}
}

// problem says why no command can run there, and how to mend it; "" if commands can.
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

// checkWorkFolder refuses a run whose commands have no folder to run in.
func (pl *Planner) checkWorkFolder(ctx context.Context) error {
	f, err := loop.Ask(ctx, pl.loop, func() (workFolder, error) { return pl.workFolder(), nil })
	if err != nil {
		return err
	}
	return f.refusal(pl.file)
}

func (f workFolder) refusal(file *workfile.File) error {
	why, fix := f.problem()
	if why == "" {
		return nil
	}
	return &api.Error{Code: api.CodeWorkfile, Message: "the folder of the commands, " + f.path + ", cannot be used", Where: file.Where(f.line), Why: why, Fix: fix}
}

// check adds what is wrong with the folder.
func (f workFolder) check(c *api.Check) {
	if why, _ := f.problem(); why != "" {
		addProblem(c, api.Problem{Severity: "error", Code: "cwd", Line: f.line,
			Message: fmt.Sprintf("cwd: the commands cannot work in %s: %s", f.path, why)})
	}
}

// Folder returns the folder of the commands: that of the workfile, or the attribute relative to it.
func (pl *Planner) Folder() string {
	dir := filepath.Dir(pl.path)
	text, ok := pl.file.Graph().Attr("cwd")
	switch {
	case !ok || text == "":
		return dir
	case filepath.IsAbs(text):
		return filepath.Clean(text)
	}
	return filepath.Join(dir, text)
}
