package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"wf/client"
	"wf/cmd/wf/progress"
	"wf/daemon"
	"wf/tui/plain"
)

// A session is a connection to the daemon with one workfile open.
type session struct{ progress.Target }

// open finds the workfile that file means ("" = ./Workfile) and opens it in the daemon. The file
// is looked for first: a typo starts nothing.
func (e *env) open(ctx context.Context, file string) (*session, error) {
	path, err := e.workfile(file)
	if err != nil {
		return nil, err
	}
	c, err := e.connect(ctx)
	if err != nil {
		return nil, err
	}
	ws, err := c.Open(ctx, path)
	if err != nil {
		c.Close()
		return nil, err
	}
	return &session{progress.Target{Client: c, Workspace: ws, Path: path, FileFlag: e.fileFix(path)}}, nil
}

// look is open for commands that show what is known of a workfile: if that is not what stands in the file now,
// because it cannot be read at present, a note says so.
func (e *env) look(ctx context.Context, file string) (*session, error) {
	s, err := e.open(ctx, file)
	if err == nil {
		e.noteProblem(s.Workspace.Problem)
	}
	return s, err
}

func (s *session) close() { s.Client.Close() }

// connect reaches the daemon and starts one if none answers.
func (e *env) connect(ctx context.Context) (*client.Client, error) {
	return e.connectWith(ctx, nil)
}

// connectWith is connect with flags for a daemon that has to be started.
func (e *env) connectWith(ctx context.Context, flags []string) (*client.Client, error) {
	opt, err := e.startingOptions(flags)
	if err != nil {
		return nil, err
	}
	return client.Connect(ctx, opt)
}

// startingOptions are those of a client that starts a daemon, with flags for it, if none answers.
func (e *env) startingOptions(flags []string) (client.Options, error) {
	dirs, err := e.folders()
	if err != nil {
		return client.Options{}, err
	}
	program, err := os.Executable()
	if err != nil {
		return client.Options{}, fmt.Errorf("find the program of the daemon: %w", err)
	}
	argv := append([]string{program, "server", "start", "--foreground"}, flags...)
	opt := e.clientOptions(dirs)
	opt.Start = client.Detached(argv, e.daemonVars(dirs), opt.Log)
	return opt, nil
}

// daemonVars is the environment of a daemon: what it reads itself. It outlives this shell and serves
// others, so that it must not carry along what else the environment holds, tokens and passwords for
// instance: each run brings its own. Nor GOTRACEBACK, which can make a core dump of a crash, with the
// environment of every run in it. It works in another folder, so it gets absolute paths.
func (e *env) daemonVars(dirs folders) []string {
	vars := []string{"WF_RUNTIME_DIR=" + dirs.runtime, "WF_STATE_DIR=" + dirs.state}
	for _, key := range []string{"HOME", "XDG_CONFIG_HOME", "TMPDIR", "TZ",
		"WF_LOG", "WF_HOST", "WF_PORT", "WF_SLOTS", "WF_IDLE_TIMEOUT", "WF_KEEP_RUNS", "WF_KEEP_AGE", "WF_FILE_MEMORY", "WF_KEEP_SIZE",
		"GOCOVERDIR", "GODEBUG", "GOGC", "GOMAXPROCS", "GOMEMLIMIT", "GORACE"} {
		if value := e.Get(key); value != "" {
			vars = append(vars, key+"="+value)
		}
	}
	return vars
}

// reach connects to a daemon that runs already. running is false when there is none.
func (e *env) reach(ctx context.Context) (c *client.Client, running bool, err error) {
	dirs, err := e.folders()
	if err != nil {
		return nil, false, err
	}
	opt := e.clientOptions(dirs)
	opt.NoStart = true
	c, err = client.Connect(ctx, opt)
	if errors.Is(err, client.ErrNoDaemon) {
		return nil, false, nil
	}
	return c, err == nil, err
}

func (e *env) clientOptions(dirs folders) client.Options {
	opt := client.Options{
		Runtime: dirs.runtime,
		Version: version(),
		User:    e.User(),
		Results: e.results,
		Log:     filepath.Join(dirs.state, daemon.FileLog),
		Guard:   e.Guard,
	}
	opt.Trace = e.protocol(dirs)
	if e.notes {
		opt.Note = func(text string) { fmt.Fprintf(e.Stderr, "note: %s\n", plain.Line(text)) }
	}
	return opt
}
