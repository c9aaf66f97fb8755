package workfile

import (
	"context"
	"errors"
	"os"
	"testing"

	"wf/api"
)

// An edit that is requested again after the daemon died gets its earlier answer if it is in the file. It is
// made if it is not in the file, and answered with an error if the file has changed since.
func TestRepeatedRequestOfAnEdit(t *testing.T) {
	ctx := context.Background()
	req := api.EditRequest{Edits: []api.Edit{{Op: api.OpAddNode, Label: "echo new"}}}
	for name, c := range map[string]struct {
		then  func(b *bench, old string) error // what becomes of the file
		nodes int                              // in the end
		code  api.Code
	}{
		"after the rename":  {func(*bench, string) error { return nil }, 4, ""},
		"before the rename": {func(b *bench, old string) error { return os.Rename(old, b.path) }, 4, ""},
		"after a change by another program": {func(b *bench, old string) error {
			b.write(b.other())
			return nil
		}, 1, api.CodeLost},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			old := b.path + ".old"
			if err := os.Link(b.path, old); err != nil {
				t.Fatal(err)
			}
			by := api.Author{Client: "c1", Key: "k1"}
			first, err := b.f.Edit(ctx, by, req)
			if err != nil || len(first.Added) != 1 {
				t.Fatalf("%+v, %v", first, err)
			}
			b.close()
			if err := c.then(b, old); err != nil {
				t.Fatal(err)
			}
			b.open()
			by.Again = true
			again, err := b.f.Edit(ctx, by, req)
			if e := new(api.Error); errors.As(err, &e) != (c.code != "") || e.Code != c.code {
				t.Fatal(err)
			}
			b.on(func() {
				if n := len(b.f.Graph().Nodes()); n != c.nodes {
					t.Errorf("%d nodes", n)
				}
				if c.code == "" && b.f.Graph().Node(again.Added[0]) == nil {
					t.Errorf("answered %+v", again)
				}
			})
		})
	}
}

// Edits of earlier saves are known whatever happens to the file later.
func TestRepeatedRequestOfAnEarlierEdit(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, nil)
	add := func(key string, again bool) (api.EditResult, error) {
		return b.f.Edit(ctx, api.Author{Client: "c1", Key: key, Again: again}, api.EditRequest{Edits: []api.Edit{{Op: api.OpAddNode, Label: "echo " + key}}})
	}
	first, err := add("k1", false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := add("k2", false); err != nil {
		t.Fatal(err)
	}
	b.close()
	b.write(b.other())
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
