package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"

	"wf/api"
	"wf/cmd/wf/exit"
	"wf/daemon"
)

const (
	projectConfig = ".wf.toml"    // beside a workfile
	userConfig    = "config.toml" // in the user's folder for wf
	maxConfig     = 1 << 20       // bytes; larger files are refused
)

// configure sets the flags of cmd that were not given from the environment and the configuration files. It is
// called once, before the command runs.
func (e *env) configure(cmd *cobra.Command, args []string) error {
	vars, err := e.variables()
	if err != nil {
		return err
	}
	files, err := e.configFiles(e.workfileOf(cmd, args))
	if err != nil {
		return err
	}
	e.results = cmp.Or(vars["results"].text, files["results"].text)
	if mb, err := strconv.ParseInt(cmp.Or(vars["file-memory"].text, files["file-memory"].text), 10, 43); err == nil {
		daemon.LimitFiles(mb << 20)
	}
	for _, s := range settings() {
		if !s.on(cmd) || cmd.Flags().Changed(s.key) {
			continue
		}
		v, set := vars[s.key]
		if !set {
			if v, set = files[s.key]; s.attr != "" && s.key != "results" && set {
				e.defaults.put(s.key, v.text)
				continue
			}
		}
		if !set {
			continue
		}
		f := cmd.Flags().Lookup(s.key)
		if err := f.Value.Set(v.text); err != nil {
			return wrongValue(s.key+" = "+v.text, err.Error(), v.where, nil)
		}
		f.Changed = true
		if e.configured == nil {
			e.configured = map[string]bool{}
		}
		e.configured[s.key] = true
	}
	return nil
}

// unconfigured says whether a command ignores the configuration, so that it works with a broken one.
func unconfigured(cmd *cobra.Command) bool {
	for ; cmd.HasParent(); cmd = cmd.Parent() {
		switch cmd.Name() {
		case "help", "version", "doctor", "completion", "man", "stop", cobra.ShellCompRequestCmd:
			return true
		}
	}
	return false
}

// runDefaults are the settings of a run from configuration files. The attributes of the workfile, which only the
// daemon reads, take precedence.
type runDefaults map[string]string

func (d *runDefaults) put(key, text string) {
	if *d == nil {
		*d = runDefaults{}
	}
	(*d)[key] = text
}

// request returns d for a request to the daemon, or nil if it is empty.
func (d runDefaults) request() *api.RunDefaults {
	if len(d) == 0 {
		return nil
	}
	req := &api.RunDefaults{}
	if text, said := d["jobs"]; said {
		n, _ := strconv.Atoi(text) // parseConfig has checked it
		req.Jobs = &n
	}
	if text, said := d["wrapper"]; said {
		req.Wrapper = &text
	}
	return req
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

// configFiles reads both configuration files; the one beside the workfile takes precedence.
func (e *env) configFiles(workfile string) (settingValues, error) {
	found := settingValues{}
	for _, file := range []struct {
		path     string
		personal bool
	}{{e.userConfig(), true}, {projectConfigOf(workfile), false}} {
		if file.path == "" {
			continue
		}
		e.trust = e.trusting(cmp.Or(e.Get("WF_TRUST"), found["trust"].text))
		said, err := e.readConfig(file.path, file.personal, e.trust)
		if err != nil {
			return nil, err
		}
		for key, v := range said {
			found[key] = v
		}
	}
	return found, nil
}

// userConfig returns the path of the user's configuration file, or "" if HOME is not set.
func (e *env) userConfig() string {
	if dir := e.Get("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "wf", userConfig)
	}
	if home := e.Get("HOME"); home != "" {
		return filepath.Join(home, ".config", "wf", userConfig)
	}
	return ""
}

// projectConfigOf returns the path of the configuration file beside a workfile: in the folder of the real file,
// in which the commands run.
func projectConfigOf(workfile string) string {
	if workfile == "" {
		return ""
	}
	if real, err := filepath.EvalSymlinks(workfile); err == nil {
		workfile = real
	}
	return filepath.Join(filepath.Dir(workfile), projectConfig)
}

// readConfig reads one configuration file. A file that does not exist is empty. personal says that it is the
// user's file, which may contain settings of the daemon.
func (e *env) readConfig(path string, personal bool, t trust) (settingValues, error) {
	f, err := openSmall(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	var data []byte
	if err == nil {
		defer f.Close()
		if doubt := t.doubt(path, f, !personal); doubt != "" {
			return nil, e.distrusted(path, doubt)
		}
		data, err = readSmall(f)
	}
	if err != nil {
		return nil, &exit.Failure{Status: exit.BadUsage, What: "cannot read the configuration " + path, Why: exit.Obstacle(err)}
	}
	return parseConfig(path, data, personal)
}

// readSmall reads a file of at most maxConfig bytes.
func readSmall(f *os.File) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if len(data) > maxConfig {
		return nil, fmt.Errorf("it is larger than %d bytes", maxConfig)
	}
	return data, err
}

// parseConfig parses and checks a configuration file. Every error names the line.
func parseConfig(path string, data []byte, personal bool) (settingValues, error) {
	var values map[string]any
	if err := toml.Unmarshal(data, &values); err != nil {
		return nil, notTOML(path, err)
	}
	found := settingValues{}
	for _, k := range configKeys(data) {
		where := fmt.Sprintf("%s:%d", path, k.line)
		s, known := settingNamed(k.key)
		switch {
		case !known:
			return nil, unknownKey(k.key, where)
		case s.personal && !personal:
			what := k.key + " is a setting of the daemon, which serves all workfiles"
			if s.flagless {
				what = k.key + " is a setting for all workfiles"
			}
			return nil, &exit.Failure{Status: exit.BadUsage, What: what, Where: where, Why: "it cannot be set beside one workfile", Fix: "move it to your own configuration: wf help config"}
		}
		text, right := s.text(values[k.key])
		if !right {
			return nil, wrongValue(fmt.Sprintf("%s = %v", k.key, values[k.key]), "must be "+s.form(), where, nil)
		}
		if problem, meant := s.check(text); problem != "" {
			return nil, wrongValue(k.key+" = "+text, problem, where, meant)
		}
		found[k.key] = settingValue{text, where}
	}
	return found, nil
}

// A configKey is a key of a configuration file and its line.
type configKey struct {
	key  string
	line int
}

// configKeys returns the keys of a configuration file in order. The TOML library reports lines only for unknown
// keys, so the file is decoded into an empty struct, where every key is unknown.
func configKeys(data []byte) []configKey {
	var missing *toml.StrictMissingError
	dec := toml.NewDecoder(strings.NewReader(string(data))).DisallowUnknownFields()
	if !errors.As(dec.Decode(&struct{}{}), &missing) {
		return nil
	}
	keys := make([]configKey, len(missing.Errors))
	for i := range missing.Errors {
		line, _ := missing.Errors[i].Position()
		keys[i] = configKey{strings.Join(missing.Errors[i].Key(), "."), line}
	}
	return keys
}

// notTOML returns the error for a file that cannot be parsed.
func notTOML(path string, err error) error {
	f := &exit.Failure{Status: exit.BadUsage, What: "the configuration cannot be read", Where: path, Why: strings.TrimPrefix(err.Error(), "toml: ")}
	var at *toml.DecodeError
	if errors.As(err, &at) {
		line, _ := at.Position()
		f.Where = fmt.Sprintf("%s:%d", path, line)
	}
	return f
}

func unknownKey(key, where string) error {
	f := &exit.Failure{Status: exit.BadUsage, What: "unknown key '" + key + "'", Where: where, Fix: "wf help config lists all keys"}
	if similar := suggest(key, settingKeys()); len(similar) > 0 {
		f.Why = "did you mean " + strings.Join(similar, ", ") + "?"
	}
	return f
}

// text formats a value of a configuration file like the argument of a flag. right says whether it has the type of
// the setting: a text is not accepted for a number, nor a number for a text.
func (s setting) text(value any) (text string, right bool) {
	switch value.(type) {
	case string:
		right = s.kind != kindNumber && s.kind != kindSwitch
	case int64:
		right = s.kind == kindNumber
	case bool:
		right = s.kind == kindSwitch
	}
	return fmt.Sprint(value), right
}

// form describes how a value of the setting is written in a configuration file.
func (s setting) form() string {
	switch s.kind {
	case kindNumber:
		return "a whole number, as in " + s.key + " = 4"
	case kindSwitch:
		return "true or false"
	case kindTime:
		return "a time in quotes, as in " + s.key + ` = "10s"`
	case kindAge:
		return "an age in quotes, as in " + s.key + ` = "30d"`
	case kindWord:
		return "one of " + strings.Join(s.words, ", ") + ", in quotes"
	}
	return "a text in quotes"
}
