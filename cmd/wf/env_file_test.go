package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
)

func TestEnvFile(t *testing.T) {
	dir := t.TempDir()
	e := &env{Console: console.Console{Dir: dir, Stdin: strings.NewReader("FROM=stdin\n")}}
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "f"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("# a comment\n\nA=1\r\nexport B = two words \nC=\"x\\ny \\\"q\\\" \\$H \\d\"\nD='$(touch x) \"'\nE=\nF=a=b # no comment\n")
	got, err := e.envFile("f")
	want := []string{"A=1", "B=two words", "C=x\ny \"q\" $H \\d", `D=$(touch x) "`, "E=", "F=a=b # no comment"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	if got, err = e.envFile("-"); err != nil || !slices.Equal(got, []string{"FROM=stdin"}) {
		t.Errorf("%q, %v", got, err)
	}
	for _, bad := range []string{"A=1\nword\n", "A=1\n=x\n", "A=1\nB=\"open\n", "A=1\nB='a'b'\n", "A=1\nB=\"a\"b\"\n", "A=1\ntwo words=1\n", "A=1\nB=x\x00y\n"} {
		write(bad)
		if _, err := e.envFile("f"); err == nil || err.(*exit.Failure).Where != "f:2" {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := e.envFile("missing"); exit.Status(err) != exit.BadUsage {
		t.Errorf("missing: %v", err)
	}
}

func TestValuesFromFiles(t *testing.T) {
	dir := t.TempDir()
	e := &env{Console: console.Console{Dir: dir, Stdin: strings.NewReader("typed\n")}}
	if err := os.WriteFile(filepath.Join(dir, "token"), []byte("s3cret\n\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := e.assignments("--param", []string{"a=@token", "b=@@x", "c=x@y", "d=@-", "e="})
	if err != nil || got["a"] != "s3cret\n" || got["b"] != "@x" || got["c"] != "x@y" || got["d"] != "typed" || got["e"] != "" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := e.assignments("--param", []string{"a=@none"}); exit.Status(err) != exit.BadUsage || !strings.Contains(err.Error(), "a=@") {
		t.Errorf("%v", err)
	}
}
