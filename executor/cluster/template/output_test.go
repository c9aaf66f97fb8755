package template

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"wf/executor/cluster"
)

// golden returns a text of testdata.
func golden(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func ref(job string, index int) cluster.Ref { return cluster.Ref{Job: job, Index: index} }

// The texts of Grid Engine were recorded from version 8.1.9, the others follow the documentation of their systems. Jobs that are
// not ours are left out.
func TestStatesOfPresets(t *testing.T) {
	const a, b = "wf-aabbccddeeff-1", "wf-aabbccddeeff-2"
	for _, c := range []struct {
		kind, file string
		want       []cluster.State
	}{
		{"gridengine", "gridengine.xml", []cluster.State{
			{Name: a, Ref: ref("1", -1), Phase: cluster.Running, Text: "r", Host: "gemaster"},
			{Name: b, Ref: ref("2", 0), Phase: cluster.Running, Text: "t", Host: "gemaster"},
			{Name: b, Ref: ref("2", 7), Phase: cluster.Waiting, Text: "qw"},
		}},
		{"pbs", "pbs.txt", []cluster.State{
			{Name: a, Ref: ref("12", -1), Phase: cluster.Running, Text: "R", Host: "node7", Reason: "Job run at Mon Nov 23 at 14:05 on (node7:ncpus=1)"},
			{Name: b, Ref: ref("13", -1), Phase: cluster.Running, Text: "B"},
			{Name: b, Ref: ref("13", 0), Phase: cluster.Completed, Text: "X"},
			{Name: b, Ref: ref("13", 1), Phase: cluster.Waiting, Text: "Q", Reason: "Not Running: Not enough free nodes available"},
		}},
		{"torque", "torque.txt", []cluster.State{
			{Name: a, Ref: ref("548", -1), Phase: cluster.Completed, Text: "C", Host: "n003"},
			{Name: b, Ref: ref("549", 1), Phase: cluster.Running, Text: "R", Host: "n003"},
		}},
		{"lsf", "lsf.txt", []cluster.State{
			{Name: a, Ref: ref("3926", -1), Phase: cluster.Waiting, Text: "PEND"},
			{Name: b, Ref: ref("3927", 0), Phase: cluster.Running, Text: "RUN", Host: "hostB"},
			{Name: b, Ref: ref("3927", 1), Phase: cluster.OutOfMemory, Text: "TERM_MEMLIMIT", Host: "hostC", Reason: "TERM_MEMLIMIT: job killed after reaching LSF memory usage limit"},
			{Name: b, Ref: ref("3927", 2), Phase: cluster.Completed, Text: "EXIT", Host: "hostC"},
			{Name: b, Ref: ref("3927", 3), Phase: cluster.Unknown, Text: "UNKWN", Host: "hostC"},
			{Name: b, Ref: ref("3927", 4), Phase: cluster.Completed, Text: "DONE", Host: "hostC"},
		}},
		{"hyperqueue", "hyperqueue.json", []cluster.State{
			{Name: a, Ref: ref("4", -1), Phase: cluster.Running, Text: "running"},
			{Name: b, Ref: ref("5", -1), Phase: cluster.Completed, Text: "failed"},
		}},
	} {
		got, err := engine(t, c.kind, Profile{}).States(golden(t, c.file))
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v\n%+v\nnot\n%+v", c.kind, err, got, c.want)
		}
	}
}

func TestAccountingOfGridEngine(t *testing.T) {
	got, err := engine(t, "gridengine", Profile{}).FinalStates(golden(t, "qacct.txt"))
	want := []cluster.State{
		{Name: "wf-aabbccddeeff-4", Ref: ref("4", -1), Phase: cluster.TimeUp, Text: "37", Host: "gemaster", Reason: "qmaster enforced h_rt, h_cpu, or h_vmem limit"},
		{Name: "wf-aabbccddeeff-5", Ref: ref("5", 1), Phase: cluster.Completed, Text: "100", Host: "gemaster", Reason: "assumedly after job"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v: %+v", err, got)
	}
}

// Of an answer that ends too early, or that is not understood, nothing is used.
func TestHalfAnAnswer(t *testing.T) {
	xml, pbs := golden(t, "gridengine.xml"), golden(t, "pbs.txt")
	for _, c := range []struct{ kind, output string }{
		{"gridengine", xml[:len(xml)-20]},
		{"gridengine", ""},
		{"gridengine", strings.ReplaceAll(xml, "<state>qw</state>", "")},
		{"pbs", pbs[:strings.LastIndex(pbs, "job_state")]},
		{"lsf", "3926|0|PEND|-|-|wf-aabbccddeeff-1\n3927|1|RUN wf-aabbccddeeff-2\n"},
	} {
		if got, err := engine(t, c.kind, Profile{}).States(c.output); err == nil {
			t.Errorf("%s: %+v", c.kind, got)
		}
	}
	for _, kind := range []string{"pbs", "lsf"} {
		if got, err := engine(t, kind, Profile{}).States(""); err != nil || len(got) > 0 {
			t.Errorf("%s: no jobs: %+v, %v", kind, got, err)
		}
	}
}
