package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/settings"
	"wf/remote"
	"wf/tui/plain"
)

// keepCommand is the hidden sub-command that keeps the connection to a machine.
const keepCommand = "keep"

// newHost groups the commands about other machines.
func newHost(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "host",
		Long: `With --host, a command works on another machine, as if it was typed there: with the files, the
environment and the daemon of that machine, which wf reaches with ssh. See wf help hosts.`,
		Example: `  wf --host ssh://me@server status
  wf host add hpc ssh://me@login.example.org/~/project
  wf --host hpc run
  wf host use hpc                 all further commands`,
	}
	return noun(cmd, newHostAdd(e), newHostLs(e), newHostUse(e), newHostRm(e), newHostInstall(e), newHostDisconnect(e), newHostKeep(e))
}

func newHostAdd(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "add NAME ADDRESS",
		Short: "Name a machine",
		Long: `Add gives a name to ssh://[user@]machine[:port][/folder]. Commands work in the folder, and without one
in the home folder; /~/work is the folder work below the home folder. The machine may be an alias of ~/.ssh/config.`,
		Example: `  wf host add hpc ssh://me@login.example.org:2222/scratch/me`,
		Args:    nargs(2, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := settings.CheckHostName(args[0]); err != nil {
				return err
			}
			return changeHosts(e, func(h *settings.Hosts) error {
				d, err := settings.Hosts{}.Resolve(args[1], "")
				if err != nil {
					return err
				}
				if h.Hosts == nil {
					h.Hosts = map[string]string{}
				}
				h.Hosts[args[0]] = d.String()
				return nil
			})
		},
	}
}

// changeHosts changes the named machines.
func changeHosts(e *env, change func(h *settings.Hosts) error) error {
	h, err := settings.ReadHosts(&e.Console)
	if err == nil {
		err = change(&h)
	}
	if err != nil {
		return err
	}
	return settings.WriteHosts(&e.Console, h)
}

// hostReport is wf host ls --json.
type hostReport struct {
	Schema string      `json:"schema"`
	Hosts  []hostEntry `json:"hosts"`
}

type hostEntry struct {
	Name    string `json:"name"`
	Address string `json:"address"`
	Used    bool   `json:"used"` // by commands without --host
}

func newHostLs(e *env) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List the machines that have names",
		Args:  nargs(0, 0),
		RunE:  func(*cobra.Command, []string) error { return listHosts(e, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func listHosts(e *env, asJSON bool) error {
	h, err := settings.ReadHosts(&e.Console)
	if err != nil {
		return err
	}
	used, where, bad := settings.HostOf(&e.Console, h)
	if bad == nil && used != "" {
		_, bad = h.Resolve(used, where)
	}
	report := hostReport{Schema: api.SchemaHosts, Hosts: []hostEntry{}}
	for _, name := range h.Names() {
		report.Hosts = append(report.Hosts, hostEntry{name, h.Hosts[name], name == used})
	}
	if asJSON {
		return cmp.Or(console.WriteJSON(e.Stdout, report), bad)
	}
	var t console.Table
	for _, host := range report.Hosts {
		mark := ""
		if host.Used {
			mark = "used"
		}
		t.Row(host.Name, plain.Line(host.Address), mark)
	}
	if len(report.Hosts) == 0 {
		fmt.Fprintln(e.Stderr, "no machine has a name: wf host add NAME ssh://user@machine")
	}
	if used != "" && h.Hosts[used] == "" && bad == nil {
		fmt.Fprintf(e.Stderr, "note: commands without --host work on %s (%s)\n", plain.Line(used), plain.Line(where))
	}
	return cmp.Or(t.Write(e.Stdout), bad) // the list is shown even if no machine can be selected
}

func newHostUse(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "use MACHINE",
		Short: "Select the machine of all commands without --host",
		Long: `Use selects the machine of all further commands that have no --host. The name local selects this
machine. WF_HOST takes precedence.`,
		Example: `  wf host use hpc
  wf host use local`,
		Args: nargs(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			return changeHosts(e, func(h *settings.Hosts) error {
				h.Use = args[0]
				if args[0] == settings.LocalHost {
					return nil
				}
				_, err := h.Resolve(args[0], "")
				return err
			})
		},
	}
}

func newHostRm(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "rm MACHINE",
		Short: "Forget the name of a machine",
		Args:  nargs(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			return changeHosts(e, func(h *settings.Hosts) error {
				if _, known := h.Hosts[args[0]]; !known {
					_, err := h.Resolve(args[0], "")
					return cmp.Or(err, error(exit.Usage("%q is an address, not a name", args[0])))
				}
				delete(h.Hosts, args[0])
				if h.Use == args[0] {
					h.Use = ""
				}
				return nil
			})
		},
	}
}

func newHostDisconnect(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "disconnect [MACHINE]",
		Short: "Close the connection to a machine",
		Long: `Disconnect closes the connection that wf keeps to a machine, and ends the commands that use it. Runs
continue. Without it, wf closes the connection some minutes after the last command.`,
		Example: `  wf host disconnect hpc`,
		Args:    nargs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := namedMachine(e, args)
			if err != nil {
				return err
			}
			opt, err := m.options()
			if err != nil {
				return err
			}
			return remote.Disconnect(cmd.Context(), opt)
		},
	}
}

// namedMachine returns the machine of an argument, or the selected one.
func namedMachine(e *env, args []string) (*machine, error) {
	h, err := settings.ReadHosts(&e.Console)
	if err != nil {
		return nil, err
	}
	value, where := first(args), ""
	if value == "" {
		if value, where, err = settings.HostOf(&e.Console, h); err != nil {
			return nil, err
		}
	}
	if value == "" {
		return nil, &exit.Failure{Status: exit.BadUsage, What: "no machine is selected", Fix: "name one; wf host ls lists them"}
	}
	d, err := h.Resolve(value, where)
	return &machine{d, value, false, e}, err
}

func newHostKeep(e *env) *cobra.Command {
	return &cobra.Command{
		Use:    keepCommand + " ADDRESS",
		Short:  "Keep the connection to a machine",
		Hidden: true,
		Args:   nargs(1, 1),
		RunE:   func(cmd *cobra.Command, args []string) error { return keepHost(cmd.Context(), e, args[0]) },
	}
}

// keepHost keeps the connection to a machine until no command has used it for some minutes.
func keepHost(ctx context.Context, e *env, address string) error {
	d, err := remote.ParseDestination(address)
	if err != nil {
		return exit.Usage("%s", err)
	}
	return e.serveLink(ctx, func(ctx context.Context, runtime, program string) error {
		k := remote.Keeper{Destination: d, Runtime: runtime, Version: version(), Program: program, SSH: "ssh", Env: e.Environ}
		return k.Serve(ctx)
	})
}

// serveLink runs a process that holds one end of a connection between machines, until serve returns. The context of serve
// ends with SIGTERM or SIGINT. runtime is the folder for its socket, program this program.
func (e *env) serveLink(ctx context.Context, serve func(ctx context.Context, runtime, program string) error) error {
	dirs, err := e.folders()
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	return serve(ctx, dirs.Runtime, program)
}

// askForSSH answers a question of ssh, which calls this program instead of asking on a terminal.
func askForSSH(socket string, args []string) int {
	return remote.Ask(socket, strings.Join(args, " "), os.Getenv("SSH_ASKPASS_PROMPT"), os.Stdout)
}
