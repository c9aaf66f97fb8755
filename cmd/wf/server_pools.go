package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/client"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/tui/plain"
)

func newServerPools(e *env) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "pools [NAME=SIZE…]",
		Short: "List pools, or set their sizes",
		Long: `A pool is a resource of which commands need units while they run: GPUs, licences, or a database
for four clients at a time. The attribute pool of a node says how many units it needs (gpu:1). All
workfiles of this machine share the units. A pool without a size has one unit, so that only one of
its commands runs at a time. Sizes are kept on the disk. Running commands keep their units.

Units are granted in the order of the requests. A node that needs more units than the pool has waits
until the pool is larger, without blocking other nodes.`,
		Example: `  wf server pools                  list them
  wf server pools gpu=2 licence=10`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return serverPools(cmd.Context(), e, args, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the answer as JSON")
	return cmd
}

func serverPools(ctx context.Context, e *env, args []string, asJSON bool) error {
	var sizes []api.PoolSize
	for _, arg := range args {
		name, text, found := strings.Cut(arg, "=")
		size, err := strconv.Atoi(text)
		if !found || err != nil {
			return exit.Usage("%q is not NAME=SIZE", arg)
		}
		sizes = append(sizes, api.PoolSize{Name: name, Size: size})
	}
	var list api.PoolList
	err := e.connected(ctx, func(c *client.Client) (err error) {
		for _, s := range sizes {
			if _, err := c.ResizePool(ctx, s); err != nil {
				return err
			}
		}
		list, err = c.Pools(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if asJSON {
		return console.WriteJSON(e.Stdout, list)
	}
	for _, p := range list.Pools {
		fmt.Fprintf(e.Stdout, "%s  %d of %d used, %d waiting\n", plain.Line(p.Name), p.Used, p.Size, p.Waiting)
	}
	if len(list.Pools) == 0 && len(sizes) == 0 {
		fmt.Fprintln(e.Stderr, "no pool has a size, and no pool is in use")
	}
	return nil
}
