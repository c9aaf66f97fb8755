package settings

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/graph/attribute"
	"wf/graph/pattern"
)

// profileTable is the table with the run profiles.
const profileTable = "profile"

// The tables of a run profile whose names are no attributes.
const (
	profileParams = "params"
	profileNodes  = "nodes"
)

// notInProfiles are the attributes that a profile cannot set: they say what the nodes are, or are read before a run is asked for.
var notInProfiles = []string{"name", "label", "group", "x", "y", "on", "params", "results", "on_busy", "prefix", "suffix"}

// runProfileName is what a run profile may be called.
var runProfileName = pattern.Of(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

// RunProfile returns the profile with a name, from the file beside the workfile or else from the user's configuration. A file that
// other users can change is an error.
func RunProfile(c *console.Console, trust Trust, workfile, name string) (*api.Profile, error) {
	var known []string
	for _, file := range []struct {
		path     string
		personal bool
	}{{ProjectFile(workfile), false}, {UserFile(c), true}} {
		if file.path == "" {
			continue
		}
		data, err := readTrusted(c, file.path, file.personal, trust)
		if err != nil {
			return nil, err
		}
		values, err := parseTOML(file.path, data)
		if err != nil {
			return nil, err
		}
		profiles, err := parseRunProfiles(file.path, data, values)
		if err != nil {
			return nil, err
		}
		if p := profiles[name]; p != nil {
			return p, nil
		}
		known = slices.AppendSeq(known, maps.Keys(profiles))
	}
	slices.Sort(known)
	f := &exit.Failure{Status: exit.BadUsage, What: "there is no profile " + name, Why: exit.DidYouMean(name, known),
		Fix: "describe it in [profile." + name + "] of " + cmp.Or(ProjectFile(workfile), projectConfig) + ": wf help profiles"}
	if f.Why == "" && len(known) > 0 {
		f.Why = "there are " + strings.Join(known, ", ")
	}
	return nil, f
}

// RunProfileNames returns the names of the profiles that a workfile can be run with, sorted. It ignores files that cannot be used.
func RunProfileNames(c *console.Console, trust Trust, workfile string) (names []string) {
	for _, path := range []string{ProjectFile(workfile), UserFile(c)} {
		if path == "" {
			continue
		}
		data, err := readTrusted(c, path, path == UserFile(c), trust)
		if err != nil {
			continue
		}
		values, _ := parseTOML(path, data)
		tables, _ := values[profileTable].(map[string]any)
		names = slices.AppendSeq(names, maps.Keys(tables))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// runProfileReader reads one profile.
type runProfileReader struct {
	path  string
	name  string
	lines map[string]int // of keys, and of the first key of tables
	p     *api.Profile
}

// parseRunProfiles reads the run profiles of a configuration file.
func parseRunProfiles(path string, data []byte, values map[string]any) (map[string]*api.Profile, error) {
	if _, has := values[profileTable]; !has {
		return nil, nil
	}
	r := runProfileReader{path: path, lines: map[string]int{}}
	for _, k := range configKeys(data) {
		for key := k.key; ; key = key[:strings.LastIndexByte(key, '.')] {
			if _, known := r.lines[key]; !known {
				r.lines[key] = k.line
			}
			if !strings.Contains(key, ".") {
				break
			}
		}
	}
	tables, isTable := values[profileTable].(map[string]any)
	if !isTable {
		return nil, r.wrong(profileTable, "profile is no setting of a file", "[profile.NAME] describes a profile", fmt.Sprintf("write default-profile = \"%v\"", values[profileTable]))
	}
	profiles := map[string]*api.Profile{}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		r.name, r.p = name, &api.Profile{Name: name}
		table, isTable := tables[name].(map[string]any)
		switch {
		case !isTable:
			return nil, r.wrong(r.key(), name+" is no table", "a profile is one", "begin it with [profile."+name+"]")
		case !runProfileName.Get().MatchString(name):
			return nil, r.wrong(r.key(), "a profile cannot be called "+name, "its name must have at most 64 letters, digits, -, _ and dots", "")
		}
		if err := r.profile(table); err != nil {
			return nil, err
		}
		profiles[name] = r.p
	}
	return profiles, nil
}

// key returns a key of the profile as configKeys has it.
func (r *runProfileReader) key(parts ...string) string {
	return strings.Join(append([]string{profileTable, r.name}, parts...), ".")
}

func (r *runProfileReader) wrong(key, what, why, fix string) error {
	where := r.path
	for ; key != ""; key = key[:max(0, strings.LastIndexByte(key, '.'))] {
		if line := r.lines[key]; line > 0 {
			where = fmt.Sprintf("%s:%d", r.path, line)
			break
		}
	}
	return &exit.Failure{Status: exit.BadUsage, What: what, Where: where, Why: why, Fix: cmp.Or(fix, "wf help profiles")}
}

func (r *runProfileReader) profile(table map[string]any) error {
	set := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		var err error
		switch key {
		case profileParams:
			err = r.params(table[key])
		case profileNodes:
			continue
		default:
			set[key], err = r.attribute(attribute.Graph, key, table[key], key)
		}
		if err != nil {
			return err
		}
	}
	if len(set) > 0 {
		r.p.Attributes = append(r.p.Attributes, api.ProfileAttributes{Set: set})
	}
	return r.nodes(table[profileNodes])
}

func (r *runProfileReader) params(value any) error {
	table, isTable := value.(map[string]any)
	if !isTable {
		return r.wrong(r.key(profileParams), "params is no table", "it has the values of parameters", "write [profile."+r.name+".params], and below it: NAME = VALUE")
	}
	r.p.Params = table
	for name, v := range table {
		switch v.(type) {
		case string, int64, float64, bool:
		default:
			return r.wrong(r.key(profileParams, name), "the parameter "+name+" is neither a text nor a number nor a truth value", "", "")
		}
	}
	return nil
}

// nodes reads the attributes of selected nodes, in the order of the file.
func (r *runProfileReader) nodes(value any) error {
	if value == nil {
		return nil
	}
	tables, isTable := value.(map[string]any)
	if !isTable {
		return r.wrong(r.key(profileNodes), "nodes is no table", "", "write [profile."+r.name+`.nodes."SELECTOR"], and below it: ATTRIBUTE = VALUE`)
	}
	selectors := slices.SortedFunc(maps.Keys(tables), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.lines[r.key(profileNodes, a)], r.lines[r.key(profileNodes, b)]), cmp.Compare(a, b))
	})
	for _, selector := range selectors {
		table, isTable := tables[selector].(map[string]any)
		if !isTable || strings.TrimSpace(selector) == "" {
			return r.wrong(r.key(profileNodes, selector), fmt.Sprintf("%q has no attributes", selector), "", "write [profile."+r.name+`.nodes."SELECTOR"], and below it: ATTRIBUTE = VALUE`)
		}
		set := map[string]string{}
		for _, key := range slices.Sorted(maps.Keys(table)) {
			text, err := r.attribute(attribute.Node, key, table[key], profileNodes, selector, key)
			if err != nil {
				return err
			}
			set[key] = text
		}
		r.p.Attributes = append(r.p.Attributes, api.ProfileAttributes{Selector: selector, Set: set})
	}
	return nil
}

// attribute returns the value of an attribute as a workfile has it.
func (r *runProfileReader) attribute(on attribute.Element, name string, value any, key ...string) (string, error) {
	at := r.key(key...)
	if a := attribute.Find(on, name); a == nil || !a.Settable() || slices.Contains(notInProfiles, name) {
		var names []string
		for a := range attribute.On(on) {
			if a.Settable() && !slices.Contains(notInProfiles, a.Name) {
				names = append(names, a.Name)
			}
		}
		return "", r.wrong(at, fmt.Sprintf("a profile cannot set %s on %s", name, on), exit.DidYouMean(name, names), "")
	}
	switch v := value.(type) {
	case string:
		return v, nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	case bool:
		return strconv.FormatBool(v), nil
	case []any:
		return r.lined(at, name, v)
	case map[string]any:
		return r.variables(at, name, v)
	}
	return "", r.wrong(at, name+" is neither a text nor a number nor a truth value", "", "")
}

// lined joins a list of texts to lines.
func (r *runProfileReader) lined(at, name string, list []any) (string, error) {
	lines := make([]string, len(list))
	for i, v := range list {
		text, isText := v.(string)
		if !isText || strings.Contains(text, "\n") {
			return "", r.wrong(at, name+" is a list of other things than lines", "", "")
		}
		lines[i] = text
	}
	return strings.Join(lines, "\n"), nil
}

// variables makes KEY=VALUE lines of a table.
func (r *runProfileReader) variables(at, name string, table map[string]any) (string, error) {
	if name != "env" {
		return "", r.wrong(at, name+" is a table", "only env, params and nodes are", "")
	}
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(table)) {
		text := fmt.Sprint(table[key])
		if strings.Contains(text, "\n") {
			return "", r.wrong(at, "the variable "+key+" has several lines, which a workfile cannot hold", "", "")
		}
		lines = append(lines, key+"="+text)
	}
	return strings.Join(lines, "\n"), nil
}
