package main

import (
	"cmp"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/settings"
	"wf/daemon"
	"wf/graph/timespan"
)

// configure sets the flags of cmd that were not given from the environment and the configuration files. It is
// called once, before the command runs.
func (e *env) configure(cmd *cobra.Command, args []string) error {
	vars, err := settings.Variables(&e.Console)
	if err != nil {
		return err
	}
	files, trust, err := settings.Files(&e.Console, e.workfileOf(cmd, args))
	if err != nil {
		return err
	}
	e.trust = trust
	e.results = cmp.Or(vars["results"].Text, files["results"].Text)
	if v, set := files["notify"]; set {
		e.setDefault("notify", v.Text)
	}
	for _, key := range []string{"before-run", "after-run", "before-node", "after-node", "hook-timeout"} {
		if text := cmp.Or(vars[key].Text, files[key].Text); text != "" {
			e.setDefault(key, text)
		}
	}
	if v, set := vars["notify"]; set {
		e.notify = &v.Text
	}
	if mb, err := strconv.ParseInt(cmp.Or(vars["file-memory"].Text, files["file-memory"].Text), 10, 43); err == nil {
		daemon.LimitFiles(mb << 20)
	}
	for _, s := range settings.All() {
		if !applies(s, cmd) || cmd.Flags().Changed(s.Key) {
			continue
		}
		v, set := vars[s.Key]
		if s.Key == "host" && !settings.IsListenAddress(v.Text) {
			set = false // a machine, see machineOf
		}
		if !set {
			if v, set = files[s.Key]; s.Attr != "" && s.Key != "results" && set {
				e.setDefault(s.Key, v.Text)
				continue
			}
		}
		if !set || s.Key == "host" && !settings.IsListenAddress(v.Text) {
			continue
		}
		f := cmd.Flags().Lookup(s.Key)
		if err := f.Value.Set(v.Text); err != nil {
			return settings.WrongValue(s.Key+" = "+v.Text, err.Error(), v.Where, "")
		}
		f.Changed = true
		if e.configured == nil {
			e.configured = map[string]bool{}
		}
		e.configured[s.Key] = true
	}
	return nil
}

// unconfigured says whether a command ignores the configuration, so that it works with a broken one.
func unconfigured(cmd *cobra.Command) bool {
	for ; cmd.HasParent(); cmd = cmd.Parent() {
		switch cmd.Name() {
		case "help", "version", "doctor", "completion", "man", "stop", "host", cobra.ShellCompRequestCmd:
			return true
		}
	}
	return false
}

// setDefault stores a setting of a run from the configuration files.
func (e *env) setDefault(key, text string) {
	if e.defaults == nil {
		e.defaults = &api.RunDefaults{}
	}
	switch key {
	case "jobs":
		n, _ := strconv.Atoi(text) // parseConfig has checked it
		e.defaults.Jobs = &n
	case "wrapper":
		e.defaults.Wrapper = &text
	case "executor":
		e.defaults.Executor = text
	case "before-run":
		e.defaults.BeforeRun = text
	case "after-run":
		e.defaults.AfterRun = text
	case "before-node":
		e.defaults.BeforeNode = text
	case "after-node":
		e.defaults.AfterNode = text
	case "hook-timeout":
		limit, _ := timespan.Parse(text) // likewise
		e.defaults.HookTimeoutMS = limit.Milliseconds()
	case "notify":
		e.defaults.Notify = &text
	}
}

// workfileOf returns the absolute path of the workfile that a command line is about, or "" if it is about none. The
// file need not exist.
func (e *env) workfileOf(cmd *cobra.Command, args []string) string {
	f := cmd.Flags().Lookup("file")
	switch {
	case f != nil && f.Value.String() != "":
		return e.Abs(f.Value.String())
	case len(args) > 0 && (strings.HasSuffix(cmd.Use, "[FILE]") || strings.HasSuffix(cmd.Use, " FILE")):
		return e.Abs(args[0])
	case f != nil || !cmd.HasParent():
		return e.Abs(defaultWorkfile)
	}
	return ""
}

// checkFound refuses to run a default workfile that belongs to another user: in a folder like /tmp every user can
// create one.
func (e *env) checkFound(file, command string) error {
	path := e.Abs(defaultWorkfile)
	if file != "" || e.trust.Names(path) {
		return nil
	}
	for _, look := range []func(string) (fs.FileInfo, error){os.Lstat, os.Stat} {
		info, err := look(path)
		if err != nil {
			return nil // opening the file reports the error
		}
		if owner := e.trust.OtherOwner(info); owner != "" {
			return &exit.Failure{Status: exit.BadWorkfile, What: path + " belongs to " + owner + ", and was not named",
				Why: "its commands would run as you; nothing was run", Fix: "read it; then name it: " + command + " " + defaultWorkfile}
		}
	}
	return nil
}

// applies says whether the setting applies to a flag of cmd.
func applies(s settings.Setting, cmd *cobra.Command) bool {
	disabled := s.DisabledBy != "" && cmd.Flags().Changed(s.DisabledBy)
	return !s.Flagless && cmd.Flags().Lookup(s.Key) != nil && !disabled && (s.Commands == nil || slices.Contains(s.Commands, cmd.Name()))
}
