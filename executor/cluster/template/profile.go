package template

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Profile says how wf talks to a batch system: with which commands, and what they print. Commands are templates for a
// shell, see parseCommand; fields whose names end in Match are regular expressions of package regexp in which ^ and $ match at
// lines. Keys says what each field means. A field that is "" has the value of the preset.
type Profile struct {
	Submit  Submit
	Array   Array
	Signals string // that the batch system sends before it ends a job
	Status  Query
	States  States
	Cancel  Cancel
	// Accounting is about jobs that Status does not list any more.
	Accounting Query
}

// Submit is how jobs are submitted. All but the first two are flags of Cmd that are there only if a job asks for something, and
// regular expressions for messages.
type Submit struct {
	Cmd, ID                                                               string
	Array, CPUs, Mem, GPUs, Time, Partition, Account, Constraint, Exclude string
	Refused, Busy, Unclear                                                string
}

// Array is what a job knows of the tasks of an array.
type Array struct {
	Name, Index, First string
}

// A Query is a command that prints jobs, and the regular expressions that find their properties.
type Query struct {
	Cmd                                  string
	End                                  string // what a complete output matches
	Job                                  string // where the text of a job begins; "" = each line is one
	Name, ID, Index, State, Host, Reason string
}

// States are the words for states, separated by blanks.
type States struct {
	Waiting, Running, Completed, Cancelled, OOM, Timeout, NodeFail, Preempted, NotBegun string
}

// Cancel is how jobs are ended.
type Cancel struct {
	Cmd, Task, Term string
}

// ignored is the value of a field for a resource that the batch system cannot be asked for, so that jobs with it are submitted
// without.
const ignored = "ignore"

// A Key is a key of the configuration that sets a field of a Profile.
type Key struct {
	Name, Help string
	field      func(p *Profile) *string
}

// Set sets the field of the key.
func (k Key) Set(p *Profile, text string) { *k.field(p) = text }

// Get returns the field of the key.
func (k Key) Get(p Profile) string { return *k.field(&p) }

// Keys returns all keys, in the order of the help.
func Keys() []Key {
	return slices.Concat(submitKeys, statusKeys, matchKeys("status", func(p *Profile) *Query { return &p.Status }), stateKeys, cancelKeys,
		matchKeys("accounting", func(p *Profile) *Query { return &p.Accounting }))
}

var submitKeys = []Key{
	{"submit_cmd", "command that submits a job: {name}, {flags}, {script}", func(p *Profile) *string { return &p.Submit.Cmd }},
	{"submit_id", "regular expression for the id in what it prints", func(p *Profile) *string { return &p.Submit.ID }},
	{"submit_array", "flag of jobs with several tasks: {tasks}, {last}; without it, no arrays", func(p *Profile) *string { return &p.Submit.Array }},
	{"array_name", "name of a job of several tasks, if not {name}: {name}, {tasks}, {last}", func(p *Profile) *string { return &p.Array.Name }},
	{"array_index", "variable with the index of a task in the environment of a job", func(p *Profile) *string { return &p.Array.Index }},
	{"array_first", "index of the first task: 0 or 1", func(p *Profile) *string { return &p.Array.First }},
	{"submit_cpus", "flag for cpus: {cpus}", func(p *Profile) *string { return &p.Submit.CPUs }},
	{"submit_mem", "flag for mem: {mem_kb}, {mem_mb}, {mem_gb}, {mem_mb_per_cpu}", func(p *Profile) *string { return &p.Submit.Mem }},
	{"submit_gpus", "flag for gpus: {gpus}", func(p *Profile) *string { return &p.Submit.GPUs }},
	{"submit_time", "flag for time: {time} (h:mm:ss), {time_s}, {time_min}", func(p *Profile) *string { return &p.Submit.Time }},
	{"submit_partition", "flag for partition, a queue: {partition}", func(p *Profile) *string { return &p.Submit.Partition }},
	{"submit_account", "flag for account: {account}", func(p *Profile) *string { return &p.Submit.Account }},
	{"submit_constraint", "flag for constraint: {constraint}", func(p *Profile) *string { return &p.Submit.Constraint }},
	{"submit_exclude", "flag for machines that failed: {exclude} (a,b), {exclude_bars} (a|b)", func(p *Profile) *string { return &p.Submit.Exclude }},
	{"submit_refused", "messages of submit_cmd that the job was certainly not taken", func(p *Profile) *string { return &p.Submit.Refused }},
	{"submit_busy", "messages of a refusal that will pass, such as a full queue", func(p *Profile) *string { return &p.Submit.Busy }},
	{"submit_unclear", "messages after which the job may have been taken; comes first", func(p *Profile) *string { return &p.Submit.Unclear }},
	{"signals", "signals before the end of a job, which it gets as TERM: USR2", func(p *Profile) *string { return &p.Signals }},
}

var statusKeys = []Key{
	{"status_cmd", "command that prints all jobs of this user", func(p *Profile) *string { return &p.Status.Cmd }},
	{"status_end", "regular expression that a complete output matches", func(p *Profile) *string { return &p.Status.End }},
}

func matchKeys(prefix string, matches func(p *Profile) *Query) []Key {
	keys := []Key{
		{prefix + "_job", "where the text of a job begins; without it, each line is a job", func(p *Profile) *string { return &matches(p).Job }},
		{prefix + "_name", "the name in the text of a job; one group, as for the next keys", func(p *Profile) *string { return &matches(p).Name }},
		{prefix + "_id", "the id", func(p *Profile) *string { return &matches(p).ID }},
		{prefix + "_index", "the index of a task", func(p *Profile) *string { return &matches(p).Index }},
		{prefix + "_state", "the word for the state", func(p *Profile) *string { return &matches(p).State }},
		{prefix + "_host", "the machine", func(p *Profile) *string { return &matches(p).Host }},
		{prefix + "_reason", "why it waits or has failed", func(p *Profile) *string { return &matches(p).Reason }},
	}
	if prefix == "accounting" {
		cmd := Key{"accounting_cmd", "command for jobs that are listed no more, if accounting = true: {id}, {ids}", func(p *Profile) *string { return &p.Accounting.Cmd }}
		keys = append([]Key{cmd}, keys...)
	}
	return keys
}

var stateKeys = []Key{
	{"state_waiting", "words for jobs that wait: PEND HOLD", func(p *Profile) *string { return &p.States.Waiting }},
	{"state_running", "words for jobs that run", func(p *Profile) *string { return &p.States.Running }},
	{"state_completed", "words for jobs that ended by themselves", func(p *Profile) *string { return &p.States.Completed }},
	{"state_cancelled", "words for jobs that somebody cancelled", func(p *Profile) *string { return &p.States.Cancelled }},
	{"state_oom", "words for jobs that used too much memory", func(p *Profile) *string { return &p.States.OOM }},
	{"state_timeout", "words for jobs that took too long", func(p *Profile) *string { return &p.States.Timeout }},
	{"state_node_fail", "words for jobs whose machine failed", func(p *Profile) *string { return &p.States.NodeFail }},
	{"state_preempted", "words for jobs that lost their place to others", func(p *Profile) *string { return &p.States.Preempted }},
	{"state_not_begun", "words for jobs that could not be started", func(p *Profile) *string { return &p.States.NotBegun }},
}

var cancelKeys = []Key{
	{"cancel_cmd", "command that ends jobs: {ids}, or {id} for a command for each", func(p *Profile) *string { return &p.Cancel.Cmd }},
	{"cancel_task", "what {id} is for a task of an array: {job}, {index}", func(p *Profile) *string { return &p.Cancel.Task }},
	{"term_cmd", "command that sends TERM to running jobs and removes waiting ones", func(p *Profile) *string { return &p.Cancel.Term }},
}

// TypeCustom is the type of a Profile without a preset.
const TypeCustom = "custom"

// Types returns the types of profiles: the names of the presets, and TypeCustom.
func Types() []string { return append(presetNames(), TypeCustom) }

// with returns the profile with the fields that another one has.
func (p Profile) with(other Profile) Profile {
	for _, k := range Keys() {
		if value := *k.field(&other); value != "" {
			*k.field(&p) = value
		}
	}
	return p
}

// A KeyError says which key of a profile is wrong.
type KeyError struct {
	Key string
	Err error
}

func (e *KeyError) Error() string { return e.Key + ": " + e.Err.Error() }

// Unwrap returns what is wrong.
func (e *KeyError) Unwrap() error { return e.Err }

// needed are the keys without which wf cannot use a batch system.
var needed = []string{"submit_cmd", "submit_id", "status_cmd", "status_name", "status_id", "cancel_cmd"}

// arrays reports whether a job can have several tasks.
func (p Profile) arrays() bool { return p.Submit.Array != "" || p.Array.Name != "" }

// check returns an error if a key is missing.
func (p Profile) check() error {
	for _, k := range Keys() {
		if slices.Contains(needed, k.Name) && *k.field(&p) == "" {
			return &KeyError{k.Name, errors.New("is missing: " + k.Help)}
		}
	}
	array := map[string]string{"array_index": p.Array.Index, "status_index": p.Status.Index, "cancel_task": p.Cancel.Task}
	for _, key := range []string{"array_index", "status_index", "cancel_task"} {
		if p.arrays() && array[key] == "" {
			return &KeyError{key, errors.New("is missing, but there is submit_array or array_name")}
		}
	}
	if p.Array.First != "" && p.Array.First != "0" && p.Array.First != "1" {
		return &KeyError{"array_first", fmt.Errorf("is %s, not 0 or 1", p.Array.First)}
	}
	if p.Array.Index != "" && !isName(p.Array.Index) {
		return &KeyError{"array_index", fmt.Errorf("%q is no name of a variable", p.Array.Index)}
	}
	for _, signal := range strings.Fields(p.Signals) {
		if !slices.Contains(signals, signal) {
			return &KeyError{"signals", fmt.Errorf("%q is not one of %s", signal, strings.Join(signals, ", "))}
		}
	}
	return nil
}

// signals are those that a batch system may send before it ends a job.
var signals = []string{"HUP", "INT", "USR1", "USR2", "XCPU"}

func isName(s string) bool {
	for i, r := range s {
		if r != '_' && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}
