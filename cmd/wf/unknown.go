package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"wf/cmd/wf/exit"
)

// otherWords maps command names of other programs to those of wf.
var otherWords = map[string]string{
	"history": "runs", "list": "ls", "nodes": "ls", "log": "logs", "output": "logs", "cat": "logs", "tail": "logs",
	"start": "run", "exec": "run", "execute": "run", "go": "run", "build": "run", "make": "run", "submit": "run",
	"rerun": "resume", "retry": "resume", "continue": "resume", "restart": "resume",
	"kill": "stop", "abort": "stop", "interrupt": "stop", "dry-run": "plan", "preview": "plan",
	"watch": "attach", "follow": "attach", "monitor": "attach", "ps": "status", "state": "status", "info": "status", "top": "status",
	"explain": "why", "reason": "why", "lint": "check", "validate": "check", "verify": "check",
	"init": "new", "create": "new", "clear": "reset", "clean": "reset", "add": "edit", "set": "edit", "undo": "edit", "redo": "edit",
	"inbox": "approvals", "pending": "approvals", "confirm": "approve", "yes": "approve", "deny": "reject", "refuse": "reject", "no": "reject",
	"outputs": "out", "result": "out", "results": "out",
	"service": "server", "manual": "man", "store": "kv", "counter": "kv", "config": "doctor", "settings": "doctor", "env": "doctor", "diagnose": "doctor",
}

// unknownWord returns the error for a word that is not in names, with similar names.
func unknownWord(what, word string, names []string, fix string) *exit.Failure {
	what += " '" + word + "'"
	similar := exit.Similar(word, names)
	if ours := otherWords[word]; slices.Contains(names, ours) {
		similar = []string{ours}
	}
	if len(similar) > 0 {
		what += ": did you mean '" + strings.Join(similar, "', '") + "'?"
	}
	return &exit.Failure{Status: exit.BadUsage, What: what, Fix: fix}
}

// flagError explains an unknown flag or an invalid value.
func flagError(cmd *cobra.Command, err error) error {
	f := &exit.Failure{Status: exit.BadUsage, What: err.Error(), Fix: cmd.CommandPath() + " --help"}
	var (
		unknown *pflag.NotExistError
		invalid *pflag.InvalidValueError
	)
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		name := unknown.GetSpecifiedName()
		f.What = "unknown flag: --" + name
		if similar := exit.Similar(name, flagNames(cmd)); len(similar) > 0 {
			f.What += ": did you mean --" + strings.Join(similar, ", --") + "?"
		}
	case errors.As(err, &invalid):
		f.What = "--" + invalid.GetFlag().Name + " " + invalid.GetValue() + ": " + valueProblem(invalid)
		if c, ok := invalid.GetFlag().Value.(*choice); ok {
			f.Why = exit.DidYouMean(invalid.GetValue(), c.allowed)
		}
	}
	return f
}

// valueProblem says which values a flag accepts.
func valueProblem(invalid *pflag.InvalidValueError) string {
	switch invalid.GetFlag().Value.Type() {
	case "int":
		return "must be a whole number"
	case "duration":
		if strings.HasPrefix(invalid.GetValue(), "-") {
			return "must not be negative"
		}
		return "must be a time like 10s, 1h30m or 7d"
	case "bool":
		return "must be true or false"
	}
	return invalid.Unwrap().Error()
}

// flagNames returns the flags of cmd.
func flagNames(cmd *cobra.Command) []string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}
