// Package template knows batch systems by what a Profile says about their commands and what these print. Presets describe Grid
// Engine, PBS, Torque, LSF and HyperQueue. Only that of Grid Engine was tried with the real one (8.1.9); the others follow the
// documentation of their systems.
package template

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"wf/executor/cluster"
	"wf/executor/login"
	"wf/graph/pattern"
)

// An Engine implements cluster.Engine for a batch system that a Profile describes.
type Engine struct {
	profile                Profile
	submit                 *command
	flags                  []*flag
	id                     *regexp.Regexp
	first                  int // the index of the first task
	status                 *reader
	accounting             *reader
	cancel                 *command
	term                   *command
	final                  *command
	task, arrayName        *command
	refused, busy, unclear *regexp.Regexp // nil = nothing
}

var _ cluster.Engine = (*Engine)(nil)

// New returns the engine for a type of Types, with the keys of the preset that the profile changes. It asks accounting only if
// accounting is set. The error is a *KeyError if a key is wrong.
func New(kind string, changes Profile, accounting bool) (*Engine, error) {
	preset, known := presets[kind]
	if !known && kind != TypeCustom {
		return nil, fmt.Errorf("there is no type %s: there are %s", kind, strings.Join(Types(), ", "))
	}
	p := preset.with(changes)
	if err := p.check(); err != nil {
		return nil, err
	}
	e := &Engine{profile: p}
	e.first, _ = strconv.Atoi(p.Array.First)
	if err := cmp.Or(e.parseCommands(), e.parsePatterns()); err != nil {
		return nil, err
	}
	if !accounting {
		e.final = nil
	}
	return e, nil
}

// parseCommands reads the templates of the profile.
func (e *Engine) parseCommands() error {
	p, none := e.profile, &cluster.Batch{Tasks: 2}
	var first error
	parse := func(to **command, key, text string, must []string, known ...string) {
		if text == "" {
			return
		}
		c, err := parseCommand(text, append(slices.Clone(must), known...))
		for _, m := range must {
			if err == nil && !c.has(m) {
				err = fmt.Errorf("has no {%s}", m)
			}
		}
		if err != nil && first == nil {
			first = &KeyError{key, err}
		}
		*to = c
	}
	parse(&e.submit, "submit_cmd", p.Submit.Cmd, []string{"name", "flags", "script"})
	parse(&e.cancel, "cancel_cmd", p.Cancel.Cmd, nil, "id", "ids", "ids_commas")
	parse(&e.term, "term_cmd", p.Cancel.Term, nil, "id", "ids", "ids_commas")
	parse(&e.final, "accounting_cmd", p.Accounting.Cmd, nil, "id", "ids", "ids_commas")
	parse(&e.task, "cancel_task", p.Cancel.Task, []string{"job", "index"})
	parse(&e.arrayName, "array_name", p.Array.Name, []string{"name"}, "tasks", "last")
	for _, c := range []struct {
		key     string
		command *command
	}{{"cancel_cmd", e.cancel}, {"term_cmd", e.term}, {"accounting_cmd", e.final}} {
		if first == nil && c.command != nil && !c.command.has("id") && !c.command.has("ids") && !c.command.has("ids_commas") {
			first = &KeyError{c.key, errors.New("has neither {id} nor {ids}")}
		}
	}
	for _, r := range resources(none) {
		f, err := parseFlag(r.key, r.what, *keyOf(r.key).field(&p), r.values)
		first = cmp.Or(first, err)
		e.flags = append(e.flags, f)
	}
	return first
}

// parsePatterns reads the regular expressions of the profile.
func (e *Engine) parsePatterns() error {
	p := e.profile
	var first error
	parse := func(to **regexp.Regexp, key, text string, groups int) {
		if text == "" {
			return
		}
		r, err := regexp.Compile("(?m)" + text)
		if err == nil && r.NumSubexp() < groups {
			err = errors.New("has no group ( ) around what it is to find")
		}
		if err != nil && first == nil {
			first = &KeyError{key, err}
		}
		*to = r
	}
	parse(&e.id, "submit_id", p.Submit.ID, 1)
	parse(&e.refused, "submit_refused", p.Submit.Refused, 0)
	parse(&e.busy, "submit_busy", p.Submit.Busy, 0)
	parse(&e.unclear, "submit_unclear", p.Submit.Unclear, 0)
	phases := p.phases()
	for _, prefix := range []string{"status", "accounting"} {
		m := p.Status
		if prefix == "accounting" {
			m = p.Accounting
		}
		r := &reader{what: prefix + "_cmd", phases: phases, first: e.first}
		parse(&r.job, prefix+"_job", m.Job, 0)
		parse(&r.name, prefix+"_name", m.Name, 1)
		parse(&r.id, prefix+"_id", m.ID, 1)
		parse(&r.index, prefix+"_index", m.Index, 1)
		parse(&r.state, prefix+"_state", m.State, 1)
		parse(&r.host, prefix+"_host", m.Host, 1)
		parse(&r.reason, prefix+"_reason", m.Reason, 1)
		if prefix == "status" {
			parse(&r.end, "status_end", p.Status.End, 0)
			e.status = r
		} else {
			e.accounting = r
		}
	}
	return first
}

// keyOf returns a key that exists.
func keyOf(name string) Key {
	keys := Keys()
	return keys[slices.IndexFunc(keys, func(k Key) bool { return k.Name == name })]
}

// Arrays reports whether a job can have several tasks.
func (e *Engine) Arrays() bool { return e.profile.arrays() }

// Programs returns the programs of the commands, as far as their names are the first words.
func (e *Engine) Programs() []string {
	var names []string
	for _, text := range []string{e.profile.Submit.Cmd, e.profile.Status.Cmd, e.profile.Cancel.Cmd} {
		name, _, _ := strings.Cut(strings.TrimSpace(text), " ")
		if programName.Get().MatchString(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

var programName = pattern.Of(`^[A-Za-z0-9_./-]+$`)

// Index implements cluster.Engine. The script of a batch sets the variable.
func (e *Engine) Index() string { return indexVariable }

const indexVariable = "WF_TASK_INDEX"

// A resource is what a batch asks for with a flag.
type resource struct {
	key, what string
	wanted    bool
	values    map[string]value // for the placeholders of the flag
	free      bool             // a batch system that does not know it is not asked
}

// resources returns all resources, with what a batch wants of them.
func resources(b *cluster.Batch) []resource {
	r := b.Resources
	kib := (r.Memory + 1023) / 1024
	up := func(n, unit int64) int64 { return (n + unit - 1) / unit }
	seconds := int64((r.Time + time.Second - 1) / time.Second)
	clock := fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	text := func(key, what, v string) resource {
		return resource{key: key, what: what, wanted: v != "", values: map[string]value{what: word(v)}}
	}
	return []resource{
		{key: "submit_array", what: "arrays", wanted: b.Tasks > 1, values: map[string]value{"tasks": number(int64(b.Tasks)), "last": number(int64(b.Tasks) - 1)}},
		{key: "submit_cpus", what: "cpus", wanted: r.CPUs > 0, values: map[string]value{"cpus": number(int64(r.CPUs))}},
		{key: "submit_mem", what: "mem", wanted: r.Memory > 0, values: map[string]value{
			"mem_kb": number(kib), "mem_mb": number(up(kib, 1024)), "mem_gb": number(up(kib, 1024*1024)),
			"mem_mb_per_cpu": number(up(kib, 1024*int64(max(1, r.CPUs)))), "cpus": number(int64(max(1, r.CPUs)))}},
		{key: "submit_gpus", what: "gpus", wanted: r.GPUs > 0, values: map[string]value{"gpus": number(int64(r.GPUs))}},
		{key: "submit_time", what: "time", wanted: r.Time > 0, values: map[string]value{
			"time": word(clock), "time_s": number(seconds), "time_min": number(max(1, up(seconds, 60)))}},
		text("submit_partition", "partition", r.Partition),
		text("submit_account", "account", r.Account),
		text("submit_constraint", "constraint", r.Constraint),
		{key: "submit_exclude", what: "machines", wanted: len(b.Exclude) > 0, free: true, values: map[string]value{
			"exclude": word(strings.Join(b.Exclude, ",")), "exclude_bars": word(strings.Join(b.Exclude, "|"))}},
	}
}

// Submit implements cluster.Engine. It writes a script for the batch into the folder of the run, since some batch systems do not
// pass on arguments.
func (e *Engine) Submit(b *cluster.Batch, script, args string) string {
	var flags []string
	for i, r := range resources(b) {
		switch f := e.flags[i]; {
		case !r.wanted || f.ignored || f.command == nil && (r.free || i == 0 && e.arrayName != nil):
		case f.command == nil:
			return "echo " + login.Quote(fmt.Sprintf("%sthe executor has no %s, so no job can ask for %s", ownMessage, f.key, f.what)) + " >&2\nexit 1"
		default:
			flags = append(flags, f.command.expand(r.values))
		}
	}
	flags = append(flags, value{words: strings.Fields(b.Resources.Options)}.shell())
	name := b.Name
	if b.Tasks > 1 && e.arrayName != nil {
		name = e.arrayName.text(map[string]string{"name": name, "tasks": strconv.Itoa(b.Tasks), "last": strconv.Itoa(b.Tasks - 1)})
	}
	values := map[string]value{"name": word(name), "flags": {code: cmp.Or(strings.Join(slices.DeleteFunc(flags, isBlank), " "), " ")}, "script": {code: `"$wf_script"`}}
	return "set -- " + script + " " + args + "\nwf_script=$PWD/b/" + b.Name + ".sh\n" + e.writeScript(b) + e.submit.expand(values)
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

// ownMessage begins messages that do not come from the batch system: it was not called.
const ownMessage = "wf: "

// writeScript returns the part of a submission that writes $wf_script, which the batch system executes. It executes the words of
// $@ with the index of the task in indexVariable.
func (e *Engine) writeScript(b *cluster.Batch) string {
	index := "0"
	if b.Tasks > 1 {
		index = fmt.Sprintf("$((%s - %d))", e.profile.Array.Index, e.first)
	}
	before := "#!/bin/sh\n" + indexVariable + "=" + index + "\nexport " + indexVariable + "\nset -- /bin/sh"
	after := "exec \"$@\"\n"
	if signals := strings.Join(strings.Fields(e.profile.Signals), " "); signals != "" {
		after = strings.ReplaceAll(taskScript, "SIGNALS", signals)
	}
	return "{ printf %s " + login.Quote(before) + `
for w; do printf " '%s'" "$(printf %s "$w" | sed "s/'/'\\\\''/g")"; done
printf '\n%s' ` + login.Quote(after) + `; } > "$wf_script" || { echo '` + ownMessage + `a script cannot be written in the folder of the run' >&2; exit 1; }
`
}

// taskScript is the end of the script of a batch whose tasks get TERM instead of other signals.
//
//go:embed task.sh
var taskScript string

// Submitted implements cluster.Engine.
func (e *Engine) Submitted(output string) (string, error) {
	if m := e.id.FindStringSubmatch(output); m != nil {
		return firstGroup(m), nil
	}
	return "", fmt.Errorf("submit_cmd printed %q, in which submit_id finds no id", output)
}

// Status implements cluster.Engine.
func (e *Engine) Status() string { return "{ " + e.profile.Status.Cmd + "\n}" }

// States implements cluster.Engine.
func (e *Engine) States(output string) ([]cluster.State, error) { return e.status.read(output) }

// Final implements cluster.Engine.
func (e *Engine) Final(ids []string) string {
	if e.final == nil {
		return ""
	}
	return forAll(e.final, ids)
}

// FinalStates implements cluster.Engine.
func (e *Engine) FinalStates(output string) ([]cluster.State, error) {
	return e.accounting.read(output)
}

// forAll returns a command for some ids, or one for each of them.
func forAll(c *command, ids []string) string {
	if !c.has("id") {
		return c.expand(map[string]value{"ids": {words: ids}, "ids_commas": word(strings.Join(ids, ","))})
	}
	lines := make([]string, len(ids))
	for i, id := range ids {
		lines[i] = c.expand(map[string]value{"id": word(id), "ids": word(id), "ids_commas": word(id)})
	}
	return strings.Join(lines, "\n")
}

// Cancel implements cluster.Engine. Waiting tasks are cancelled as running ones are: a task that is believed to wait may have
// begun, and gets TERM then, since it is stopped in any case.
func (e *Engine) Cancel(tasks []cluster.Ref, how cluster.Cancellation) string {
	ids := make([]string, len(tasks))
	for i, t := range tasks {
		if ids[i] = t.Job; t.Index >= 0 && e.task != nil {
			ids[i] = e.task.text(map[string]string{"job": t.Job, "index": strconv.Itoa(t.Index + e.first)})
		}
	}
	c := e.cancel
	if how != cluster.CancelKill && e.term != nil {
		c = e.term
	}
	return "{ " + forAll(c, ids) + "\n}"
}

// Refused implements cluster.Engine.
func (e *Engine) Refused(message string) bool {
	if strings.HasPrefix(message, ownMessage) {
		return true
	}
	if e.unclear != nil && e.unclear.MatchString(message) {
		return false
	}
	return missing.Get().MatchString(message) || e.Busy(message) || e.refused != nil && e.refused.MatchString(message)
}

// missing is what a shell says about a program that it does not find.
var missing = pattern.Of(`(?m)^[^ ]*sh: .*not found$`)

// Busy implements cluster.Engine.
func (e *Engine) Busy(message string) bool { return e.busy != nil && e.busy.MatchString(message) }
