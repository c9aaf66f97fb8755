package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"wf/daemon"
	"wf/executor"
)

// rehearseCommand is the hidden sub-command that does what a daemon would do to take up the runs of a
// workfile, so that it dies instead of the daemon.
const rehearseCommand = "rehearse"

// What a rehearsal may take. One that needs more is as good as dead.
const (
	rehearseTime  = 2 * time.Minute
	rehearseBytes = 1 << 10 // of what it says
)

// rehearsal is daemon.Config.Rehearse: it runs program. When the machine has no memory left, it shall be the
// rehearsal that the kernel kills.
func rehearsal(x *executor.Local, program, state string, env []string) func(path string) error {
	return func(path string) error {
		_, err := x.Ask(context.Background(), executor.Question{
			Command: `{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null; exec "$WF_REHEARSE_PROGRAM" ` + rehearseCommand + ` "$WF_REHEARSE_FILE" "$WF_REHEARSE_STATE"`,
			Cwd:     "/",
			Env:     append(env[:len(env):len(env)], "WF_REHEARSE_PROGRAM="+program, "WF_REHEARSE_FILE="+path, "WF_REHEARSE_STATE="+state),
			Limit:   rehearseBytes,
			Time:    rehearseTime,
		})
		return err
	}
}

func runRehearse(args []string) int {
	if len(args) != 2 {
		fmt.Fprintln(os.Stderr, "rehearse: started by the daemon only")
		return 2
	}
	_ = daemon.Rehearse(args[0], args[1]) // who can say why not has not died of it
	return 0
}
