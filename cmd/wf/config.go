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
	maxConfig     = 1 << 20       // bytes; anything larger is no configuration
)

// configure fills in the flags of cmd that were not given, by the environment and the files of
// configuration. It happens once, before the command begins.
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

// unconfigured says whether a command must work, and quickly, whatever the configuration says.
func unconfigured(cmd *cobra.Command) bool {
	for ; cmd.HasParent(); cmd = cmd.Parent() {
		switch cmd.Name() {
		case "help", "version", "doctor", "completion", "man", "stop", cobra.ShellCompRequestCmd:
			return true
		}
	}
	return false
}

// runDefaults are what files of configuration say about a run. The workfile, which only the
// daemon reads, wins over them.
type runDefaults map[string]string

func (d *runDefaults) put(key, text string) {
	if *d == nil {
		*d = runDefaults{}
	}
	(*d)[key] = text
}

// request is d as the daemon takes it; nil when nothing was said.
func (d runDefaults) request() *api.RunDefaults {
	if len(d) == 0 {
		return nil
	}
	req := &api.RunDefaults{}
	if text, said := d["jobs"]; said {
		n, _ := strconv.Atoi(text) // checked when it was read
		req.Jobs = &n
	}
	if text, said := d["wrapper"]; said {
		req.Wrapper = &text
	}
	return req
}

// workfileOf is the workfile that a command line is about, absolute; "" when it is about none.
// It need not exist.
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

// configFiles reads both files of configuration; the one beside the workfile wins.
func (e *env) configFiles(workfile string) (sayings, error) {
	found := sayings{}
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

// userConfig is the path of the user's file; "" where no home is known.
func (e *env) userConfig() string {
	if dir := e.Get("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "wf", userConfig)
	}
	if home := e.Get("HOME"); home != "" {
		return filepath.Join(home, ".config", "wf", userConfig)
	}
	return ""
}

// projectConfigOf is the path of the file beside a workfile: in the folder where the commands
// work, which is that of the real file.
func projectConfigOf(workfile string) string {
	if workfile == "" {
		return ""
	}
	if real, err := filepath.EvalSymlinks(workfile); err == nil {
		workfile = real
	}
	return filepath.Join(filepath.Dir(workfile), projectConfig)
}

// readConfig reads one file of configuration; one that does not exist says nothing. personal
// says that it is the user's own, which may speak about the daemon.
func (e *env) readConfig(path string, personal bool, t trust) (sayings, error) {
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

// readSmall reads a file that no configuration is larger than.
func readSmall(f *os.File) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if len(data) > maxConfig {
		return nil, fmt.Errorf("it is larger than %d bytes", maxConfig)
	}
	return data, err
}

// parseConfig judges a file of configuration. Every error names the line.
func parseConfig(path string, data []byte, personal bool) (sayings, error) {
	var values map[string]any
	if err := toml.Unmarshal(data, &values); err != nil {
		return nil, notTOML(path, err)
	}
	found := sayings{}
	for _, k := range configKeys(data) {
		where := fmt.Sprintf("%s:%d", path, k.line)
		s, known := settingNamed(k.key)
		switch {
		case !known:
			return nil, unknownKey(k.key, where)
		case s.personal && !personal:
			what := k.key + " is about the daemon, which serves all workfiles"
			if s.flagless {
				what = k.key + " is about all workfiles"
			}
			return nil, &exit.Failure{Status: exit.BadUsage, What: what, Where: where, Why: "it has no place beside one of them", Fix: "put it into the configuration of the user: wf help config"}
		}
		text, right := s.text(values[k.key])
		if !right {
			return nil, wrongValue(fmt.Sprintf("%s = %v", k.key, values[k.key]), "must be "+s.form(), where, nil)
		}
		if problem, meant := s.check(text); problem != "" {
			return nil, wrongValue(k.key+" = "+text, problem, where, meant)
		}
		found[k.key] = said{text, where}
	}
	return found, nil
}

// A configKey is a key of a file and the line it stands in.
type configKey struct {
	key  string
	line int
}

// configKeys finds the keys of a file that has been parsed, in order. The library tells lines only
// of what it cannot place, so it is asked to place everything into nothing.
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

// notTOML is the error for a file that cannot be parsed.
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

// text is a value of a file as a flag would have it. right says that it has the type that the
// setting wants: a number is no text there, and a text no number.
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

// form is how a value of the setting is written in a file.
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
