package daemon

import (
	"wf/api"
	"wf/daemon/armed"
	"wf/workspace"
	"wf/workspace/workfile"
)

// Peek is the content of a workfile without its history.
type Peek = workfile.Peek

// PeekAt reads a workfile for programs that must not start a daemon, such as the completion of a shell: see
// workfile.PeekAt.
func PeekAt(path string) (*Peek, error) { return workfile.PeekAt(path) }

// HasActiveRuns reports whether the workfile at path (absolute) has active runs, so that it can be opened although the file is
// missing: see workfile.Find.
func HasActiveRuns(state, path string) bool {
	_, _, err := workfile.Find(state, path)
	return err == nil
}

// Rehearse reads a workfile and its history like the recovery of its runs, and changes nothing. The daemon starts another
// process for it if earlier daemons crashed during that recovery.
func Rehearse(path, state string) error {
	_, err := workspace.LookAt(path, state)
	return err
}

// WorkfileID returns the name of the folder of a workfile's history: see workfile.ID.
func WorkfileID(path string) (string, error) {
	id, _, err := workfile.ID(path)
	return id, err
}

// FencePath returns the path of the fence of the workfile at path (absolute): see package fence.
func FencePath(state, path string) (string, error) {
	id, _, err := workfile.Find(state, path)
	return workspace.FencePath(state, id), err
}

// LimitFiles bounds the memory for reading a workfile in this process: see workspace.LimitFiles.
func LimitFiles(bytes int64) { workspace.LimitFiles(bytes) }

// Check returns the problems of a workfile that no daemon has open: see workspace.CheckAt. It needs no daemon, so a large
// file does not burden the daemon of all runs.
func Check(path string, engines []string) (api.Check, error) { return workspace.CheckAt(path, engines) }

// Held lists the quarantined workfiles for a program that must not start a daemon: see workspace.Held.
func Held(state string) ([]api.HeldWorkspace, error) { return workspace.Held(state) }

// Plan returns what a run of the workfile at path (absolute) would do, from the file and the history below the folder state,
// and changes nothing on the disk. If a daemon has the file open, ask the daemon instead, which includes unsaved changes.
// Engines are the names of the executors besides this machine. Errors are *api.Error.
func Plan(path, state string, req api.RunRequest, engines []string) (api.Plan, error) {
	look, err := workspace.LookAt(path, state)
	if err != nil {
		return api.Plan{}, err
	}
	look.UsePools(newPools(state))
	look.UseEngines(engines)
	return look.Plan(req)
}

// ArmedWorkfiles returns the number of workfiles with enabled triggers, without a daemon.
func ArmedWorkfiles(state string) int {
	list, _ := armed.Files(state) // wf trigger ls reports files that cannot be read
	return len(list)
}
