package history

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestFence(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "workspace")
	own := Holder{PID: 7, Host: "here", Runtime: "/run/wf"}
	f, err := TakeFence(dir, own)
	if err != nil {
		t.Fatal(err)
	}
	var taken *FencedError
	if _, err := TakeFence(dir, Holder{PID: 8}); !errors.As(err, &taken) || taken.Holder != own {
		t.Errorf("taken twice: %v", err)
	}
	f.Release()
	if f, err = TakeFence(dir, Holder{PID: 8}); err != nil {
		t.Fatalf("after the release: %v", err)
	}
	if !f.Stands() {
		t.Error("Stands is false")
	}
	if err := os.Remove(filepath.Join(dir, fenceFile)); err != nil {
		t.Fatal(err)
	}
	if f.Stands() {
		t.Error("Stands is true without a file")
	}
	next, err := TakeFence(dir, own)
	if err != nil {
		t.Fatal(err)
	}
	if f.Stands() || !next.Stands() {
		t.Error("Stands is true for a new file at the path")
	}
	f.Release()
	next.Release()
}

func TestFenceWithoutAName(t *testing.T) {
	dir := t.TempDir()
	f, err := TakeFence(dir, Holder{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Release()
	if err := os.WriteFile(filepath.Join(dir, fenceFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	var taken *FencedError
	if _, err := TakeFence(dir, Holder{}); !errors.As(err, &taken) || taken.Error() != "another daemon has it" {
		t.Errorf("%v", err)
	}
}
