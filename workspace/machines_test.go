package workspace

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"wf/api"
	"wf/executor"
	"wf/workspace/fence"
)

// On machines that share the state folder, a workfile belongs to the machine with its runs until they have ended.

// on makes b the daemon of a machine.
func (b *testbed) on(host, boot string) { b.cfg.Machine = fence.Machine{Host: host, Boot: boot} }

// refusedOn checks that a daemon of another machine cannot open the workfile, and returns the error.
func (b *testbed) refusedOn(host string) *api.Error {
	b.t.Helper()
	before := b.cfg.Machine
	defer func() { b.cfg.Machine = before }()
	b.on(host, "boot of "+host)
	w, err := Open(b.path, b.cfg)
	if err == nil {
		b.close(w)
	}
	var refused *api.Error
	if !errors.As(err, &refused) || refused.Code != api.CodeConflict {
		b.t.Fatalf("%v", err)
	}
	return refused
}

func TestAWorkfileBelongsToTheMachineWithItsRuns(t *testing.T) {
	b := newTestbed(t, "a>b")
	b.slots.n = 1
	b.on("login1", "1")
	b.open()
	e := b.refusedOn("login2")
	if e.Message != "a daemon on login1 has this workfile open" || e.Fix != "use it there: wf --host ssh://login1 …" {
		t.Errorf("%+v", e)
	}

	// The daemon ends while a command runs: the workfile stays with its machine.
	_, s := b.run(api.RunRequest{})
	j := b.next(s)
	b.close(b.w)
	e = b.refusedOn("login2")
	if e.Message != "this workfile belongs to a daemon on login1" || !strings.HasPrefix(e.Fix, "use it there: wf --host ssh://login1 …; if login1 is gone for good: wf server takeover ") {
		t.Errorf("%+v", e)
	}
	if _, err := Move(b.path, b.path+"-2", Config{State: b.cfg.State, Machine: fence.Machine{Host: "login2", Boot: "2"}, Log: b.cfg.Log}); err == nil ||
		!strings.Contains(err.Error(), "belongs to a daemon on login1") {
		t.Errorf("a move on another machine: %v", err)
	}
	if marks, err := Unfinished(b.cfg.State); len(marks) != 1 || err != nil {
		t.Errorf("the refused daemon has removed the note: %v %v", marks, err)
	}

	// The machine boots, and its next daemon goes on. After the run any machine can follow.
	b.on("login1", "after a boot")
	s.end(j.ID, executor.Exit{})
	b.open()
	<-b.fake.opened
	v := b.watch()
	b.play(v, s, nil)
	b.close(b.w)
	b.on("login2", "2")
	b.open()
	if runs, err := b.w.Runs(context.Background()); err != nil || len(runs.Runs) != 1 {
		t.Errorf("%v %v", runs, err)
	}
}

// TestAFailedOpenClaimsNothing checks that a workfile which cannot be opened does not belong to the machine that tried.
func TestAFailedOpenClaimsNothing(t *testing.T) {
	b := newTestbed(t, "a")
	text := b.read()
	b.write("<graphml")
	b.on("login1", "1")
	if w, err := Open(b.path, b.cfg); err == nil {
		b.close(w)
		t.Fatal("a damaged workfile was opened")
	}
	b.write(text)
	b.on("login2", "2")
	b.open()
}

// TestNewWorkfileInThePlaceOfOneOfAnotherMachine removes a workfile whose runs go on elsewhere.
func TestNewWorkfileInThePlaceOfOneOfAnotherMachine(t *testing.T) {
	b := newTestbed(t, "a")
	b.slots.n = 1
	b.on("login1", "1")
	b.open()
	_, s := b.run(api.RunRequest{})
	j := b.next(s)
	b.close(b.w)
	if err := os.Remove(b.path); err != nil {
		t.Fatal(err)
	}
	there := b.cfg
	there.Machine = fence.Machine{Host: "login2", Boot: "2"}
	req := api.NewRequest{Path: b.path, Lines: []string{"true"}}
	if err := Create(req, there); err == nil || !strings.Contains(err.Error(), "this workfile belongs to a daemon on login1") {
		t.Errorf("%v", err)
	}
	b.refusedOn("login2")
	b.open()
	<-b.fake.opened
	v := b.watch()
	s.end(j.ID, executor.Exit{})
	b.play(v, s, nil)
}

// TestADaemonGivesWay lets another machine take a workfile over while its daemon was cut off.
func TestADaemonGivesWay(t *testing.T) {
	b := newTestbed(t, "a>b")
	b.slots.n = 1
	b.on("login1", "1")
	w := b.open()
	_, s := b.run(api.RunRequest{})
	j := b.next(s)
	w.loop.Post(w.giveWay)
	<-w.loop.Done()
	b.close(w)
	if n := b.slots.inUse(); n != 0 {
		t.Errorf("%d slots are still in use", n)
	}
	if d, err := w.Run(context.Background(), "1"); apiCode(err) != api.CodeGone {
		t.Errorf("%+v %v", d, err)
	}
	b.refusedOn("login2")

	// The runner has kept the results: a daemon of its machine goes on.
	b.open()
	<-b.fake.opened
	v := b.watch()
	s.end(j.ID, executor.Exit{})
	b.play(v, s, nil)
}
