package main

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"golang.org/x/sys/unix"

	"wf/client"
	"wf/cmd/wf/console"
	"wf/cmd/wf/doctor"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/settings"
	"wf/remote"
)

// Sub-commands of wf server that wf calls on another machine.
const (
	farCommand  = "dial-stdio"
	holdCommand = "hold-link"

	hostStateCommand = "host-state"
)

func newDialStdio(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   farCommand,
		Short: "Connect wf on another machine, through ssh",
		Long: `Wf --host starts this command on the other machine, through ssh. Standard input and output carry many
streams: commands that are executed here, and connections to the daemon. The streams continue when the connection
breaks and wf connects again.`,
		Hidden: true,
		Args:   nargs(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			dirs, err := e.folders()
			if err != nil {
				return err
			}
			program, err := os.Executable()
			if err != nil {
				return err
			}
			return remote.DialStdio(os.Stdin, os.Stdout, dirs.Runtime, version(), func(id string) (<-chan error, error) {
				argv := []string{program, "server", holdCommand, id}
				return client.Detached(argv, e.Environ, filepath.Join(dirs.State, "hosts.log"))(cmd.Context())
			})
		},
	}
}

func newHoldLink(e *env) *cobra.Command {
	return &cobra.Command{
		Use:    holdCommand + " LINK",
		Short:  "Hold the far end of a link",
		Hidden: true,
		Args:   nargs(1, 1),
		RunE:   func(cmd *cobra.Command, args []string) error { return holdLink(cmd.Context(), e, args[0]) },
	}
}

// holdLink holds the far end of a link until the other machine closes it.
func holdLink(ctx context.Context, e *env, id string) error {
	if len(id) != 32 {
		return exit.Usage("%s is called by wf server %s", holdCommand, farCommand)
	}
	return e.serveLink(ctx, func(ctx context.Context, runtime, program string) error {
		h := remote.Holder{Runtime: runtime, Version: version(), Program: program, Home: e.Get("HOME"),
			Env: slices.DeleteFunc(slices.Clone(e.Environ), func(v string) bool { return strings.HasPrefix(v, "PWD=") }),
			Daemon: func(ctx context.Context, start bool) (net.Conn, error) {
				opt, err := e.startingOptions(nil)
				if err != nil {
					return nil, err
				}
				opt.NoStart = !start
				return client.DialDaemon(ctx, opt)
			}}
		return h.Serve(ctx, id)
	})
}

func newHostState(e *env) *cobra.Command {
	return &cobra.Command{
		Use:    hostStateCommand,
		Short:  "Print what wf doctor on another machine asks",
		Hidden: true,
		Args:   nargs(0, 0),
		RunE: func(*cobra.Command, []string) error {
			state := settings.FoldersOf(&e.Console).State
			_, err := e.folders()
			return console.WriteJSON(e.Stdout, doctor.HostState{Version: version(), State: state, Writable: err == nil && unix.Access(state, unix.W_OK) == nil})
		},
	}
}
