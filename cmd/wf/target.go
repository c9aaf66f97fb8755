package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"wf/api"
	"wf/client"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/progress"
	"wf/cmd/wf/settings"
	"wf/daemon"
	"wf/tui/plain"
)

// A target is a workfile that is open in the daemon, and the connection.
type target struct{ progress.Target }

// open opens a workfile ("" = ./Workfile) in the daemon for run. It checks that the file exists before it starts a daemon.
func (e *env) open(ctx context.Context, file string, run targetFunc) error {
	if err := e.needDaemon(""); err != nil {
		return err
	}
	path, err := e.workfile(file)
	if err != nil {
		return err
	}
	return e.connected(ctx, func(c *client.Client) error {
		ws, err := c.Open(ctx, path)
		if exit.IsCode(err, api.CodeWorkfile) {
			if _, missing := e.workfile(file); missing != nil { // its last run has ended since
				return missing
			}
		}
		if err != nil {
			return err
		}
		return run(ctx, e, &target{progress.Target{Client: c, Workspace: ws, Path: path, FileFlag: e.fileFix(path)}})
	})
}

// look is open for commands that show the state of a workfile. It prints a note if the file cannot be read, so that the
// state is that of an earlier version.
func (e *env) look(ctx context.Context, file string, run targetFunc) error {
	return e.open(ctx, file, func(ctx context.Context, e *env, s *target) error {
		e.noteProblem(s.Workspace.Problem)
		return run(ctx, e, s)
	})
}

// connected calls run with a connection to the daemon, which it starts if none answers. The connection stays open until the
// end of the process, which closes it faster than the client does.
func (e *env) connected(ctx context.Context, run func(*client.Client) error) error {
	opt, err := e.startingOptions(nil)
	if err != nil {
		return err
	}
	opt.TrustRegistry = true
	c, err := client.Connect(ctx, opt)
	if err != nil {
		return err
	}
	return run(c)
}

// folders returns the folders of wf and creates missing ones.
func (e *env) folders() (settings.Folders, error) {
	dirs := settings.FoldersOf(&e.Console)
	return dirs, dirs.Prepare()
}

// connect connects to the daemon, and starts one with these flags if none answers.
func (e *env) connect(ctx context.Context, flags []string) (*client.Client, error) {
	opt, err := e.startingOptions(flags)
	if err != nil {
		return nil, err
	}
	return client.Connect(ctx, opt)
}

// startingOptions returns the options of a client that starts a daemon with these flags if none answers.
func (e *env) startingOptions(flags []string) (client.Options, error) {
	if err := e.needDaemon(""); err != nil {
		return client.Options{}, err
	}
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
	if len(flags) == 0 {
		opt.Start = serviceOr(e, opt.Start)
	}
	return opt, nil
}

// daemonVars returns the environment of a daemon: only variables that the daemon itself reads. The daemon outlives this
// shell and serves others, so it must not keep tokens and passwords of this environment; each run has its own
// environment. GOTRACEBACK is left out because a core dump would contain the environment of every run. Paths are
// absolute, because the daemon works in another folder.
func (e *env) daemonVars(dirs settings.Folders) []string {
	vars := []string{"WF_RUNTIME_DIR=" + dirs.Runtime, "WF_STATE_DIR=" + dirs.State}
	for _, key := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "TMPDIR", "TZ",
		"WF_LOG", "WF_PORT", "WF_SLOTS", "WF_IDLE_TIMEOUT", "WF_KEEP_RUNS", "WF_KEEP_AGE", "WF_FILE_MEMORY", "WF_KEEP_SIZE",
		"WF_METRICS_FILE", "WF_METRICS_TOKEN_FILE", "WF_OTLP_ENDPOINT", "WF_OTLP_HEADERS_FILE",
		"GOCOVERDIR", "GODEBUG", "GOGC", "GOMAXPROCS", "GOMEMLIMIT", "GORACE"} {
		if value := e.Get(key); value != "" {
			vars = append(vars, key+"="+value)
		}
	}
	host := e.Get("WF_HOST")
	if !settings.IsListenAddress(host) {
		host = settings.LocalHost // the daemon itself is not started elsewhere
	}
	return append(vars, "WF_HOST="+host)
}

// reach connects to a running daemon. running is false if there is none.
func (e *env) reach(ctx context.Context) (c *client.Client, running bool, err error) {
	if err := e.needDaemon(""); err != nil {
		return nil, false, err
	}
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

func (e *env) clientOptions(dirs settings.Folders) client.Options {
	opt := client.Options{
		Runtime: dirs.Runtime,
		Version: version(),
		User:    e.User(),
		Origin:  originOf(e),
		Results: e.results,
		Log:     filepath.Join(dirs.State, daemon.FileLog),
		Guard:   e.Guard,
	}
	opt.Trace = e.protocol(dirs)
	if e.notes {
		opt.Note = func(text string) { fmt.Fprintf(e.Stderr, "note: %s\n", plain.Line(text)) }
	}
	return opt
}
