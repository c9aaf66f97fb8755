package settings

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/pelletier/go-toml/v2"

	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
)

const (
	projectConfig = ".wf.toml"    // beside a workfile
	userConfig    = "config.toml" // in the user's folder for wf
	maxConfig     = 1 << 20       // bytes; larger files are refused
)

// Files reads both configuration files; the one beside the workfile takes precedence. It also returns which files the user
// trusts.
func Files(c *console.Console, workfile string) (Values, Trust, error) {
	found, trust := Values{}, Trust{}
	for _, file := range []struct {
		path     string
		personal bool
	}{{UserFile(c), true}, {ProjectFile(workfile), false}} {
		if file.path == "" {
			continue
		}
		trust = TrustOf(c, cmp.Or(c.Get("WF_TRUST"), found["trust"].Text))
		values, err := readConfig(c, file.path, file.personal, trust)
		if err != nil {
			return nil, trust, err
		}
		maps.Copy(found, values)
	}
	return found, trust, nil
}

// UserFile returns the path of the user's configuration file, or "" if HOME is not set.
func UserFile(c *console.Console) string {
	if dir := c.Get("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "wf", userConfig)
	}
	if home := c.Get("HOME"); home != "" {
		return filepath.Join(home, ".config", "wf", userConfig)
	}
	return ""
}

// ProjectFile returns the path of the configuration file beside a workfile: in the folder of the real file,
// in which the commands run.
func ProjectFile(workfile string) string {
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
func readConfig(c *console.Console, path string, personal bool, t Trust) (Values, error) {
	data, err := readTrusted(c, path, personal, t)
	if err != nil || data == nil {
		return nil, err
	}
	return parseConfig(path, data, personal)
}

// readTrusted returns the content of a configuration file, or nil if it does not exist. A file that other users can change
// is an error.
func readTrusted(c *console.Console, path string, personal bool, t Trust) ([]byte, error) {
	f, err := openSmall(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	var data []byte
	if err == nil {
		defer f.Close()
		if problem := t.problemOf(path, f, !personal); problem != "" {
			return nil, distrusted(c, path, problem)
		}
		data, err = readSmall(f)
	}
	if err != nil {
		return nil, &exit.Failure{Status: exit.BadUsage, What: "cannot read the configuration " + path, Why: exit.Obstacle(err)}
	}
	return data, nil
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
func parseConfig(path string, data []byte, personal bool) (Values, error) {
	values, err := parseTOML(path, data)
	if err != nil {
		return nil, err
	}
	found := Values{}
	for _, k := range configKeys(data) {
		where := fmt.Sprintf("%s:%d", path, k.line)
		if (strings.HasPrefix(k.key, executorTable+".") || isDestinationKey(k.key)) && personal {
			continue
		}
		if k.key == profileTable || strings.HasPrefix(k.key, profileTable+".") {
			continue
		}
		s, known := byFileKey(k.key)
		switch {
		case k.key == executorTable:
			return nil, &exit.Failure{Status: exit.BadUsage, What: "executor is no setting of a file", Where: where,
				Why: "[executor.NAME] describes an executor", Fix: fmt.Sprintf("write default-executor = \"%v\"", values[executorTable])}
		case strings.HasPrefix(k.key, executorTable+"."):
			return nil, &exit.Failure{Status: exit.BadUsage, What: "executors cannot be defined beside one workfile", Where: where,
				Why: "a folder that came from somebody else could name commands to execute", Fix: "move it to your own configuration: wf help config"}
		case isDestinationKey(k.key):
			return nil, &exit.Failure{Status: exit.BadUsage, What: "destinations of notifications cannot be defined beside one workfile", Where: where,
				Why: "they have passwords and keys", Fix: "move it to your own configuration: wf help notify"}
		case !known:
			return nil, unknownKey(k.key, where)
		case s.Personal && !personal:
			what := k.key + " is a setting of the daemon, which serves all workfiles"
			if s.Flagless {
				what = k.key + " is a setting for all workfiles"
			}
			return nil, &exit.Failure{Status: exit.BadUsage, What: what, Where: where, Why: "it cannot be set beside one workfile", Fix: "move it to your own configuration: wf help config"}
		}
		text, right := s.text(values[k.key])
		if !right {
			return nil, WrongValue(fmt.Sprintf("%s = %v", k.key, values[k.key]), "must be "+s.form(), where, "")
		}
		if problem, allowed := s.Check(text); problem != "" {
			return nil, WrongValue(k.key+" = "+text, problem, where, exit.DidYouMean(text, allowed))
		}
		found[s.Key] = Value{text, where}
	}
	if _, err := parseRunProfiles(path, data, values); err != nil {
		return nil, err
	}
	if personal {
		if _, err := parseProfiles(path, data, values); err != nil {
			return nil, err
		}
		if _, err := parseDestinations(path, values, func(string, bool) (string, error) { return "", nil }); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func parseTOML(path string, data []byte) (values map[string]any, err error) {
	if err := toml.Unmarshal(data, &values); err != nil {
		return nil, notTOML(path, err)
	}
	return values, nil
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
	var keys []string
	for _, s := range All() {
		keys = append(keys, s.FileKey())
	}
	return &exit.Failure{Status: exit.BadUsage, What: "unknown key '" + key + "'", Where: where, Why: exit.DidYouMean(key, keys),
		Fix: "wf help config lists all keys"}
}

// text formats a value of a configuration file like the argument of a flag. right says whether it has the type of
// the setting: a text is not accepted for a number, nor a number for a text.
func (s Setting) text(value any) (text string, right bool) {
	switch v := value.(type) {
	case []any:
		var lines []string
		for _, line := range v {
			one, isText := line.(string)
			if !isText || strings.Contains(one, "\n") {
				return fmt.Sprint(value), false
			}
			lines = append(lines, one)
		}
		return strings.Join(lines, "\n"), s.Kind == KindNotify
	case string:
		right = s.Kind != KindNumber && s.Kind != KindSwitch
	case int64:
		right = s.Kind == KindNumber || s.Kind == KindResource
	case bool:
		right = s.Kind == KindSwitch
	}
	return fmt.Sprint(value), right
}

// form describes how a value of the setting is written in a configuration file.
func (s Setting) form() string {
	switch s.Kind {
	case KindNumber:
		return "a whole number, as in " + s.Key + " = 4"
	case KindSwitch:
		return "true or false"
	case KindTime:
		return "a time in quotes, as in " + s.Key + ` = "10s"`
	case KindAge:
		return "an age in quotes, as in " + s.Key + ` = "30d"`
	case KindWord:
		return "one of " + strings.Join(s.Words, ", ") + ", in quotes"
	case KindResource:
		return "a text in quotes, or a whole number"
	case KindNotify:
		return `a list of lines in quotes, as in notify = ["failure -> desktop"]`
	}
	return "a text in quotes"
}
