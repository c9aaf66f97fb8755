package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"wf/cmd/wf/settings"
	"wf/executor"
	"wf/executor/login"
)

// clusterPrograms returns the programs that wf calls, and a command that shows whether the cluster answers.
func clusterPrograms(p settings.Profile) (names, ask string, err error) {
	if p.Type == settings.ProfileSlurm {
		return "sbatch squeue scancel", `squeue --noheader --user="$(id -un)" --format=%i`, nil
	}
	engine, err := p.NewEngine()
	if err != nil {
		return "", "", err
	}
	return strings.Join(engine.Programs(), " "), engine.Status(), nil
}

// clusterPatience is how long the answer of a cluster may take. Slurm's commands give up after 10 s.
const clusterPatience = 20 * time.Second

// checkExecutors asks each cluster of the configuration, all at the same time. The Slurm that needs no configuration is left out
// if this machine has none.
func (d *doctor) checkExecutors(ctx context.Context) {
	profiles, err := settings.Profiles(d.c)
	if err != nil {
		return // checkSettings reports the error
	}
	usual := d.setting("executor")
	unasked := profiles[settings.ProfileSlurm] == settings.Profile{Type: settings.ProfileSlurm} && usual != settings.ProfileSlurm
	if _, err := d.m.lookPath("sbatch"); err != nil && unasked {
		delete(profiles, settings.ProfileSlurm)
	}
	if usual != executor.LocalEngine && profiles[usual].Type == "" {
		d.problem("executors", "describe it in [executor."+usual+"]: wf help executors", "the setting default-executor is %s, which the configuration does not describe", usual)
	}
	names := slices.Sorted(maps.Keys(profiles))
	found := make([]finding, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() { found[i] = d.examineExecutor(ctx, name, profiles[name]) })
	}
	all.Wait()
	for i, name := range names {
		if name == settings.ProfileSlurm && unasked && found[i].Level == levelProblem {
			found[i].Level = levelNote // perhaps nothing uses it
		}
		d.findings = append(d.findings, found[i])
		if found[i].Level == levelOK {
			d.checkShared(name, profiles[name])
		}
	}
}

// setting returns the value of a setting.
func (d *doctor) setting(key string) string {
	for _, s := range d.settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// examineExecutor checks whether the programs of a cluster are where the profile says, whether the cluster answers, and whether
// the folder for runs can be written to.
func (d *doctor) examineExecutor(ctx context.Context, name string, p settings.Profile) finding {
	ctx, cancel := context.WithTimeout(ctx, clusterPatience)
	defer cancel()
	where := "on this machine"
	if p.Via != "" {
		where = "through " + p.Via
	}
	problem := func(fix, format string, args ...any) finding {
		return finding{Check: "executors", Level: levelProblem, Message: name + ": " + fmt.Sprintf(format, args...), Fix: fix}
	}
	shell := login.Shell{Via: strings.Fields(p.Via), Env: d.c.Environ}
	script, err := clusterScript(p)
	if err != nil {
		return problem("wf help batch-systems", "%s", err)
	}
	output, err := shell.Run(ctx, script, nil)
	var failure *login.Error
	if errors.As(err, &failure) && p.Via != "" && !failure.Begun {
		return problem("make “"+p.Via+" true” work without a question: a known host, and a key or an agent; wf help executors", "%s cannot be used: %s", p.Via, failure)
	} else if err != nil {
		return problem("", "no answer %s: %s", where, err)
	}
	fields := map[string]string{}
	for line := range strings.Lines(string(output)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		fields[key] = cmp.Or(value, fields[key])
	}
	switch {
	case fields["missing"] != "":
		return problem(`set via in [executor.`+name+`] if they are on another machine: via = "ssh login"; or add them to PATH there`, "%s not found %s", fields["missing"], where)
	case fields["locked"] != "":
		return problem("set dir in [executor."+name+"] to a folder that you can write to", "%s is not writable %s", fields["locked"], where)
	case fields["silent"] != "":
		return problem("see the message; runs wait until it answers", "the cluster does not answer %s: %s", where, fields["silent"])
	}
	return finding{Check: "executors", Level: levelOK, Message: name + ": " + p.Type + " answers " + where}
}

// clusterScript returns a script that prints what is wrong.
func clusterScript(p settings.Profile) (string, error) {
	names, ask, err := clusterPrograms(p)
	if err != nil {
		return "", err
	}
	script := "m=\nfor p in " + names + "; do command -v $p > /dev/null || m=\"$m${m:+, }$p\"; done\n[ -z \"$m\" ] || { echo missing $m; exit 0; }\n"
	if p.Dir != "" {
		dir := login.Quote(p.Dir)
		if rest, ok := strings.CutPrefix(p.Dir, "~/"); ok {
			dir = `"$HOME"/` + login.Quote(rest)
		}
		script += "d=" + dir + "\nwhile [ ! -e \"$d\" ]; do d=$(dirname \"$d\"); done\n[ -d \"$d\" ] && [ -w \"$d\" ] || echo locked \"$d\"\n"
	}
	return script + "m=$(" + ask + " 2>&1 > /dev/null) || echo silent \"$(printf '%s\\n' \"${m:-no message}\" | tail -n 1)\"\n", nil
}

// checkShared finds an executor whose runs keep their files on a disk of this machine.
func (d *doctor) checkShared(name string, p settings.Profile) {
	if p.Dir != "" || d.dirs.State == "" {
		return
	}
	if found, err := d.m.diskOf(existing(d.dirs.State)); err == nil && found.kind == "" {
		d.note("executors", `dir = "FOLDER" in [executor.`+name+`], a folder that all its machines share; nothing to do if the cluster is this machine`,
			"%s: its jobs keep their files in %s, on a disk of this machine", name, d.dirs.State)
	}
}
