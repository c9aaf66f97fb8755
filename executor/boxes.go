package executor

import (
	"context"
	"os/exec"
	"syscall"
	"time"

	"wf/executor/rundir"
)

// boxTimeout is how long endBoxes waits for one engine.
const boxTimeout = 30 * time.Second

// endBoxes kills the boxes of a run that no runner can take over. It is a last attempt: an error could not be reported better than
// that the run is lost.
func (w *reaper) endBoxes(ctx context.Context, dir string) {
	for _, b := range rundir.Boxes(dir) {
		env, _, err := rundir.ReadEnvironment(dir + "/" + rundir.EnvironmentFile)
		if err != nil {
			return
		}
		bounded, cancel := context.WithTimeout(ctx, boxTimeout)
		cmd := exec.CommandContext(bounded, "/bin/sh", "-c", rundir.EndBox, "sh", b.Program, b.ID)
		cmd.Env, cmd.SysProcAttr = append(env, b.Env...), &syscall.SysProcAttr{Setpgid: true}
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
		if forget, err := w.startOwn(cmd); err == nil {
			_ = cmd.Wait()
			forget()
		}
		cancel()
	}
}
