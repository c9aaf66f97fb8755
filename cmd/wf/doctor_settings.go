package main

import (
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"wf/daemon"
	"wf/executor/shell"
	"wf/tui/words"
)

// lookAtSettings finds the value of every setting. A file with mistakes is a problem; the values of the other
// places are shown nevertheless.
func (d *doctor) lookAtSettings() {
	vars, err := d.e.variables()
	if err != nil {
		d.failed("config", err)
	}
	files, err := d.e.configFiles(d.workfile)
	if err != nil {
		d.failed("config", err)
	}
	attrs := d.attributes()
	read := 0
	for _, path := range []string{d.e.userConfig(), projectConfigOf(d.workfile)} {
		if path != "" && isFile(path) {
			read++
		}
	}
	for _, s := range settings() {
		v := settingValue{s.builtin, "built in"}
		for _, place := range []settingValues{files, attrs, vars} { // the last one wins
			if found, ok := place[s.key]; ok {
				v = found
			}
		}
		if s.key == "slots" && v.text == "0" {
			v = settingValue{strconv.Itoa(runtime.NumCPU()), "processors of this machine"}
		}
		d.settings = append(d.settings, settingReport{s.key, v.text, v.where, s.variable()})
	}
	if len(d.findings) == 0 {
		d.ok("config", "%s of configuration", words.Plural(read, "file"))
	}
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
func (d *doctor) attributes() settingValues {
	found := settingValues{}
	p, err := daemon.PeekAt(d.workfile)
	if err != nil {
		return found // lookAtWorkfile reports the error
	}
	where := filepath.Base(d.workfile)
	prefix, hasPrefix := p.Attr("prefix")
	suffix, hasSuffix := p.Attr("suffix")
	if hasPrefix || hasSuffix {
		found["wrapper"] = settingValue{shell.LegacyWrapper(prefix, suffix), where + " (prefix and suffix)"}
	}
	for _, s := range settings() {
		if text, ok := p.Attr(s.attr); ok && s.attr != "" && (text != "" || s.kind == kindText) {
			found[s.key] = settingValue{text, where + " (attribute " + s.attr + ")"}
		}
	}
	return found
}

// ownVariables are the variables of wf that are not settings.
var ownVariables = []string{"WF_RUNTIME_DIR", "WF_STATE_DIR", "WF_ACTIVE_HELP", "WF_LOG",
	"WF_WORKFILE", "WF_RUN_ID", "WF_NODE_ID", "WF_NODE_NAME", "WF_EXECUTION"}

// lookAtVariables finds unknown variables that begin with WF_.
func (d *doctor) lookAtVariables() {
	known := append([]string{}, ownVariables...)
	for _, s := range settings() {
		known = append(known, s.variable())
	}
	for _, v := range d.e.Environ {
		name, _, _ := strings.Cut(v, "=")
		if !strings.HasPrefix(name, "WF_") || contains(known, name) {
			continue
		}
		fix := "wf help environment lists the variables of wf"
		if similar := suggest(name, known); len(similar) > 0 {
			fix = "did you mean " + strings.Join(similar, ", ") + "?"
		}
		d.note("variables", fix, "%s is set, and wf does not know it", name)
	}
}

func contains(list []string, text string) bool {
	for _, item := range list {
		if item == text {
			return true
		}
	}
	return false
}
