package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
)

func TestWorkfile(t *testing.T) {
	dir := t.TempDir()
	e := &env{Console: console.Console{Dir: dir}}
	_, err := e.workfile("")
	if f := exit.Describe(err); exit.Status(err) != exit.BadWorkfile || f.Where != "looked for "+dir+"/Workfile" || f.Fix != "wf new Workfile" {
		t.Errorf("missing: %+v", f)
	}
	if _, err := e.workfile("."); exit.Status(err) != exit.BadWorkfile {
		t.Errorf("a folder: %v", err)
	}
	file := filepath.Join(dir, "Workfile")
	if err := os.WriteFile(file, nil, fs.FileMode(0o600)); err != nil {
		t.Fatal(err)
	}
	if path, err := e.workfile(""); err != nil || path != file {
		t.Errorf("%q %v", path, err)
	}
}
