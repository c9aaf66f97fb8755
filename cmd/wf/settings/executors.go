package settings

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/executor/cluster"
	"wf/executor/cluster/template"
	"wf/graph/pattern"
	"wf/scheduler/flow"
)

// A Profile describes an executor in the table [executor.NAME] of the user's configuration. ProfileKeys says what its fields
// mean.
type Profile struct {
	Type       string
	Via        string
	Dir        string
	Resources  flow.Resources // of jobs that do not ask for others
	QueueSize  int            // 0 = not given, as for the next ones
	ArraySize  int
	Accounting bool // not for slurm, which is asked whether it has accounting
	Limits     Limits
	Template   template.Profile // of other types than slurm
}

// ProfileSlurm is the type of a Slurm cluster, and the name of the profile that always exists.
const ProfileSlurm = "slurm"

// A ProfileKey is a key of the table of an executor.
type ProfileKey struct {
	Setting
	set func(p *Profile, text string) error // text has passed Check
}

// ProfileKeys returns the keys of the tables of executors, in the order of the help.
func ProfileKeys() []ProfileKey {
	keys := []ProfileKey{
		{Setting{Key: "type", Kind: KindWord, Words: append([]string{ProfileSlurm}, template.Types()...), Help: "what places the jobs; must be given"},
			func(p *Profile, text string) error { p.Type = text; return nil }},
		{Setting{Key: "via", Kind: KindText, Help: "what executes a command line at the cluster: ssh login; without it: here"},
			func(p *Profile, text string) error { p.Via = text; return nil }},
		{Setting{Key: "dir", Kind: KindText, Help: "folder that its machines share; without it: the state folder"},
			func(p *Profile, text string) error { p.Dir = text; return nil }},
		{Setting{Key: "queue_size", Kind: KindNumber, Builtin: "1000", Help: "jobs of a run that the cluster has at once"},
			func(p *Profile, text string) (err error) { p.QueueSize, err = strconv.Atoi(text); return err }},
		{Setting{Key: "array_size", Kind: KindNumber, Builtin: "1000", Help: "jobs that are submitted together, as an array; 1 = each alone"},
			func(p *Profile, text string) (err error) { p.ArraySize, err = strconv.Atoi(text); return err }},
		{Setting{Key: "mode", Kind: KindWord, Words: flow.ClusterModes, Builtin: "auto", Help: "how commands without cluster_mode are submitted"},
			func(p *Profile, text string) error { return p.Resources.Set("cluster_mode", text) }},
		{Setting{Key: "accounting", Kind: KindSwitch, Builtin: "false", Help: "qacct and the like can be asked; Slurm says it itself"},
			func(p *Profile, text string) (err error) { p.Accounting, err = strconv.ParseBool(text); return err }},
	}
	keys = append(keys, limitKeys()...)
	for _, name := range flow.ResourceNames() {
		set := func(p *Profile, text string) error { return p.Resources.Set(name, text) }
		if name == "cluster_mode" {
			continue // its key is mode
		}
		help := "of commands without this attribute"
		if name == "cluster_options" {
			help = "options of sbatch, qsub…, before those of the command"
		}
		keys = append(keys, ProfileKey{Setting{Key: name, Kind: KindResource, Help: help}, set})
	}
	return keys
}

// TemplateKeys returns the keys that describe how the commands of a batch system are called. They change the preset of the type.
func TemplateKeys() []ProfileKey {
	var keys []ProfileKey
	for _, k := range template.Keys() {
		keys = append(keys, ProfileKey{Setting{Key: k.Name, Kind: KindText, Help: k.Help}, func(p *Profile, text string) error {
			k.Set(&p.Template, text)
			return nil
		}})
	}
	return keys
}

// NewEngine returns what knows the commands of a batch system that is not Slurm.
func (p Profile) NewEngine() (*template.Engine, error) {
	return template.New(p.Type, p.Template, p.Accounting)
}

// executorTable is the table with the profiles.
const executorTable = "executor"

// profileName is what a profile may be called: its name is part of names of files.
var profileName = pattern.Of(`^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$`)

// Profiles returns the executors of the user's configuration, by name. A profile of a type without settings need not be
// there: "slurm" always exists.
func Profiles(c *console.Console) (map[string]Profile, error) {
	profiles := map[string]Profile{ProfileSlurm: {Type: ProfileSlurm}}
	own, err := ownProfiles(c)
	maps.Copy(profiles, own)
	return profiles, err
}

// ownProfiles returns the profiles that the user's configuration contains.
func ownProfiles(c *console.Console) (map[string]Profile, error) {
	path := UserFile(c)
	if path == "" {
		return nil, nil
	}
	data, err := readTrusted(c, path, true, TrustOf(c, c.Get("WF_TRUST")))
	if err != nil || data == nil {
		return nil, err
	}
	values, err := parseTOML(path, data)
	if err != nil {
		return nil, err
	}
	return parseProfiles(path, data, values)
}

// parseProfiles reads the profiles of a configuration file.
func parseProfiles(path string, data []byte, values map[string]any) (map[string]Profile, error) {
	tables, isTable := values[executorTable].(map[string]any)
	if !isTable {
		return nil, nil
	}
	lines := map[string]int{}
	for _, k := range configKeys(data) {
		lines[k.key] = k.line
	}
	profiles := map[string]Profile{}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		table, isTable := tables[name].(map[string]any)
		if !isTable {
			return nil, profileError(fmt.Sprintf("%s:%d", path, lines[executorTable+"."+name]), "it must be a table", "begin it with [executor."+name+"]")
		}
		where := path + ", [executor." + name + "]"
		if !profileName.Get().MatchString(name) || name == flow.LocalExecutor {
			return nil, &exit.Failure{Status: exit.BadUsage, What: "an executor cannot be called " + name, Where: where,
				Why: "its name must have at most 32 letters, digits, - and _, and local is this machine"}
		}
		p, err := parseProfile(table, where)
		if err != nil {
			return nil, err
		}
		profiles[name] = p
	}
	return profiles, nil
}

// parseProfile reads the table of an executor.
func parseProfile(table map[string]any, where string) (p Profile, err error) {
	known := map[string]ProfileKey{}
	var names []string
	for _, k := range append(ProfileKeys(), TemplateKeys()...) {
		known[k.Key], names = k, append(names, k.Key)
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		k, ok := known[key]
		if !ok {
			return p, &exit.Failure{Status: exit.BadUsage, What: "unknown key '" + key + "'", Where: where,
				Why: exit.DidYouMean(key, names), Fix: "wf help executors lists all keys"}
		}
		text, right := k.text(table[key])
		if !right {
			return p, profileValue(fmt.Sprintf("%s = %v: must be %s", key, table[key], k.form()), where, "")
		}
		if problem, allowed := k.Check(text); problem != "" {
			return p, profileValue(key+" = "+text+": "+problem, where, exit.DidYouMean(text, allowed))
		}
		if err := k.set(&p, text); err != nil {
			return p, profileValue(key+": "+err.Error(), where, "")
		}
	}
	switch {
	case p.Type == "":
		return p, profileError(where, "it has no type", `add type = "slurm"`)
	case p.Resources.Mode == cluster.ModePool && p.Type != ProfileSlurm:
		return p, profileError(where, "mode is pool, and only slurm has pools", `write mode = "array" or mode = "auto"`)
	case p.Via != "" && p.Dir == "":
		return p, profileError(where, "with via, the cluster does not see the folders of this machine",
			`add dir = "FOLDER", a folder there that all machines of the cluster share`)
	case p.Dir != "" && !strings.HasPrefix(p.Dir, "/") && !strings.HasPrefix(p.Dir, "~/"):
		return p, profileError(where, "dir is "+p.Dir, "write the whole path, or ~/ and a path below your home folder there")
	}
	return p, p.checkTemplate(where)
}

// checkTemplate returns an error if a key of TemplateKeys is wrong.
func (p Profile) checkTemplate(where string) error {
	if p.Type == ProfileSlurm {
		for _, k := range template.Keys() {
			if k.Get(p.Template) != "" {
				return profileValue(k.Name+": slurm has no such key", where, "it belongs to the types "+strings.Join(template.Types(), ", "))
			}
		}
		return nil
	}
	_, err := p.NewEngine()
	if err != nil {
		return &exit.Failure{Status: exit.BadUsage, What: err.Error(), Where: where, Fix: "wf help batch-systems"}
	}
	return nil
}

func profileValue(what, where, why string) error {
	return &exit.Failure{Status: exit.BadUsage, What: what, Where: where, Why: why, Fix: "wf help executors"}
}

func profileError(where, why, fix string) error {
	return &exit.Failure{Status: exit.BadUsage, What: "the executor cannot be used", Where: where, Why: why, Fix: fix}
}
