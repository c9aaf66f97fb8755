package main

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/progress"
	"wf/graph/timespan"
)

// A setting is a default for flags. Its value comes from the first of these places that has one:
//
//	the flag, the variable WF_KEY, an attribute of the workfile (if the setting has one),
//	.wf.toml beside the workfile, config.toml of the user, the built-in value
type setting struct {
	key      string // in the files; the flag has the same name
	kind     settingKind
	words    []string // the values of kindWord
	builtin  string   // "" = none
	attr     string   // attribute of the graph that takes precedence over the files
	commands []string // the commands whose flag of this name is this setting; nil = all
	yields   string   // a flag that disables this setting
	personal bool     // applies to all workfiles: not allowed in the file beside a workfile
	flagless bool     // no command has a flag for it
	help     string
}

// A settingKind is the type of a value.
type settingKind int

const (
	kindText   settingKind = iota
	kindNumber             // whole, not negative
	kindSwitch             // true or false
	kindTime               // 10s, 1h30m, 7d
	kindAge                // 30d, 12h
	kindSize               // bytes: 500MB, 10GB
	kindWord               // one of the words
)

var (
	colorWords     = []string{"auto", "always", "never"}
	interruptWords = []string{progress.InterruptCancel, progress.InterruptDetach, progress.InterruptAsk}
	resultsWords   = []string{api.ResultsNone, api.ResultsStatus, api.ResultsFile}
	startCommands  = []string{"start", "restart"}
	runCommands    = []string{"run", "resume"}
)

// settings returns all settings, in the order of the help.
func settings() []setting {
	return []setting{
		{key: "jobs", kind: kindNumber, attr: "jobs", help: "commands of a run at once; 0 = no limit; default: the value of slots"},
		{key: "wrapper", kind: kindText, attr: "wrapper", help: "the template around every command; {} is the command"},
		{key: "results", kind: kindWord, words: resultsWords, attr: "results", commands: []string{"new"},
			help: "what runs write into the workfile: none, status, or file (also output)"},
		{key: "timeout", kind: kindTime, builtin: "0s", commands: runCommands, help: "stop a run after this time; 0s = never"},
		{key: "grace", kind: kindTime, builtin: "10s", commands: runCommands, help: "time between TERM and KILL when a run is stopped"},
		{key: "interrupt", kind: kindWord, words: interruptWords, builtin: progress.InterruptCancel,
			help: "what Ctrl-C in wf run does: cancel the run, detach from it, or ask"},
		{key: "progress", kind: kindWord, words: progressWords, builtin: "auto", help: "how a run is shown"},
		{key: "output", kind: kindWord, words: outputWords, builtin: "auto", yields: "json", help: "which output of the nodes is shown"},
		{key: "color", kind: kindWord, words: colorWords, builtin: "auto", help: "colours"},
		{key: "ascii", kind: kindSwitch, builtin: "false", help: "draw with ASCII only"},
		{key: "trust", kind: kindText, personal: true, flagless: true,
			help: "folders with files to trust even if others can write them: /data/lab:/srv/flows; * = all"},
		{key: "file-memory", kind: kindNumber, builtin: "0", personal: true, flagless: true,
			help: "MB that reading a workfile may take; 0 = about 10 times its size"},
		{key: "slots", kind: kindNumber, builtin: "0", commands: startCommands, personal: true,
			help: "commands at once of all runs on this machine without jobs; 0 = the number of processors"},
		{key: "idle-timeout", kind: kindTime, builtin: "1s", commands: startCommands, personal: true,
			help: "the daemon ends this time after its last workfile was closed; 0s = never"},
		{key: "host", kind: kindText, builtin: "127.0.0.1", commands: startCommands, personal: true, help: "loopback address of the HTTP server of the daemon"},
		{key: "port", kind: kindNumber, builtin: "5049", commands: startCommands, personal: true, help: "port of the HTTP server"},
		{key: "keep-runs", kind: kindNumber, builtin: "100", commands: startCommands, personal: true,
			help: "how many finished runs of a workfile the daemon keeps; 0 = all"},
		{key: "keep-age", kind: kindAge, builtin: "90d", commands: startCommands, personal: true,
			help: "how long the daemon keeps finished runs; 0s = for ever"},
		{key: "keep-size", kind: kindSize, builtin: "0", commands: startCommands, personal: true,
			help: "the most that the finished runs of a workfile may take, such as 500MB or 10GB; 0 = no limit"},
	}
}

// settingNamed finds a setting by its key.
func settingNamed(key string) (setting, bool) {
	for _, s := range settings() {
		if s.key == key {
			return s, true
		}
	}
	return setting{}, false
}

// settingKeys returns the keys of all settings.
func settingKeys() []string {
	var keys []string
	for _, s := range settings() {
		keys = append(keys, s.key)
	}
	return keys
}

// variable returns the environment variable of the setting.
func (s setting) variable() string {
	return "WF_" + strings.ToUpper(strings.ReplaceAll(s.key, "-", "_"))
}

// check returns what is wrong with a value and similar words, or "" if the value is valid.
func (s setting) check(text string) (problem string, meant []string) {
	switch s.kind {
	case kindNumber:
		if n, err := strconv.Atoi(text); err != nil || n < 0 {
			return "must be a whole number, 0 or more", nil
		}
	case kindSwitch:
		if _, err := strconv.ParseBool(text); err != nil {
			return "must be true or false", nil
		}
	case kindTime:
		if _, err := timespan.Parse(text); err != nil {
			return "must be a time like 10s, 1h30m or 7d", nil
		}
	case kindAge:
		if _, err := parseAge(text); err != nil {
			return "must be an age like 30d, 12h or 90m", nil
		}
	case kindSize:
		if _, err := parseSize(text); err != nil {
			return "must be a size like 500MB or 10GB", nil
		}
	case kindWord:
		for _, word := range s.words {
			if word == text {
				return "", nil
			}
		}
		return "must be one of " + strings.Join(s.words, ", "), suggest(text, s.words)
	}
	return "", nil
}

// on says whether the setting applies to a flag of cmd.
func (s setting) on(cmd *cobra.Command) bool {
	if cmd.Flags().Lookup(s.key) == nil {
		return false
	}
	if s.yields != "" && cmd.Flags().Changed(s.yields) {
		return false
	}
	if s.commands == nil {
		return true
	}
	for _, name := range s.commands {
		if cmd.Name() == name {
			return true
		}
	}
	return false
}

// A settingValue is the value of a setting and the place that it comes from.
type settingValue struct{ text, where string }

// settingValues are the settings of one or several places, by key.
type settingValues map[string]settingValue

// variables returns the settings of the environment. Empty variables are ignored.
func (e *env) variables() (settingValues, error) {
	found := settingValues{}
	for _, s := range settings() {
		text := e.Get(s.variable())
		if text == "" || e.ofCommand(s) {
			continue
		}
		if problem, meant := s.check(text); problem != "" {
			return nil, wrongValue(s.variable()+"="+text, problem, "", meant)
		}
		found[s.key] = settingValue{text, s.variable()}
	}
	return found, nil
}

// ofCommand says whether the variable of a setting has another meaning inside a command of a run: WF_OUTPUT is the file
// for the outputs of the command.
func (e *env) ofCommand(s setting) bool { return s.key == "output" && e.Get("WF_NODE_ID") != "" }

// wrongValue returns the error for an invalid value of a setting.
func wrongValue(what, problem, where string, meant []string) *exit.Failure {
	f := &exit.Failure{Status: exit.BadUsage, What: what + ": " + problem, Where: where, Fix: "wf help config"}
	if len(meant) > 0 {
		f.Why = "did you mean " + strings.Join(meant, ", ") + "?"
	}
	return f
}
