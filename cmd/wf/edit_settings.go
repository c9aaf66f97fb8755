package main

import (
	"strings"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/cmd/wf/exit"
	"wf/graph/attribute"
)

// setFlag adds --set. The word value selects its completion.
func setFlag(cmd *cobra.Command, set *[]string, value string) {
	cmd.Flags().StringArrayVar(set, "set", nil, "set an attribute, `"+value+"` (repeatable)")
}

// given parses attributes: KEY=VALUE..., or one KEY VALUE.
func given(args []string) ([]api.Setting, error) {
	if len(args) == 2 && !strings.Contains(args[0], "=") {
		return []api.Setting{{Key: args[0], Value: args[1]}}, nil
	}
	var list []api.Setting
	for _, arg := range args {
		key, value, ok := strings.Cut(arg, "=")
		if !ok || key == "" {
			return nil, exit.Usage("%q: must be KEY=VALUE", arg)
		}
		list = append(list, api.Setting{Key: key, Value: value})
	}
	return list, nil
}

// completeSetting offers attributes of elements as KEY=, and after KEY= the values.
func completeSetting(on attribute.Element) completer {
	return func(c *typedLine, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if last := len(c.args) - 1; last >= 0 && attribute.Find(on, c.args[last]) != nil {
			return completeValue(c, word) // KEY VALUE
		}
		key, begun, named := strings.Cut(word, "=")
		if !named {
			found, _ := completeAttribute(on)(c, word)
			for i, f := range found {
				name, meaning, _ := strings.Cut(f, "\t")
				found[i] = cobra.CompletionWithDesc(name+"=", meaning)
			}
			return found, noSpace
		}
		found, directive := completeValue(&typedLine{c.e, c.cmd, []string{key}}, begun)
		for i := range found {
			found[i] = key + "=" + found[i]
		}
		return found, directive
	}
}
