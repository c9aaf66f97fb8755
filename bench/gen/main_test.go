package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "chain.graphml")
	if err := run([]string{"-shape", "chain", "-n", "3", "-command", "echo hi", "-o", file}, nil); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(file); err != nil || strings.Count(string(data), "echo hi") != 3 {
		t.Fatalf("%s: %v", data, err)
	}
	var out bytes.Buffer
	if err := run([]string{"-from", file, "-command", "true", "-format", "ninja"}, &out); err != nil {
		t.Fatal(err)
	}
	const want = "rule run\n  command = $cmd\nbuild n0: run\n  cmd = true\nbuild n1: run n0\n  cmd = true\nbuild n2: run n1\n  cmd = true\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func TestRunRefuses(t *testing.T) {
	for _, args := range [][]string{{"-shape", "star"}, {"-n", "0"}, {"-format", "yaml"}, {"file"}, {"-from", "no such file"}} {
		if err := run(args, &bytes.Buffer{}); err == nil {
			t.Errorf("%v was accepted", args)
		}
	}
}
