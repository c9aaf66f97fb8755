package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wf/cmd/wf/settings"
)

// TestBrowserGetsAFile: The arguments of a process are public, so the program that opens the browser gets a file of this
// user, which leads to the address, and not the address.
func TestBrowserGetsAFile(t *testing.T) {
	dir := t.TempDir()
	opener := filepath.Join(dir, "xdg-open")
	script := "#!/bin/sh\nprintf '%s' \"$*\" > " + dir + "/arguments\ncp \"$1\" " + dir + "/opened\n"
	if err := os.WriteFile(opener, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	const address = `http://127.0.0.1:1/#code=secret-"<&`
	p := &webPage{dirs: settings.Folders{Runtime: dir}}
	if err := p.open(opener, address); err != nil {
		t.Fatal(err)
	}
	arguments, _ := os.ReadFile(filepath.Join(dir, "arguments"))
	if strings.Contains(string(arguments), "secret") || string(arguments) != filepath.Join(dir, "web-open.html") {
		t.Errorf("the arguments are %q", arguments)
	}
	info, err := os.Stat(filepath.Join(dir, "web-open.html"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v %v", info, err)
	}
	opened, _ := os.ReadFile(filepath.Join(dir, "opened"))
	if !strings.Contains(string(opened), `content="0; url=http://127.0.0.1:1/#code=secret-&#34;&lt;&amp;"`) {
		t.Errorf("the file says %s", opened)
	}
}
