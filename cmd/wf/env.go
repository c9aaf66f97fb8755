package main

import "wf/cmd/wf/console"

// An env is what a command works with: the console, and what the common flags and the
// configuration say.
type env struct {
	console.Console

	ofRun    bool   // the command is about the workfile of the run that it is called in, see lookFlag
	workpath string // of the workfile this command is about, absolute; "" until one is named

	jsonErrors bool // the command was called with --json: see asksJSON

	// defaults are what files of configuration say about a run; the workfile wins over them.
	defaults runDefaults
	// results is what settings say about what runs write into workfiles; every client sends it to the daemon.
	results string
	// configured are the flags that settings have given a value.
	configured map[string]bool

	// trust says whose files may decide what runs, once the configuration has been read.
	trust trust

	// traced: write the conversation with the daemon to a file; see protocol.
	traced bool

	// notes: report what happened to the daemon on the way. Commands that people watch set it;
	// the others are used in scripts, where a daemon that starts is no news.
	notes bool
}

// newEnv returns the env of this process.
func newEnv() *env {
	e := &env{}
	e.OfProcess()
	e.OnCrash = e.reportCrash
	return e
}
