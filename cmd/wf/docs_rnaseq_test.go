package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRNASeq executes the commands of docs/from-make-and-snakemake.md that begin the example, and compares the workflow on the page
// with the file.
func TestRNASeq(t *testing.T) {
	page, err := os.ReadFile("../../docs/from-make-and-snakemake.md")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../examples/rnaseq/rnaseq.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "```yaml\n"+string(text)+"```\n") {
		t.Error("the page does not show examples/rnaseq/rnaseq.yaml as it is")
	}
	if lines := strings.Count(string(text), "\n"); lines >= 40 {
		t.Errorf("the workflow has %d lines", lines)
	}
	_, session, _ := strings.Cut(string(page), "```sh\ncp -r examples/rnaseq /tmp && cd /tmp/rnaseq\n")
	session, _, ok := strings.Cut(session, "```")
	if !ok {
		t.Fatal("the page has no session")
	}
	if testing.Short() {
		t.Skip("it starts a daemon")
	}
	bin, home := buildProgram(t), t.TempDir()
	folder := filepath.Join(home, "rnaseq")
	if err := os.CopyFS(folder, os.DirFS("../../examples/rnaseq")); err != nil {
		t.Fatal(err)
	}
	runtime, err := os.MkdirTemp("", "wf") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(runtime)
	run := func(name string, args ...string) {
		cmd := exec.Command(name, args...)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "WF_RUNTIME_DIR="+runtime, "WF_STATE_DIR="+filepath.Join(home, "state"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
	defer run(filepath.Join(bin, "wf"), "server", "stop", "--cancel")
	run("sh", "-ec", session)
	counts, err := os.ReadFile(filepath.Join(folder, "work/counts.txt"))
	if err != nil || strings.Count(string(counts), "\n") != 8*12 || !strings.Contains(string(counts), "S8 gene12 70\n") {
		t.Errorf("%v, counts:\n%s", err, counts)
	}
}
