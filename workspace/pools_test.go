package workspace

import (
	"errors"
	"strings"
	"testing"

	"wf/api"
	"wf/executor"
)

func TestPoolWait(t *testing.T) {
	b, p := controlBed(t, "", nodeText("a", "pool=db:1"), nodeText("b", "pool=db"), nodeText("c"))
	b.open()
	v := b.watch()
	_, s := b.run(api.RunRequest{})
	first := b.next(s)
	c := b.next(s)
	v.reaches(t, api.NodeWaiting, "b")
	if first.Command != "echo a" || c.Command != "echo c" {
		t.Fatalf("%s and %s run, want a and c", first.Command, c.Command)
	}
	n := b.node("id-b")
	if n.State != api.StateWaiting || n.Wait == nil || *n.Wait != (api.Wait{Kind: api.WaitPool, Text: "db:1"}) {
		t.Errorf("b is %s, waits for %+v", n.State, n.Wait)
	}
	why, err := b.w.Why(t.Context(), "id-b", "")
	if err != nil || !strings.Contains(strings.Join(why.Text, " "), "db:1") {
		t.Errorf("why: %q, %v", why.Text, err)
	}
	b.none(s)
	s.end(first.ID, succeeded)
	if j := b.next(s); j.Command != "echo b" {
		t.Errorf("%s follows", j.Command)
	}
	v.reaches(t, api.NodeReady, "a", "b", "c", "b") // the last one: it waits for a slot only
	if n := b.node("id-b"); n.Wait != nil {
		t.Errorf("b runs and waits for %+v", n.Wait)
	}
	s.end(c.ID, succeeded)
	s.end(executor.ID{Node: 1, Execution: 1}, succeeded)
	<-v.over
	if p.state() != "0 used, 0 in line" || p.most["db"] != 1 {
		t.Errorf("%s in the end, %d at once", p.state(), p.most["db"])
	}
}

// A run that needs more units than a pool has is refused. If a pool becomes too small during a run, the run reports it.
func TestPoolTooSmall(t *testing.T) {
	b, p := controlBed(t, "", nodeText("a", "pool=gpu:4"))
	b.open()
	var refused *api.Error
	if _, err := b.w.StartRun(t.Context(), "c", api.RunRequest{Env: []string{}}); !errors.As(err, &refused) || refused.Code != api.CodeWorkfile {
		t.Errorf("a run that needs more than there is: %v", err)
	}
	p.mu.Lock()
	p.sizes["gpu"], p.used["gpu"] = 4, 1
	p.mu.Unlock()
	v := b.watch()
	_, s := b.run(api.RunRequest{})
	v.reaches(t, api.NodeWaiting, "a")
	b.none(s)
	p.mu.Lock()
	p.sizes["gpu"] = 1
	p.mu.Unlock()
	const want = "gpu:4, more than there is: the size of gpu is 1"
	if n := b.node("id-a"); n.Wait == nil || n.Wait.Text != want {
		t.Errorf("%+v", n.Wait)
	}
	why, err := b.w.Why(t.Context(), "id-a", "")
	if err != nil || !strings.Contains(strings.Join(why.Text, " "), want) {
		t.Errorf("why: %q, %v", why.Text, err)
	}
	if _, err := b.w.StopRun(t.Context(), "c1", "", api.StopRequest{}); err != nil {
		t.Error(err)
	}
}
