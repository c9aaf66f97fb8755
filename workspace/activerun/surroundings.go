package activerun

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"wf/executor"
	"wf/executor/ownfile"
	"wf/executor/rundir"
	"wf/workspace/history"
	"wf/workspace/runstate"
	"wf/workspace/surroundings"
)

// surround adds the surroundings of a node to its job.
func (r *Run) surround(job *executor.Job, s *history.Surroundings) {
	place := surroundings.Place{Workfile: r.host.Path, Dir: r.Dir, Cwd: r.Request.Cwd, State: r.host.State, Engine: job.Engine != ""}
	for _, v := range r.environment(nil, r.Dir, r.Number) {
		name, _, _ := strings.Cut(v, "=")
		place.Names = append(place.Names, name)
	}
	surroundings.Launch(job, s, place, runstate.OutputFile(r.Dir, job.ID))
}

// variables are those that commands get from files of the workfile. They are read when the run starts, and kept in a file of the
// run until it ends.
type variables struct {
	run   *Run
	files surroundings.Files // nil = not read yet
}

// mostVariables bounds the size of the file, in bytes.
const mostVariables = 64 << 20

// VariablesCompanion returns the content of the file with the variables that commands get from files, nil if there are none.
func VariablesCompanion(files surroundings.Files) ([]byte, error) {
	if files = files.OnlyVariables(); files == nil {
		return nil, nil
	}
	return json.Marshal(files)
}

// of returns the variables of some surroundings.
func (v *variables) of(s *history.Surroundings) []string {
	if len(s.EnvFiles) == 0 {
		return nil
	}
	if v.files == nil {
		v.files = surroundings.Files{}
		data, err := ownfile.Read(filepath.Join(v.run.Dir, rundir.VariablesFile), mostVariables)
		if err == nil {
			err = json.Unmarshal(data, &v.files)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			v.run.host.Log.Error("the variables of files cannot be read", "run", v.run.ID, "err", err)
		}
	}
	return v.files.Variables(s)
}
