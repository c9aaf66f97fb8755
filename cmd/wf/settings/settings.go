// Package settings has the settings of wf: their list, their values from the environment and the configuration files, whose
// files are trusted, and the folders in which wf keeps its own files. It starts nothing.
package settings

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/progress"
	"wf/graph/timespan"
	"wf/notify"
	"wf/scheduler/flow"
)

// A Setting is a default for flags. Its value comes from the first of these places that has one:
//
//	the flag, the variable WF_KEY, an attribute of the workfile (if the setting has one),
//	.wf.toml beside the workfile, config.toml of the user, the built-in value
type Setting struct {
	Key        string // of the flag, and in the files
	InFiles    string // the key in the files, if it is another one
	Kind       Kind
	Words      []string // the values of KindWord
	Builtin    string   // "" = none
	Attr       string   // attribute of the graph that takes precedence over the files
	Commands   []string // the commands whose flag of this name is this setting; nil = all
	DisabledBy string   // a flag that disables this setting
	Personal   bool     // applies to all workfiles: not allowed in the file beside a workfile
	Flagless   bool     // no command has a flag for it
	Help       string
}

// A Kind is the type of a value.
type Kind int

const (
	KindText     Kind = iota
	KindNumber        // whole, not negative
	KindSwitch        // true or false
	KindTime          // 10s, 1h30m, 7d
	KindAge           // 30d, 12h
	KindSize          // bytes: 500MB, 10GB
	KindWord          // one of the words
	KindExecutor      // the name of one
	KindResource      // as the attribute of the same name: 4, 16G, 2h
	KindNotify        // lines of the attribute notify; in files also a list of them
)

// The words that flags and settings accept.
var (
	ProgressWords  = []string{"auto", "inline", "plain", "none"}
	OutputWords    = []string{"auto", "none", "failed", "grouped", "stream"}
	ColorWords     = []string{"auto", "always", "never"}
	PaletteWords   = []string{"auto", "dark", "light", "colorblind", "16", "none"}
	InterruptWords = []string{progress.InterruptCancel, progress.InterruptDetach, progress.InterruptAsk}
	ResultsWords   = []string{api.ResultsNone, api.ResultsStatus, api.ResultsFile}
	startCommands  = []string{"start", "restart"}
	runCommands    = []string{"run", "resume"}
)

// All returns all settings, in the order of the help.
func All() []Setting {
	return []Setting{
		{Key: "jobs", Kind: KindNumber, Attr: "jobs", Help: "commands of a run at once; 0 = no limit; default: the value of slots"},
		{Key: "wrapper", Kind: KindText, Attr: "wrapper", Help: "the template around every command; {} is the command"},
		{Key: "results", Kind: KindWord, Words: ResultsWords, Attr: "results", Commands: []string{"new"},
			Help: "what runs write into the workfile: none, status, or file (also output)"},
		{Key: "executor", InFiles: "default-executor", Kind: KindExecutor, Attr: "executor",
			Help: "where commands run that name no executor: local (the default), or one of wf help executors"},
		{Key: "profile", InFiles: "default-profile", Kind: KindText,
			Help: "the profile that runs have: parameters and attributes for a purpose, wf help profiles"},
		{Key: "timeout", Kind: KindTime, Builtin: "0s", Commands: runCommands, Help: "stop a run after this time; 0s = never"},
		{Key: "grace", Kind: KindTime, Builtin: "10s", Commands: runCommands, Help: "time between TERM and KILL when a run is stopped"},
		{Key: "interrupt", Kind: KindWord, Words: InterruptWords, Builtin: progress.InterruptCancel,
			Help: "what Ctrl-C in wf run does: cancel the run, detach from it, or ask"},
		{Key: "progress", Kind: KindWord, Words: ProgressWords, Builtin: "auto", Help: "how a run is shown"},
		{Key: "output", Kind: KindWord, Words: OutputWords, Builtin: "auto", DisabledBy: "json", Help: "which output of the nodes is shown"},
		{Key: "color", Kind: KindWord, Words: ColorWords, Builtin: "auto", Help: "colours"},
		{Key: "palette", Kind: KindWord, Words: PaletteWords, Builtin: "auto",
			Help: "colours of the terminal interface; auto = those that fit the terminal"},
		{Key: "ascii", Kind: KindSwitch, Builtin: "false", Help: "draw with ASCII only"},
		{Key: "notify", Kind: KindNotify, Attr: "notify", Flagless: true,
			Help: "who is told about runs of workfiles without this attribute: lines, wf help notify"},
		{Key: "before-run", Kind: KindText, Personal: true, Flagless: true,
			Help: "a shell command before each run, which may refuse it: wf help hooks"},
		{Key: "after-run", Kind: KindText, Personal: true, Flagless: true, Help: "a shell command after each run: wf help hooks"},
		{Key: "before-node", Kind: KindText, Personal: true, Flagless: true,
			Help: "a shell command before the command of each node, which may refuse it: wf help hooks"},
		{Key: "after-node", Kind: KindText, Personal: true, Flagless: true, Help: "a shell command after the command of each node: wf help hooks"},
		{Key: "hook-timeout", Kind: KindTime, Builtin: "1m", Personal: true, Flagless: true, Help: "how long a hook may take in workfiles without hook_timeout"},
		{Key: "trust", Kind: KindText, Personal: true, Flagless: true,
			Help: "folders with files to trust even if others can write them: /data/lab:/srv/flows; * = all"},
		{Key: "file-memory", Kind: KindNumber, Builtin: "0", Personal: true, Flagless: true,
			Help: "MB that reading a workfile may take; 0 = about 10 times its size"},
		{Key: "slots", Kind: KindNumber, Builtin: "0", Commands: startCommands, Personal: true,
			Help: "commands at once of all runs on this machine without jobs; 0 = the number of processors"},
		{Key: "idle-timeout", Kind: KindTime, Builtin: "1s", Commands: startCommands, Personal: true,
			Help: "the daemon ends this time after its last workfile was closed; 0s = never"},
		{Key: "host", Kind: KindText, Builtin: "127.0.0.1", Commands: startCommands, Personal: true, Help: "loopback address of the daemon's HTTP server; or another machine: wf help hosts"},
		{Key: "port", Kind: KindNumber, Builtin: "5049", Commands: startCommands, Personal: true, Help: "port of the HTTP server"},
		{Key: "keep-runs", Kind: KindNumber, Builtin: "100", Commands: startCommands, Personal: true,
			Help: "how many finished runs of a workfile the daemon keeps; 0 = all"},
		{Key: "keep-age", Kind: KindAge, Builtin: "90d", Commands: startCommands, Personal: true,
			Help: "how long the daemon keeps finished runs; 0s = for ever"},
		{Key: "keep-size", Kind: KindSize, Builtin: "0", Commands: startCommands, Personal: true,
			Help: "the most that the finished runs of a workfile may take, such as 500MB or 10GB; 0 = no limit"},
		{Key: "metrics-file", Kind: KindText, Commands: startCommands, Personal: true,
			Help: "the daemon keeps its metrics in this file, for the textfile collector of node_exporter"},
		{Key: "metrics-token-file", Kind: KindText, Commands: startCommands, Personal: true,
			Help: "a file with a token that allows to read the metrics at the port, and nothing else"},
		{Key: "webhook-listen", Kind: KindText, Commands: startCommands, Personal: true,
			Help: "where the daemon receives webhooks: 127.0.0.1:8791; without it, it receives none"},
		{Key: "webhook-tls-cert", Kind: KindText, Commands: startCommands, Personal: true,
			Help: "a certificate in PEM for this address; none allows plain HTTP also if others can reach it"},
		{Key: "webhook-tls-key", Kind: KindText, Commands: startCommands, Personal: true, Help: "its key"},
		{Key: "webhook-url", Kind: KindText, Commands: startCommands, Personal: true,
			Help: "what senders reach this address as, if a proxy stands in between: https://example.org"},
		{Key: "otlp-headers-file", Kind: KindText, Commands: startCommands, Personal: true,
			Help: "a file, only for you, with KEY=VALUE lines: headers for the collector at otlp-endpoint"},
		{Key: "otlp-endpoint", Kind: KindText, Commands: startCommands, Personal: true,
			Help: "URL of the collector for traces; OTEL_EXPORTER_OTLP_ENDPOINT of wf run takes precedence"},
	}
}

// FileKey returns the key of the setting in the files.
func (s Setting) FileKey() string { return cmp.Or(s.InFiles, s.Key) }

// byFileKey finds a setting by its key in the files.
func byFileKey(key string) (Setting, bool) {
	all := All()
	if i := slices.IndexFunc(all, func(s Setting) bool { return s.FileKey() == key }); i >= 0 {
		return all[i], true
	}
	return Setting{}, false
}

// Variable returns the environment variable of the setting.
func (s Setting) Variable() string {
	return "WF_" + strings.ToUpper(strings.ReplaceAll(s.Key, "-", "_"))
}

// Check returns what is wrong with a value and the allowed words, or "" if the value is valid.
func (s Setting) Check(text string) (problem string, allowed []string) {
	switch s.Kind {
	case KindNumber:
		if n, err := strconv.Atoi(text); err != nil || n < 0 {
			return "must be a whole number, 0 or more", nil
		}
	case KindSwitch:
		if _, err := strconv.ParseBool(text); err != nil {
			return "must be true or false", nil
		}
	case KindTime:
		if _, err := timespan.Parse(text); err != nil {
			return "must be a time like 10s, 1h30m or 7d", nil
		}
	case KindAge:
		if _, err := ParseAge(text); err != nil {
			return "must be an age like 30d, 12h or 90m", nil
		}
	case KindSize:
		if _, err := ParseSize(text); err != nil {
			return "must be a size like 500MB or 10GB", nil
		}
	case KindNotify:
		if _, problems := notify.Parse(text); len(problems) > 0 {
			return fmt.Sprintf("line %d: %s", problems[0].Line, problems[0].Text), nil
		}
	case KindExecutor:
		if err := flow.CheckExecutor(text); err != nil {
			return err.Error(), nil
		}
	case KindWord:
		if !slices.Contains(s.Words, text) {
			return "must be one of " + strings.Join(s.Words, ", "), s.Words
		}
	}
	return "", nil
}

// A Value is the value of a setting and the place that it comes from.
type Value struct{ Text, Where string }

// Values are the settings of one or several places, by key.
type Values map[string]Value

// Variables returns the settings of the environment. Empty variables are ignored.
func Variables(c *console.Console) (Values, error) {
	found := Values{}
	for _, s := range All() {
		text := c.Get(s.Variable())
		if text == "" || ofCommand(c, s) {
			continue
		}
		if problem, allowed := s.Check(text); problem != "" {
			return nil, WrongValue(s.Variable()+"="+text, problem, "", exit.DidYouMean(text, allowed))
		}
		found[s.Key] = Value{text, s.Variable()}
	}
	return found, nil
}

// ofCommand says whether the variable of a setting has another meaning inside a command of a run: WF_OUTPUT is the file
// for the outputs of the command.
func ofCommand(c *console.Console, s Setting) bool {
	return s.Key == "output" && c.Get("WF_NODE_ID") != ""
}

// WrongValue returns the error for an invalid value of a setting.
func WrongValue(what, problem, where, why string) *exit.Failure {
	return &exit.Failure{Status: exit.BadUsage, What: what + ": " + problem, Where: where, Why: why, Fix: "wf help config"}
}
