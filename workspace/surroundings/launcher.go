package surroundings

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"wf/executor"
	"wf/executor/rundir"
	"wf/executor/shell"
	"wf/workspace/history"
)

// A launcher is the argument vector that starts the shell of a command: the shell, its options, -c and the command line follow it
// as further arguments. No text of a workfile ever becomes part of a shell script. The scripts here are constants that get what
// they need as arguments.
const (
	// inFolder starts a program in a folder.
	inFolder = `cd -- "$1" && shift && exec "$@"`
	// inConda starts a program as conda activate would. $1 is the folder of the environment.
	inConda = `CONDA_PREFIX=$1; PATH=$1/bin:$PATH; CONDA_DEFAULT_ENV=$1; export CONDA_PREFIX PATH CONDA_DEFAULT_ENV; shift
for wf_script in "$CONDA_PREFIX"/etc/conda/activate.d/*.sh; do [ ! -r "$wf_script" ] || . "$wf_script"; done
unset wf_script; exec "$@"`
	// inActivated starts a program after a script that a package manager wrote.
	inActivated = `wf_script=$1; shift; . "$wf_script"; unset wf_script; exec "$@"`
)

// A Place is where a run is executed, apart from its surroundings.
type Place struct {
	Workfile string   // absolute
	Dir      string   // the folder of the run
	Cwd      string   // of the run
	State    string   // the state folder
	Names    []string // of the variables that all commands of the run get from wf
	Engine   bool     // another executor than this machine executes the command
}

// Launch adds to a job what its surroundings need. output is the file for the outputs of the command; a box can only write it if
// it exists, so Launch creates it then.
func Launch(job *executor.Job, s *history.Surroundings, at Place, output string) {
	if s.Shell != nil {
		job.Shell = *s.Shell
	}
	switch {
	case s.Box != nil:
		job.Launcher = boxed(job, s, at, output)
	case s.Environment != nil:
		job.Launcher = append(folderOf(s), activated(s.Environment, at.State)...)
	default:
		job.Launcher = folderOf(s)
	}
}

func folderOf(s *history.Surroundings) []string {
	if s.Cwd == "" {
		return nil
	}
	return []string{"/bin/sh", "-c", inFolder, "sh", s.Cwd}
}

func activated(e *history.Environment, state string) []string {
	folder := Folder(state, e)
	if e.Kind == "conda" {
		return []string{"/bin/sh", "-c", inConda, "sh", filepath.Join(folder, "prefix")}
	}
	return []string{"bash", "-c", inActivated, "bash", filepath.Join(folder, "activate")}
}

// boxed returns the launcher of a job in a box.
func boxed(job *executor.Job, s *history.Surroundings, at Place, output string) []string {
	cwd := at.Cwd
	if s.Cwd != "" {
		cwd = s.Cwd
	}
	mounts := outermost(filepath.Dir(at.Workfile), cwd)
	if f, err := os.OpenFile(output, os.O_WRONLY|os.O_CREATE, 0o600); err == nil {
		f.Close()
		mounts = append(mounts, output)
	}
	if len(job.Command) >= shell.MaxString {
		mounts = append(mounts, rundir.JobFile(at.Dir, rundir.ScriptFile, job.ID.Node, job.ID.Execution))
	}
	if _, file, err := shell.Values(job.Command, job.Env); err == nil && file != nil {
		mounts = append(mounts, rundir.JobFile(at.Dir, rundir.InputFile, job.ID.Node, job.ID.Execution))
	}
	names := slices.Clone(at.Names)
	for _, v := range job.Env {
		name, _, _ := strings.Cut(v, "=")
		names = append(names, name)
	}
	if strings.Contains(job.Command, shell.InputVariable) {
		names = append(names, shell.InputVariable)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if s.Box.Engine == "apptainer" {
		return apptainer(s.Box, at, cwd, mounts)
	}
	job.Box = &executor.Box{Program: s.Box.Engine}
	id := rundir.JobFile(at.Dir, rundir.BoxIDFile, job.ID.Node, job.ID.Execution)
	args := []string{s.Box.Engine, "run", "--rm", "--init", "--cidfile", id,
		"--user", strconv.Itoa(os.Getuid()) + ":" + strconv.Itoa(os.Getgid()), "--workdir", cwd, "--entrypoint", ""}
	if s.Box.Engine == "podman" && os.Getuid() != 0 {
		args = append(args, "--userns", "keep-id")
	}
	for _, path := range mounts {
		args = append(args, "--mount", mount(path))
	}
	for _, name := range names { // their values come from the environment of the engine's program, and are in no list of processes
		args = append(args, "--env", name)
	}
	// The program of --init passes TERM to all processes of the command, not only to its shell.
	args = append(args, "--env", "TINI_KILL_PROCESS_GROUP=1")
	return append(append(args, s.Box.Args...), s.Box.Image)
}

// mount returns the option that shows a path in a box under the same name.
func mount(path string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write([]string{"type=bind", "source=" + path, "target=" + path}) // a Builder has no errors
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

// apptainer returns the launcher for a box of apptainer, which is a child of its program and gets its environment.
func apptainer(box *history.Box, at Place, cwd string, mounts []string) []string {
	args := []string{"apptainer", "exec", "--pwd", cwd}
	for _, path := range mounts {
		args = append(args, "--bind", path)
	}
	image := imageAddress(box.Image)
	if pulls(box) && !at.Engine {
		image = filepath.Join(at.State, environmentsFolder, boxKey(box), "image.sif")
	}
	return append(append(args, box.Args...), image)
}

// imageAddress returns the image as apptainer names it.
func imageAddress(image string) string {
	if isFile(image) || strings.Contains(image, "://") {
		return image
	}
	return "docker://" + image
}

// outermost returns the folders that lie in no other one of them.
func outermost(a, b string) []string {
	switch {
	case within(b, a):
		return []string{a}
	case within(a, b):
		return []string{b}
	}
	return []string{a, b}
}

func within(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}
