package doctor

import (
	"cmp"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"wf/cmd/wf/exit"
	"wf/cmd/wf/settings"
	"wf/daemon"
	"wf/executor"
	"wf/executor/shell"
	"wf/tui/words"
)

// checkSettings finds the value of every setting. A file with mistakes is a problem; the values of the other
// places are shown nevertheless.
func (d *doctor) checkSettings() {
	vars, err := settings.Variables(d.c)
	if err != nil {
		d.failed("config", err)
	}
	files, _, err := settings.Files(d.c, d.workfile)
	if err != nil {
		d.failed("config", err)
	}
	attrs := d.attributes()
	read := 0
	for _, path := range []string{settings.UserFile(d.c), settings.ProjectFile(d.workfile)} {
		if path != "" && isFile(path) {
			read++
		}
	}
	for _, s := range settings.All() {
		v := unsetValue(s)
		for _, place := range []settings.Values{files, attrs, vars} { // the last one wins
			if found, ok := place[s.Key]; ok {
				v = found
			}
		}
		if s.Key == "slots" && v.Text == "0" {
			v = settings.Value{Text: strconv.Itoa(runtime.NumCPU()), Where: "processors of this machine"}
		}
		d.settings = append(d.settings, settingReport{s.Key, v.Text, v.Where, s.Variable()})
	}
	if len(d.findings) == 0 {
		d.ok("config", "%s of configuration", words.Plural(read, "file"))
	}
}

// unsetValue returns the value that a setting has if no place sets it. Some of these are no built-in values, because a flag with
// them would override an attribute of the workfile.
func unsetValue(s settings.Setting) settings.Value {
	switch s.Key {
	case "executor":
		return settings.Value{Text: executor.LocalEngine, Where: "built in"}
	case "jobs":
		return settings.Value{Where: "as many as slots"}
	}
	return settings.Value{Text: s.Builtin, Where: "built in"}
}

// slotsOf sets the number of slots to that of the running daemon, which may differ from the current setting.
func (d *doctor) slotsOf(daemon int) {
	for i := range d.settings {
		if s := &d.settings[i]; s.Key == "slots" && s.Value != strconv.Itoa(daemon) {
			s.Value, s.Source = strconv.Itoa(daemon), "the daemon that is running"
		}
	}
}

// attributes returns the settings that the workfile itself contains.
func (d *doctor) attributes() settings.Values {
	found := settings.Values{}
	p, err := daemon.PeekAt(d.workfile)
	if err != nil {
		return found // checkWorkfile reports the error
	}
	where := filepath.Base(d.workfile)
	prefix, hasPrefix := p.Attr("prefix")
	suffix, hasSuffix := p.Attr("suffix")
	if hasPrefix || hasSuffix {
		found["wrapper"] = settings.Value{Text: shell.LegacyWrapper(prefix, suffix), Where: where + " (prefix and suffix)"}
	}
	for _, s := range settings.All() {
		if text, ok := p.Attr(s.Attr); ok && s.Attr != "" && (text != "" || s.Kind == settings.KindText) {
			found[s.Key] = settings.Value{Text: text, Where: where + " (attribute " + s.Attr + ")"}
		}
	}
	return found
}

// ownVariables are the variables of wf that are not settings.
var ownVariables = []string{"WF_RUNTIME_DIR", "WF_STATE_DIR", "WF_ACTIVE_HELP", "WF_LOG",
	"WF_WORKFILE", "WF_RUN_ID", "WF_NODE_ID", "WF_NODE_NAME", "WF_EXECUTION", "WF_TRIGGER", "WF_TRIGGER_TIME", "WF_TRIGGER_FILES", "WF_DAEMON_HOST"}

// checkVariables finds unknown variables that begin with WF_.
func (d *doctor) checkVariables() {
	known := append([]string{}, ownVariables...)
	for _, s := range settings.All() {
		known = append(known, s.Variable())
	}
	for _, v := range d.c.Environ {
		name, _, _ := strings.Cut(v, "=")
		if !strings.HasPrefix(name, "WF_") || slices.Contains(known, name) {
			continue
		}
		d.note("variables", cmp.Or(exit.DidYouMean(name, known), "wf help environment lists the variables of wf"), "%s is set, and wf does not know it", name)
	}
}
