package main

import (
	"io"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/term"

	"wf/api"
)

// An env is the world a command sees: its streams, its environment, and what the flags common
// to all commands say. Tests make their own; nothing else in this package asks the process.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	outTTY, errTTY bool     // is the stream a terminal?
	vars           []string // KEY=VALUE, the whole environment
	dir            string   // working directory, absolute; "" when it is gone

	ofRun    bool   // the command is about the workfile of the run that it is called in, see lookFlag
	workpath string // of the workfile this command is about, absolute; "" until one is named

	jsonErrors bool // the command was called with --json: see asksJSON

	// giveBack makes the terminal what it was, when the program crashes; nil while nothing is redrawn.
	giveBack atomic.Pointer[func()]

	// The fields below are set by flags.

	color string // auto, always, never
	ascii bool

	// defaults are what files of configuration say about a run; the workfile wins over them.
	defaults runDefaults
	// results is what settings say about what runs write into workfiles; every client of the daemon tells it.
	results string
	// configured are the flags that settings have given a value.
	configured map[string]bool

	// trust says whose files may decide what runs, once the configuration has been read.
	trust trust

	// traced: write the conversation with the daemon to a file; see protocol.
	traced bool

	// notes: tell what happened to the daemon on the way. Commands that people watch set it;
	// the others are used in scripts, where a daemon that starts is no news.
	notes bool
}

// newEnv is the env of this process.
func newEnv() *env {
	dir, err := os.Getwd()
	if err != nil {
		dir = "" // deleted under us: only relative paths suffer, and they say so
	}
	return &env{
		stdin:  os.Stdin,
		stdout: os.Stdout,
		stderr: os.Stderr,
		outTTY: term.IsTerminal(int(os.Stdout.Fd())),
		errTTY: term.IsTerminal(int(os.Stderr.Fd())),
		vars:   os.Environ(),
		dir:    dir,
		color:  "auto",
	}
}

// get is the value of an environment variable; the last one counts, as in execve.
func (e *env) get(key string) string {
	for i := len(e.vars) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(e.vars[i], key+"="); ok {
			return value
		}
	}
	return ""
}

// user is who asks, for the history. The environment is enough: it is a note, no proof.
func (e *env) user() string {
	if name := e.get("USER"); name != "" {
		return name
	}
	return e.get("LOGNAME")
}

// caller is the execution that this command belongs to; nil outside of runs.
func (e *env) caller() *api.Caller {
	n, err := strconv.Atoi(e.get("WF_EXECUTION"))
	c := &api.Caller{Workfile: e.get("WF_WORKFILE"), Run: e.get("WF_RUN_ID"), Node: e.get("WF_NODE_ID"), Execution: n}
	if err != nil || c.Workfile == "" || c.Run == "" || c.Node == "" {
		return nil
	}
	return c
}
