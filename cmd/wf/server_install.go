package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"wf/api"
	"wf/client"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/service"
	"wf/cmd/wf/settings"
	"wf/tui/plain"
)

func newServerInstall(e *env) *cobra.Command {
	o, show := &serverOptions{}, false
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Make the daemon a service that the system starts",
		Long: `Install writes a unit of systemd for your user (under macOS an agent of launchd) that starts
the daemon when you log in, or with the machine if you may linger, and starts it again if it dies.
The daemon then does not end when it is idle, unless you give --idle-timeout. A daemon that runs
already is replaced; runs continue. Without a service the next command starts the daemon, which
is enough unless runs should continue after a reboot without you.

The service has no more rights than you. wf server stop ends the daemon until the next command, or
the next login.`,
		Example: `  wf server install
  wf server install --slots 8
  wf server install --print    show the unit, change nothing`,
		Args: nargs(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if idle := cmd.Flags().Lookup("idle-timeout"); !idle.Changed || e.configured[idle.Name] { // the setting is for other daemons
				if err := cmd.Flags().Set(idle.Name, idle.DefValue); err != nil {
					return err
				}
				delete(e.configured, idle.Name)
			}
			if err := o.check(); err != nil {
				return err
			}
			return o.install(cmd.Context(), e, cmd.Flags(), show)
		},
	}
	cmd.Flags().BoolVar(&show, "print", false, "print what would be installed, and change nothing")
	o.addFlags(cmd)
	cmd.Flags().Lookup("idle-timeout").DefValue = "0"
	return cmd
}

// install installs the service and replaces a running daemon, or only prints the service.
func (o *serverOptions) install(ctx context.Context, e *env, flags *pflag.FlagSet, show bool) error {
	if err := e.needDaemon(""); err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the program of the daemon: %w", err)
	}
	dirs, manager := settings.FoldersOf(&e.Console), service.Here(e.Get)
	d := service.Daemon{Argv: append([]string{program, "server", "start", "--foreground"}, o.given(e, flags)...), Env: e.daemonVars(dirs)}
	if show {
		_, err := e.Stdout.Write([]byte(manager.Text(d)))
		return err
	}
	if err := dirs.Prepare(); err != nil {
		return err
	}
	if err := manager.Available(ctx); err != nil {
		return &exit.Failure{Status: exit.Daemon, What: "the daemon cannot become a service", Why: err.Error()}
	}
	if err := stopForService(ctx, e); err != nil {
		return err
	}
	if err := manager.Install(ctx, d); err != nil {
		return serviceFailure("install", err)
	}
	fmt.Fprintf(e.Stderr, "installed %s\n", plain.Line(manager.Path))
	if status, err := serverStatusOf(ctx, e); err == nil {
		fmt.Fprintf(e.Stderr, "started: pid %d, %s\n", status.PID, plain.Line(status.URL))
	}
	if service.EndsAtLogout("/", e.User()) {
		fmt.Fprintf(e.Stderr, "note: the daemon starts when you log in and ends when you log out; %s makes it start with the machine and stay\n", service.LingerAdvice)
	}
	return nil
}

// stopForService ends a running daemon, so that the service can start one. Runs continue.
func stopForService(ctx context.Context, e *env) error {
	c, running, err := e.reach(ctx)
	if err != nil || !running {
		return err
	}
	defer c.Close()
	return c.StopServer(ctx, api.ServerStop{Detach: true})
}

// serverStatusOf returns the status of the running daemon.
func serverStatusOf(ctx context.Context, e *env) (api.ServerStatus, error) {
	c, running, err := e.reach(ctx)
	if err != nil {
		return api.ServerStatus{}, err
	}
	if !running {
		return api.ServerStatus{}, client.ErrNoDaemon
	}
	defer c.Close()
	return c.Server(ctx)
}

func serviceFailure(verb string, err error) error {
	return &exit.Failure{Status: exit.Daemon, What: "cannot " + verb + " the service", Why: err.Error(),
		Fix: "wf server logs, and journalctl --user -u wf, may have more"}
}

func newServerUninstall(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "uninstall",
		Short: "Remove the service of wf server install; runs continue",
		Args:  nargs(0, 0),
		RunE:  func(cmd *cobra.Command, _ []string) error { return uninstall(cmd.Context(), e) },
	}
}

// uninstall stops and removes the service. A daemon that a command has started stays.
func uninstall(ctx context.Context, e *env) error {
	manager := service.Here(e.Get)
	installed, err := manager.Installed()
	if err != nil {
		return &exit.Failure{Status: exit.Failed, What: "cannot remove the service", Why: err.Error()}
	}
	if !installed {
		fmt.Fprintln(e.Stderr, "no service is installed")
		return nil
	}
	if err := manager.Uninstall(ctx); err != nil {
		return serviceFailure("remove", err)
	}
	fmt.Fprintf(e.Stderr, "removed %s; the next command that needs a daemon starts one\n", plain.Line(manager.Path))
	return nil
}

// hasService reports whether the service is installed for the folders of this environment, with this program.
func hasService(e *env) bool {
	program, err := os.Executable()
	manager := service.Here(e.Get)
	return err == nil && manager.CanStart() && manager.Starts(program, "WF_RUNTIME_DIR="+settings.FoldersOf(&e.Console).Runtime)
}

// serviceOr returns how a client starts a daemon without flags: through the service if that is installed for these folders,
// so that systemd restarts the daemon if it dies, and otherwise by own.
func serviceOr(e *env, own client.Starter) client.Starter {
	return func(ctx context.Context) (<-chan error, error) {
		if !hasService(e) || service.Here(e.Get).Start(ctx) != nil { // the session may have no systemd
			return own(ctx)
		}
		return make(chan error), nil // systemd waits for its end
	}
}
