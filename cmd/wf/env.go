package main

import (
	"wf/api"
	"wf/cmd/wf/console"
	"wf/cmd/wf/settings"
)

// An env is the environment of a command: the console, the values of common flags, and the configuration.
type env struct {
	console.Console

	ofRun    bool   // the default workfile is that of the run in which the command is called, see lookFlag
	command  string // the words of the command: "wf runs rm"
	workpath string // the absolute path of the workfile of this command; "" until it is known

	jsonErrors bool // the command was called with --json: see asksJSON

	// defaults are the settings of a run from configuration files, nil for none. The attributes of the workfile, which
	// only the daemon reads, take precedence.
	defaults *api.RunDefaults
	// notify is the variable WF_NOTIFY, which takes precedence over attributes; nil if it is not set.
	notify *string
	// results is the setting of what runs write into workfiles; every client sends it to the daemon.
	results string
	// configured are the flags whose values come from settings.
	configured map[string]bool

	// trust says whose files may decide what runs. configure sets it.
	trust settings.Trust

	// traced: write the messages to and from the daemon to a file; see protocol.
	traced bool

	// far is the machine of --host, for the commands that work here on it; nil = this machine.
	far *machine

	// notes: report what happens to the daemon. Commands that people watch set it; other commands are used in
	// scripts, where the start of a daemon is not worth a line.
	notes bool
}

// newEnv returns the env of this process.
func newEnv() *env {
	e := &env{}
	e.OfProcess()
	e.OnCrash = e.reportCrash
	e.Advise = func(text string) string { return adviseHost(e.RemoteName, text) }
	return e
}
