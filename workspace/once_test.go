package workspace

import (
	"context"
	"testing"

	"wf/api"
)

// TestRepeatedRequestStartsOneRun: a repeated request returns the same run, both while it is active and when only the history contains
// it.
func TestRepeatedRequestStartsOneRun(t *testing.T) {
	b := newTestbed(t, "a")
	b.open()
	start := func(key string, again bool) api.RunAccepted {
		t.Helper()
		acc, err := b.w.StartRun(context.Background(), "c", api.RunRequest{Mode: api.ModeFresh, Key: key, Again: again}) // no environment either
		if err != nil {
			t.Fatalf("%s: %v", key, err)
		}
		return acc
	}
	first := start("k1", false)
	if again := start("k1", true); first.Run != "1" || again.Run != "1" || again.Nodes != first.Nodes || again.Mode != first.Mode {
		t.Errorf("%+v, then %+v", first, again)
	}
	if _, err := b.w.StopAll(context.Background(), "c", api.StopRequest{}); err != nil {
		t.Fatal(err)
	}
	if again := start("k1", true); again.Run != "1" {
		t.Errorf("of the past: %+v", again)
	}
	if other := start("k2", true); other.Run != "2" {
		t.Errorf("another request: %+v", other)
	}
	b.w.StopAll(context.Background(), "c", api.StopRequest{})
}

// TestPathsOfCopiesAreAbsolute: a relative path would refer to the folder of the daemon.
func TestPathsOfCopiesAreAbsolute(t *testing.T) {
	b := newTestbed(t, "a")
	b.open()
	_, err := b.w.SaveAs(context.Background(), api.SaveAsRequest{Path: "copy.graphml"})
	if e, _ := err.(*api.Error); e == nil || e.Code != api.CodeInvalid {
		t.Errorf("got %v", err)
	}
}
