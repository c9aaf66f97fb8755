package template

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"wf/executor"
	"wf/executor/cluster"
)

// engine returns the engine of a type.
func engine(t *testing.T, kind string, changes Profile) *Engine {
	t.Helper()
	e, err := New(kind, changes, true)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// submitLine returns the call of the batch system in a submission.
func submitLine(e *Engine, b *cluster.Batch) string {
	script := strings.TrimSpace(e.Submit(b, "job.sh", "a b"))
	return script[strings.LastIndex(script, "\n")+1:]
}

// Each preset submits one task without wishes, and an array with all of them.
func TestSubmissionOfPresets(t *testing.T) {
	one := &cluster.Batch{Name: "wf-1-1", Tasks: 1}
	many := &cluster.Batch{Name: "wf-1-2", Tasks: 3, Exclude: []string{"n1", "n2"}, Resources: executor.Resources{
		CPUs: 4, Memory: 15<<30 + 1, GPUs: 2, Time: 90*time.Minute + 30*time.Second, Partition: "long", Account: "it's ours", Constraint: "big", Options: "-p 10"}}
	for kind, want := range map[string][2]string{
		"gridengine": {
			`qsub -terse -S /bin/sh -r n -notify -wd / -o /dev/null -e /dev/null -N wf-1-1   "$wf_script"`,
			`qsub -terse -S /bin/sh -r n -notify -wd / -o /dev/null -e /dev/null -N wf-1-2 -t 1-3 -pe smp 4 -l h_rss=15361M,mem_free=15361M -l gpu=2 -l h_rt=1:30:30 -q long -P 'it'\''s ours' -l big -l h='!('n1\|n2')' -p 10 "$wf_script"`},
		"pbs": {
			`qsub -S /bin/sh -r n -j oe -o /dev/null -N wf-1-1   "$wf_script"`,
			`qsub -S /bin/sh -r n -j oe -o /dev/null -N wf-1-2 -J 0-2 -l ncpus=4 -l mem=15361mb -l ngpus=2 -l walltime=1:30:30 -q long -A 'it'\''s ours' -l big -p 10 "$wf_script"`},
		"lsf": {
			`bsub -rn -cwd / -o /dev/null -e /dev/null   -J wf-1-1 < "$wf_script"`,
			`bsub -rn -cwd / -o /dev/null -e /dev/null -n 4 -R 'span[hosts=1]' -M 15361MB -R 'rusage[mem='15361'MB]' -gpu num=2 -W 91 -q long -P 'it'\''s ours' -R 'select['big']' -p 10 -J 'wf-1-2[1-3]' < "$wf_script"`},
		"hyperqueue": {
			`hq submit --output-mode=json --name=wf-1-1 --cwd=/ --stdout=none --stderr=none --crash-limit=1   -- /bin/sh "$wf_script"`,
			``},
	} {
		e := engine(t, kind, Profile{})
		for i, b := range []*cluster.Batch{one, many} {
			if got, want := submitLine(e, b), strings.ReplaceAll(want[i], `n1\|n2`, `'n1|n2'`); want != "" && got != want {
				t.Errorf("%s:\n%s\nnot\n%s", kind, got, want)
			}
		}
	}
	torque := engine(t, "torque", Profile{})
	if got := submitLine(torque, &cluster.Batch{Name: "wf-1-1", Tasks: 2, Resources: executor.Resources{CPUs: 2}}); !strings.Contains(got, " -t 0-1 -l nodes=1:ppn=2 ") {
		t.Error(got)
	}
}

// A job that asks for what the profile has no flag for is refused before the batch system is called, unless the profile says
// that it is ignored.
func TestFlagThatIsMissing(t *testing.T) {
	b := &cluster.Batch{Name: "wf-1-1", Tasks: 1, Resources: executor.Resources{GPUs: 1}}
	torque := engine(t, "torque", Profile{})
	out, err := exec.Command("/bin/sh", "-c", torque.Submit(b, "job.sh", "a b")).CombinedOutput()
	if message := string(out); err == nil || !strings.Contains(message, "submit_gpus") || !torque.Refused(message) || torque.Busy(message) {
		t.Errorf("%v: %s", err, out)
	}
	if got := submitLine(engine(t, "torque", Profile{Submit: Submit{GPUs: ignored}}), b); !strings.HasPrefix(got, "qsub ") || strings.Contains(got, "gpus") {
		t.Error(got)
	}
}

// The script of a batch executes the words of the job with the index of the task, whatever characters they have.
func TestScriptOfABatch(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "it's $HOME `x` \"y\"\nz")
	if err := os.MkdirAll(filepath.Join(dir, "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	job := "#!/bin/sh\nprintf '%s\\n' \"$1\" \"$2\" \"$WF_TASK_INDEX\" > \"$1/result\"\n"
	for name, text := range map[string]string{"job.sh": job, "b/wf-1-1": "7.1\n7.2\n7.3\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, signals := range []string{"", "USR1 USR2"} {
		e := engine(t, TypeCustom, Profile{Submit: Submit{Cmd: "echo {name} {flags}; A=3 /bin/sh {script}", ID: "(.*)", Array: "-t {tasks}"},
			Array: Array{Index: "A", First: "1"}, Signals: signals, Status: Query{Cmd: "x", Name: "(x)", ID: "(x)", Index: "(x)"},
			Cancel: Cancel{Cmd: "x {ids}", Task: "{job}.{index}"}})
		cmd := exec.Command("/bin/sh", "-c", e.Submit(&cluster.Batch{Name: "wf-1-1", Tasks: 3}, `"$PWD"/job.sh`, `"$PWD" wf-1-1`))
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != "wf-1-1 -t 3\n" {
			t.Errorf("%v: %s", err, out)
		}
		got, err := os.ReadFile(filepath.Join(dir, "result"))
		if want := dir + "\nwf-1-1\n2\n"; string(got) != want || err != nil {
			t.Errorf("%v: %q, not %q", err, got, want)
		}
	}
}

func TestSubmittedID(t *testing.T) {
	for _, c := range []struct{ kind, output, id string }{
		{"gridengine", "17\n", "17"}, {"gridengine", "2.1-12:1\n", "2"}, {"gridengine", "a notice of the site\n18\n", "18"}, {"gridengine", "", ""},
		{"pbs", "12.vbox\n", "12"}, {"pbs", "12[].vbox\n", "12"}, {"pbs", "qsub: something\n", ""},
		{"torque", "12[].head.site.org\n", "12"},
		{"lsf", "Job <3926> is submitted to default queue <normal>.\n", "3926"},
		{"hyperqueue", "{\n  \"id\": 5\n}\n", "5"},
	} {
		got, err := engine(t, c.kind, Profile{}).Submitted(c.output)
		if got != c.id || (err == nil) != (c.id != "") {
			t.Errorf("%s, %q: %q, %v", c.kind, c.output, got, err)
		}
	}
}

// Cancel names each task as the batch system does.
func TestCancel(t *testing.T) {
	tasks := []cluster.Ref{{Job: "7", Index: -1}, {Job: "8", Index: 0}, {Job: "8", Index: 2}}
	for kind, want := range map[string]string{
		"gridengine": "qdel 7 8.1 8.3",
		"pbs":        "qdel 7 '8[0]' '8[2]'",
		"lsf":        "bkill -s KILL 7 '8[1]' '8[3]'",
		"hyperqueue": "hq job cancel 7,8,8",
	} {
		if got := engine(t, kind, Profile{}).Cancel(tasks, cluster.CancelKill); got != "{ "+want+"\n}" {
			t.Errorf("%s: %s", kind, got)
		}
	}
	if got, want := engine(t, "pbs", Profile{}).Cancel(tasks[:2], cluster.CancelTerminate), "{ qsig -s SIGTERM 7 || qdel 7\nqsig -s SIGTERM '8[0]' || qdel '8[0]'\n}"; got != want {
		t.Error(got)
	}
}

// The first messages are those of Grid Engine 8.1.9.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		kind, message string
		refused, busy bool
	}{
		{"gridengine", "Unable to run job: Job was rejected because job requests unknown queue \"nosuch\"\nExiting.", true, false},
		{"gridengine", "Unable to run job: job rejected: the requested parallel environment \"nosuch\" does not exist\nExiting.", true, false},
		{"gridengine", "Unable to run job: job rejected: only 2 jobs are allowed per user (current job count: 2)\nExiting.", true, true},
		{"gridengine", "Unable to read script file because of error: error opening nofile: No such file or directory", true, false},
		{"gridengine", "qsub: invalid option argument \"--frob\"", true, false},
		{"gridengine", "Unable to run job: unable to send message to qmaster using port 6444 on host \"gemaster\": got send error\nExiting.", false, false},
		{"gridengine", "", false, false},
		{"pbs", "qsub: Unknown queue", true, false},
		{"pbs", "qsub: would exceed queue's per-user limit on resource ncpus in complex", true, true},
		{"pbs", "Connection refused\nqsub: cannot connect to server vbox (errno=111)", false, false},
		{"lsf", "nosuch: No such queue. Job not submitted.", true, false},
		{"lsf", "LSF is down. Please wait ...", false, false},
		{"hyperqueue", "error: unexpected argument '--frob' found", true, false},
		{"pbs", "sh: 1: qsub: not found", true, false},
	} {
		e := engine(t, c.kind, Profile{})
		if e.Refused(c.message) != c.refused || e.Busy(c.message) != c.busy {
			t.Errorf("%s, %q: refused %v, busy %v", c.kind, c.message, e.Refused(c.message), e.Busy(c.message))
		}
	}
}

// An error of the configuration names the key.
func TestWrongProfiles(t *testing.T) {
	custom := Profile{Submit: Submit{Cmd: "s {name} {flags} {script}", ID: "(.)"}, Status: Query{Cmd: "s", Name: "(.)", ID: "(.)"}, Cancel: Cancel{Cmd: "c {ids}"}}
	for _, c := range []struct {
		key, text string
		change    Profile
	}{
		{"submit_cmd", "no placeholder {nmae}", Profile{Submit: Submit{Cmd: "s {nmae} {flags} {script}"}}},
		{"submit_cmd", "has no {script}", Profile{Submit: Submit{Cmd: "s {name} {flags}"}}},
		{"submit_cmd", "inside of quotes", Profile{Submit: Submit{Cmd: `s "{name}" {flags} {script}`}}},
		{"submit_cmd", "not closed", Profile{Submit: Submit{Cmd: `s {name} {flags} {script} don't`}}},
		{"submit_cpus", "no placeholder {mem_mb}", Profile{Submit: Submit{CPUs: "-c {mem_mb}"}}},
		{"submit_id", "has no group", Profile{Submit: Submit{ID: `\d+`}}},
		{"status_name", "missing closing", Profile{Status: Query{Name: "(x"}}},
		{"status_state", "has no group", Profile{Status: Query{State: "x"}}},
		{"cancel_cmd", "neither {id} nor {ids}", Profile{Cancel: Cancel{Cmd: "cancel"}}},
		{"array_index", "is missing", Profile{Submit: Submit{Array: "-t {tasks}"}}},
		{"array_first", "is 2", Profile{Array: Array{First: "2"}}},
		{"signals", `"KILL" is not one of`, Profile{Signals: "KILL"}},
	} {
		_, err := New(TypeCustom, custom.with(c.change), false)
		var wrong *KeyError
		if !errors.As(err, &wrong) || wrong.Key != c.key || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s, %s: %v", c.key, c.text, err)
		}
	}
	if _, err := New(TypeCustom, Profile{}, false); err == nil || !strings.Contains(err.Error(), "submit_cmd") {
		t.Errorf("an empty profile: %v", err)
	}
	if _, err := New("condor", Profile{}, false); err == nil || !strings.Contains(err.Error(), "gridengine") {
		t.Errorf("an unknown type: %v", err)
	}
}

// Braces that are no placeholders belong to the shell.
func TestBracesOfTheShell(t *testing.T) {
	c, err := parseCommand(`x=${HOME} awk '{print $1} {next}' "{a}" { echo; } \{ids} {ids}`, []string{"ids"})
	if err != nil {
		t.Fatal(err)
	}
	want := `x=${HOME} awk '{print $1} {next}' "{a}" { echo; } \{ids} 1 'a b'`
	if got := c.expand(map[string]value{"ids": {words: []string{"1", "a b"}}}); got != want {
		t.Errorf("%s\nnot\n%s", got, want)
	}
}

// All presets are complete, and their types are listed.
func TestPresets(t *testing.T) {
	if got, want := Types(), []string{"gridengine", "hyperqueue", "lsf", "pbs", "torque", "custom"}; !reflect.DeepEqual(got, want) {
		t.Error(got)
	}
	for _, kind := range presetNames() {
		if e := engine(t, kind, Profile{}); e.Arrays() != (kind != "hyperqueue") {
			t.Errorf("%s: arrays: %v", kind, e.Arrays())
		}
	}
}
