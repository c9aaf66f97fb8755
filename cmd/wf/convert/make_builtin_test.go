package convert

import (
	"slices"
	"strings"
	"testing"
)

// TestTargetsOfBuiltinRulesAreRefused: Prerequisites that neither exist nor have a rule are also refused.
func TestTargetsOfBuiltinRulesAreRefused(t *testing.T) {
	for _, c := range []struct{ name, makefile, files, want string }{
		{"program", "foo: foo.c\n", "foo.c", "line 1: no rule of the makefile makes foo: make would use a built-in rule and foo.c"},
		{"of a file that is not named", "all:\n", "all.c", "line 1: no rule of the makefile makes all: make would use a built-in rule and all.c"},
		{"phony", ".PHONY: all\nall:\n", "all.c", "node all:\n  | \n"},
		{"object", "foo: foo.o\n\tcc -o foo foo.o\n", "foo.c", "line 1: no rule of the makefile makes foo.o: make would use a built-in rule and foo.c"},
		{"object from a parser", "p: p.o\n\tcc p.o\n", "p.y", "line 1: no rule of the makefile makes p.o: make would use a built-in rule and p.y"},
		{"object that is there", "foo: foo.o\n\tcc -o foo foo.o\n", "foo.o", "node foo:\n  | cc -o foo foo.o\n"},
		{"object with a pattern rule", "%.o: %.c\n\tcc -c $<\nfoo: foo.o\n\tcc -o foo foo.o\n", "foo.c", "node foo.o:\n  | cc -c foo.c\nnode foo:\n  | cc -o foo foo.o\nedge foo.o -> foo\n"},
		{"pattern rule whose file is missing", "%.o: %.x\n\txc $<\nfoo: foo.o\n\tcc -o foo foo.o\n", "foo.c", "line 3: no rule of the makefile makes foo.o: make would use a built-in rule and foo.c"},
		{"one of two pattern rules", "%.o: %.x\n\txc $<\n%.o: %.z\n\tzc $<\nfoo: foo.o\n\tcc foo.o\n", "foo.z", "node foo.o:\n  | zc foo.z\nnode foo:\n  | cc foo.o\nedge foo.o -> foo\n"},
		{"pattern rules in a row", "%.o: %.x\n\txc $<\n%.x: %.w\n\twx $<\nfoo: foo.o\n\tcc foo.o\n", "foo.w",
			"node foo.x:\n  | wx foo.w\nnode foo.o:\n  | xc foo.x\nnode foo:\n  | cc foo.o\nedge foo.x -> foo.o\nedge foo.o -> foo\n"},
		{"typing error", "all: build tset\nbuild:\n\tmake it\ntest:\n\ttest it\n", "", "line 1: no rule makes tset, and there is no such file"},
		{"archive", "all: lib.a(x.o)\n\tranlib lib.a\n", "", "line 1: no rule of the makefile makes lib.a(x.o): make would use a built-in rule"},
		{"pattern rules without end", "%: %.a\n\t1\n%: %.b\n\t2\n%: %.c\n\t3\nall: nothing\n\t4\n", "", "line 7: no rule makes nothing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			exists := func(name string) bool { return slices.Contains(strings.Fields(c.files), name) }
			if got := describe(Import("make", []byte(c.makefile), Options{Exists: exists})); !strings.HasPrefix(strings.TrimPrefix(got, "error: "), c.want) {
				t.Errorf("got\n%s", got)
			}
		})
	}
	// Without Exists an object file never counts as a source.
	if _, err := Import("make", []byte("foo: foo.o\n\tcc foo.o\n"), Options{}); err == nil {
		t.Error("an object file without a rule was accepted as a source")
	}
}
