package convert

import (
	"errors"
	"strings"
	"testing"
)

// dryRun is what make -n -B --trace -p prints for a small makefile, without what no reader needs.
const dryRun = `hello from $(info)
Makefile:5: update target 'a.o' due to: a.c
cc -c a.c \
  -o a.o
Makefile:5: target 'b.o' does not exist
cc -c b.c \
  -o b.o
<builtin>: update target 'c.o' due to: target does not exist
cc c.c
Makefile:9: update target 'all' due to: a.o b.o c.o
rm -f x
cat Makefile:9:
make: Nothing to be done for 'other'.
rm tmp.i
# GNU Make 4.3
# Built for x86_64-pc-linux-gnu

# Make data base, printed on Mon Jan  5 10:00:00 2026

# Variables

# makefile (from 'Makefile', line 1)
SHELL = $(BASH)
# makefile (from 'Makefile', line 2)
BASH := /bin/bash
# default
.SHELLFLAGS := -c
# makefile
.DEFAULT_GOAL := all
# makefile (from 'Makefile', line 3)
define two
one
two
endef

# Files

# Not a target:
a.c:
#  File has been updated.

a.o: a.c | folder
#  Implicit/static pattern stem: 'a'
# * := a
#  recipe to execute (from 'Makefile', line 5):
	cc -c $< \
	  -o $@

# 'override' directive
b.o: SHELL := /tmp/stand-in
# makefile (from 'Makefile', line 7)
b.o: define X
b.o: y
endef
b.o: a.o
#  recipe to execute (from 'Makefile', line 5):
	cc -c $< \
	  -o $@

c.o:
#  recipe to execute (built-in):
	$(CC) $<

folder:

tmp.i:
#  File is an intermediate prerequisite.

all: a.o b.o c.o
#  Phony target (prerequisite of .PHONY).
#  recipe to execute (from 'Makefile', line 9):
	-rm -f x
	cat $(MAKEFILE_LIST):9:

# VPATH Search Paths
# Finished Make data base on Mon Jan  5 10:00:00 2026
`

// TestMakeReadsADryRun: Places, continued lines, ignored failures, built-in rules and the deletion of intermediate files.
func TestMakeReadsADryRun(t *testing.T) {
	w, err := Make(MakeAnswers{DryRun: []byte(dryRun), Name: "Makefile", Sources: map[string][]byte{"Makefile": nil}}, MakeOptions{})
	want := `graph shell="/bin/bash"
node a.o:
  | cc -c a.c \
  |   -o a.o
node b.o:
  | cc -c b.c \
  |   -o b.o
node c.o:
  | cc c.c
node all:
  | ( ( rm -f x ) || : ) &&
  | cat Makefile:9:
edge a.o -> b.o
edge a.o -> all
edge b.o -> all
edge c.o -> all
note: make would delete intermediate files at the end, which is left out: tmp.i. To delete them, add a node with rm
`
	if got := describe(w, err); got != want {
		t.Errorf("got\n%s", got)
	}
}

// TestVariablesReplaceWordsInCommands: The value keeps its meaning in all kinds of quotes, or the text is refused.
func TestVariablesReplaceWordsInCommands(t *testing.T) {
	for _, c := range []struct{ command, words, word string }{
		{"cc @ -o x@y.o", "cc $X -o x${X}y.o", "cc $X -o x${X}y.o"},
		{`echo "a @b" '@' 'a@b'`, `echo "a ${X}b" "$X" 'a'"$X"'b'`, `echo "a ${X}b" "$X" 'a'"$X"'b'`},
		{"A=@ cmd", "", "A=$X cmd"},
		{"cmd > @.log", "", "cmd > $X.log"},
		{"for i in @; do x; done", "", "for i in $X; do x; done"},
		{"cat <<E\n@\nE", "", "cat <<E\n$X\nE"},
		{"cat <<'E'\n@\nE", "", ""},
		{"cat <<@\nx\n@", "", ""},
		{"x # @", "", ""},
		{"echo $'@'", "", ""},
		{"echo ${@}", "", ""},
		{"if x", "", ""},
	} {
		for words, want := range map[bool]string{true: c.words, false: c.word} {
			got, ok := fillShell(strings.ReplaceAll(c.command, "@", "wfMark"), "wfMark", "X", words)
			if ok != (want != "") || ok && got != want {
				t.Errorf("%q, several words %v: %q %v, want %q", c.command, words, got, ok, want)
			}
		}
	}
}

// FuzzMake checks that no output of make makes the reader panic, and that workflows are complete.
func FuzzMake(f *testing.F) {
	f.Add([]byte(dryRun), []byte("CC ?= cc\nX ?= a b # c\na: export Y = 1\nb: ; echo $(shell date)\n"))
	f.Add([]byte(strings.ReplaceAll(dryRun, "Makefile:9: update target 'all'", "Makefile:8: update target 'all'")), []byte(nil))
	f.Fuzz(func(t *testing.T, output, makefile []byte) {
		answers := MakeAnswers{DryRun: output, Name: "Makefile", Sources: map[string][]byte{"Makefile": makefile},
			Exports: map[string]string{"A": string(makefile)},
			Again: func(variables []string) ([]byte, error) {
				_, mark, _ := strings.Cut(variables[0], "=")
				return []byte(strings.ReplaceAll(string(output), "cc", mark)), nil
			}}
		w, err := Make(answers, MakeOptions{})
		var at *Error
		switch {
		case err == nil:
			checkWhole(t, w)
		case !errors.As(err, &at):
			t.Errorf("an error without a place: %v", err)
		}
	})
}
