package main

import (
	"testing"
	"time"

	"github.com/spf13/cobra"

	"wf/cmd/wf/console"
	"wf/cmd/wf/settings"
)

// TestSettingsMatchFlags checks that the flag of a setting accepts its values and has the built-in value as its default.
func TestSettingsMatchFlags(t *testing.T) {
	root := newRoot(&env{Console: console.Console{Color: "auto", Palette: "auto"}})
	for _, s := range settings.All() {
		if problem, _ := s.Check(s.Builtin); problem != "" && s.Builtin != "" {
			t.Errorf("%s: the built-in value %q %s", s.Key, s.Builtin, problem)
		}
		found := 0
		for _, cmd := range allCommands(root) {
			cmd.InheritedFlags() // merges those of the commands above
			if !applies(s, cmd) {
				continue
			}
			found++
			f := cmd.Flags().Lookup(s.Key)
			if f.DefValue != s.Builtin && !sameTime(f.DefValue, s.Builtin) {
				t.Errorf("%s --%s: default %q, that of the setting is %q", cmd.CommandPath(), s.Key, f.DefValue, s.Builtin)
			}
			for _, word := range s.Words {
				if err := f.Value.Set(word); err != nil {
					t.Errorf("%s --%s %s: %v", cmd.CommandPath(), s.Key, word, err)
				}
			}
		}
		if s.Flagless == (found > 0) {
			t.Errorf("%d commands take the setting %s", found, s.Key)
		}
	}
}

func sameTime(a, b string) bool {
	x, errA := time.ParseDuration(a)
	y, errB := time.ParseDuration(b)
	return errA == nil && errB == nil && x == y
}

// allCommands returns root and all commands below it.
func allCommands(root *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{root}
	for i := 0; i < len(list); i++ {
		list = append(list, list[i].Commands()...)
	}
	return list
}
