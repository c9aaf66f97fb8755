package workspace

import (
	"context"
	"errors"
	"testing"

	"wf/api"
)

func TestOutlookOfARun(t *testing.T) {
	b := newTestbed(t, "a>b")
	b.open()
	v := b.watch()
	acc, s := b.run(api.RunRequest{})
	first, err := b.w.Outlook(context.Background(), acc.Run)
	if err != nil || first.Earlier != 0 || len(first.Nodes) != 2 || first.Nodes[0].ExpectedMS != nil {
		t.Fatalf("a first run: %+v, %v", first, err)
	}
	b.play(v, s, nil)
	acc, s = b.run(api.RunRequest{})
	o, err := b.w.Outlook(context.Background(), acc.Run)
	if err != nil {
		t.Fatal(err)
	}
	if o.Run != acc.Run || o.Seq <= first.Seq || o.Earlier != 1 || o.Nodes[1].State != api.StateIdle {
		t.Errorf("%+v", o)
	}
	for _, n := range o.Nodes {
		if n.ExpectedMS == nil {
			t.Errorf("%s ran before and nothing is expected of it", n.Name)
		}
	}
	live, err := b.w.Live(context.Background(), acc.Run, []string{"id-b", "nobody"})
	if err != nil || len(live.Tails) != 0 || live.Counts.Idle != 1 {
		t.Errorf("live: %+v, %v", live, err)
	}
	b.play(v, s, nil)
	var e *api.Error
	if _, err := b.w.Outlook(context.Background(), acc.Run); !errors.As(err, &e) || e.Code != api.CodeNotFound {
		t.Errorf("outlook of a run that is over: %v", err)
	}
}
