package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"wf/daemon"
	"wf/executor"
)

// rehearseCommand is the hidden sub-command that recovers the runs of a workfile like a daemon would, without keeping
// the result. If the runs crash their reader, this process crashes and not the daemon.
const rehearseCommand = "rehearse"

// Limits of a rehearsal. Exceeding them counts as a crash.
const (
	rehearseTime  = 2 * time.Minute
	rehearseBytes = 1 << 10 // of its output
)

// rehearsal returns the function for daemon.Config.Rehearse, which runs program. The kernel kills the rehearsal first if
// the machine runs out of memory.
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
	_ = daemon.Rehearse(args[0], args[1]) // a rehearsal that returns an error has not crashed
	return 0
}
