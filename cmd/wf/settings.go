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

// A setting is what people can say once instead of on every command line. The first of these
// that says something counts:
//
//	the flag, the variable WF_KEY, an attribute of the workfile where there is one,
//	.wf.toml beside the workfile, config.toml of the user, what is built in
type setting struct {
	key      string // in the files; the flag is called the same
	kind     settingKind
	words    []string // what a word may be
	builtin  string   // "" = nothing
	attr     string   // attribute of the workfile's graph that wins over the files
	commands []string // where the flag of this name is this setting; nil = everywhere
	yields   string   // a flag that, when given, leaves this setting no place
	personal bool     // about all workfiles: not for the file beside one of them
	flagless bool     // no command has a flag for it
	help     string
}

// A settingKind says how a value is written.
type settingKind int

const (
	kindText   settingKind = iota
	kindNumber             // whole, not negative
	kindSwitch             // true or false
	kindTime               // 10s, 1h30m, 7d
	kindAge                // how long something is kept: 30d
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

// settings are all of them, in the order in which people read about them.
func settings() []setting {
	return []setting{
		{key: "jobs", kind: kindNumber, attr: "jobs", help: "commands of a run at once; 0 = no limit; not set: what slots says"},
		{key: "wrapper", kind: kindText, attr: "wrapper", help: "what every command is put into, at {}"},
		{key: "results", kind: kindWord, words: resultsWords, attr: "results", commands: []string{"new"},
			help: "what runs write into the workfile: none, status, or file: also output"},
		{key: "timeout", kind: kindTime, builtin: "0s", commands: runCommands, help: "stop a run after this time; 0s = never"},
		{key: "grace", kind: kindTime, builtin: "10s", commands: runCommands, help: "from TERM to KILL when a run is stopped"},
		{key: "interrupt", kind: kindWord, words: interruptWords, builtin: progress.InterruptCancel,
			help: "what Ctrl-C in wf run does: cancel the run, detach from it, or ask"},
		{key: "progress", kind: kindWord, words: progressWords, builtin: "auto", help: "how a run is shown"},
		{key: "output", kind: kindWord, words: outputWords, builtin: "auto", yields: "json", help: "what is shown of the output of the nodes"},
		{key: "color", kind: kindWord, words: colorWords, builtin: "auto", help: "colours"},
		{key: "ascii", kind: kindSwitch, builtin: "false", help: "draw with ASCII only"},
		{key: "trust", kind: kindText, personal: true, flagless: true,
			help: "folders whose files are believed whoever can write them, as /data/lab:/srv/flows; * = all"},
		{key: "file-memory", kind: kindNumber, builtin: "0", personal: true, flagless: true,
			help: "MB that reading a workfile may take; 0 = about 10 times its size"},
		{key: "slots", kind: kindNumber, builtin: "0", commands: startCommands, personal: true,
			help: "commands at once of all runs on this machine that do not say jobs; 0 = its processors"},
		{key: "idle-timeout", kind: kindTime, builtin: "1s", commands: startCommands, personal: true,
			help: "the daemon ends this long after its last workfile was closed; 0s = never"},
		{key: "host", kind: kindText, builtin: "127.0.0.1", commands: startCommands, personal: true, help: "loopback address of the daemon's HTTP door"},
		{key: "port", kind: kindNumber, builtin: "5049", commands: startCommands, personal: true, help: "its port"},
		{key: "keep-runs", kind: kindNumber, builtin: "100", commands: startCommands, personal: true,
			help: "how many past runs of a workfile the daemon keeps; 0 = all"},
		{key: "keep-age", kind: kindAge, builtin: "90d", commands: startCommands, personal: true,
			help: "for how long it keeps them; 0s = for ever"},
		{key: "keep-size", kind: kindSize, builtin: "0", commands: startCommands, personal: true,
			help: "how much they may take for each workfile, as 500MB or 10GB; 0 = any size"},
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

// settingKeys are the keys, for suggestions.
func settingKeys() []string {
	var keys []string
	for _, s := range settings() {
		keys = append(keys, s.key)
	}
	return keys
}

// variable is the environment variable of the setting.
func (s setting) variable() string {
	return "WF_" + strings.ToUpper(strings.ReplaceAll(s.key, "-", "_"))
}

// check says what is wrong with a value, and which word may have been meant; "" when it is right.
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

// on says whether cmd takes the setting by a flag.
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

// A said is a value of a setting and where it was said.
type said struct{ text, where string }

// sayings are what one or several places say, by key.
type sayings map[string]said

// variables are the settings that the environment makes. An empty variable says nothing.
func (e *env) variables() (sayings, error) {
	found := sayings{}
	for _, s := range settings() {
		text := e.Get(s.variable())
		if text == "" || e.ofCommand(s) {
			continue
		}
		if problem, meant := s.check(text); problem != "" {
			return nil, wrongValue(s.variable()+"="+text, problem, "", meant)
		}
		found[s.key] = said{text, s.variable()}
	}
	return found, nil
}

// ofCommand says whether the variable of a setting means something else in here: WF_OUTPUT is the file
// that a command of a run writes its outputs to.
func (e *env) ofCommand(s setting) bool { return s.key == "output" && e.Get("WF_NODE_ID") != "" }

// wrongValue is the error for a value that a setting cannot have.
func wrongValue(what, problem, where string, meant []string) *exit.Failure {
	f := &exit.Failure{Status: exit.BadUsage, What: what + ": " + problem, Where: where, Fix: "wf help config"}
	if len(meant) > 0 {
		f.Why = "did you mean " + strings.Join(meant, ", ") + "?"
	}
	return f
}
