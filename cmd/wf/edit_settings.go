package main

import (
	"strings"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/cmd/wf/exit"
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
