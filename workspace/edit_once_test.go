package workspace

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"

	"wf/api"
)

// An edit comes again after the daemon died in the middle of it: it is answered as it was if it is in the
// file, made if it is not, and answered with an error if the file has changed again since.
func TestEditComesAgain(t *testing.T) {
	ctx := context.Background()
	req := api.EditRequest{Edits: []api.Edit{{Op: api.OpAddNode, Label: "echo new"}}}
	for name, c := range map[string]struct {
		then  func(b *testbed, old string) error // what becomes of the file
		nodes int                                // in the end
		code  api.Code
	}{
		"after the rename":  {func(*testbed, string) error { return nil }, 2, ""},
		"before the rename": {func(b *testbed, old string) error { return os.Rename(old, b.path) }, 2, ""},
		"somebody else was faster": {func(b *testbed, old string) error {
			b.write(workfileText("x"))
			return nil
		}, 1, api.CodeLost},
	} {
		t.Run(name, func(t *testing.T) {
			b := newTestbed(t, "a")
			b.open()
			old := b.path + ".old"
			if err := os.Link(b.path, old); err != nil {
				t.Fatal(err)
			}
			by := api.Author{Client: "c1", Key: "k1"}
			first, err := b.w.Edit(ctx, by, req)
			if err != nil || len(first.Added) != 1 {
				t.Fatalf("%+v, %v", first, err)
			}
			b.close(b.w)
			if err := c.then(b, old); err != nil {
				t.Fatal(err)
			}
			b.open()
			by.Again = true
			again, err := b.w.Edit(ctx, by, req)
			if e := new(api.Error); errors.As(err, &e) != (c.code != "") || e.Code != c.code {
				t.Fatal(err)
			}
			st, err := b.w.Status(ctx, true)
			if err != nil || len(st.Nodes) != c.nodes {
				t.Errorf("%d nodes, %v", len(st.Nodes), err)
			}
			isNew := func(n api.NodeStatus) bool { return n.ID == again.Added[0] }
			if c.code == "" && !slices.ContainsFunc(st.Nodes, isNew) {
				t.Errorf("answered %+v", again)
			}
		})
	}
}

// What an earlier save has brought into the file is known, whatever happens to the file later.
func TestEarlierEditComesAgain(t *testing.T) {
	ctx := context.Background()
	b := newTestbed(t, "a")
	b.open()
	add := func(key string, again bool) (api.EditResult, error) {
		return b.w.Edit(ctx, api.Author{Client: "c1", Key: key, Again: again}, api.EditRequest{Edits: []api.Edit{{Op: api.OpAddNode, Label: "echo " + key}}})
	}
	first, err := add("k1", false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := add("k2", false); err != nil {
		t.Fatal(err)
	}
	b.close(b.w)
	b.write(workfileText("x"))
	b.open()
	if res, err := add("k1", true); err != nil || res.Added[0] != first.Added[0] {
		t.Errorf("%+v, %v", res, err)
	}
	if _, err := add("k2", true); err == nil {
		t.Error("nobody can know whether the latest one is in the file")
	}
	if res, err := add("k3", true); err != nil || len(res.Added) != 1 {
		t.Errorf("it was never made: %+v, %v", res, err)
	}
}
