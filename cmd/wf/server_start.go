package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"wf/api"
	"wf/client"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/service"
	"wf/cmd/wf/settings"
	"wf/daemon"
	"wf/executor"
	"wf/executor/proc"
	"wf/executor/runner"
	"wf/tui/plain"
	"wf/workspace/history"
	"wf/workspace/tracing"
)

// serverOptions are the flags of server start.
type serverOptions struct {
	foreground bool
	host       string
	port       int
	idle       time.Duration
	slots      int
	keepRuns   int
	keepAge    string
	keepSize   string
	monitoring daemon.Monitoring
}

func newServerStart(e *env) *cobra.Command {
	o := &serverOptions{}
	cmd := &cobra.Command{
		Use:   "start",
		Short: "Start the daemon",
		Long: `Start starts the daemon in the background and returns when it answers. The daemon ends
--idle-timeout after its last workfile was closed; with 0 it does not end.`,
		Example: `  wf server start --idle-timeout 0
  wf server start --foreground --port 8080`,
		Args: nargs(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return err
			}
			if o.foreground {
				return o.serve(cmd.Context(), e, cmd.Flags())
			}
			return o.background(cmd.Context(), e, cmd.Flags())
		},
	}
	cmd.Flags().BoolVar(&o.foreground, "foreground", false, "stay in the foreground")
	o.addFlags(cmd)
	return cmd
}

func (o *serverOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.host, "host", "127.0.0.1", "loopback `ADDRESS` of the HTTP server")
	f.IntVar(&o.port, "port", 5049, "its `PORT`; if the default port is in use, any free port")
	timeVar(f, &o.idle, "idle-timeout", time.Second, "end the daemon this `TIME` after the last workfile was closed; 0 = never")
	f.IntVar(&o.slots, "slots", 0, "run at most `N` commands at once on this machine (default: the number of processors)")
	f.IntVar(&o.keepRuns, "keep-runs", history.DefaultKeep, "keep the newest `N` runs of each workfile; 0 = all")
	f.StringVar(&o.keepAge, "keep-age", "90d", "delete runs that ended longer ago than this `AGE`; 0s = never")
	f.StringVar(&o.keepSize, "keep-size", "0", "delete the oldest runs of a workfile while its runs take more than this `SIZE`, such as 10GB; 0 = never")
	f.StringVar(&o.monitoring.TextFile, "metrics-file", "", "keep the metrics in `FILE` for node_exporter (wf help metrics)")
	f.StringVar(&o.monitoring.TokenFile, "metrics-token-file", "", "serve the metrics also for the token in `FILE`, which allows nothing else")
	f.StringVar(&o.monitoring.TraceTo, "otlp-endpoint", "", "send traces of runs to the collector at `URL`, unless their environment names another")
	f.StringVar(&o.monitoring.TraceHeaders, "otlp-headers-file", "", "send the headers in `FILE` to that collector: KEY=VALUE lines")
}

// serverFlags are the flags that a daemon passes on to the next one.
var serverFlags = []string{"host", "port", "idle-timeout", "slots", "keep-runs", "keep-age", "keep-size", "metrics-file", "metrics-token-file", "otlp-endpoint", "otlp-headers-file"}

// background starts a daemon that outlives this command, with the given flags.
func (o *serverOptions) background(ctx context.Context, e *env, flags *pflag.FlagSet) error {
	c, running, err := e.reach(ctx)
	if err != nil {
		return err
	}
	word := "already running"
	if !running {
		word = "started"
		if c, err = e.connect(ctx, o.given(e, flags)); err != nil {
			return err
		}
	}
	defer c.Close()
	status, err := c.Server(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.Stderr, "%s: pid %d, %s\n", word, status.PID, plain.Line(status.URL))
	return nil
}

// check refuses invalid flags before a daemon is started. It replaces the name localhost by its address.
func (o *serverOptions) check() error {
	if o.host == "localhost" {
		o.host = "127.0.0.1"
	}
	host, err := netip.ParseAddr(o.host)
	switch {
	case err != nil || !host.IsLoopback():
		return &exit.Failure{Status: exit.BadUsage, What: "--host " + o.host + ": must be a loopback address",
			Why: "the daemon runs commands for every client that can reach it",
			Fix: "use 127.0.0.1, ::1 or localhost; from another machine: wf --host ssh://USER@THIS-MACHINE"}
	case o.port < 0 || o.port > 65535:
		return exit.Usage("--port %d: must be from 0 to 65535", o.port)
	case o.slots < 0 || o.keepRuns < 0:
		return exit.Usage("slots and keep-runs must not be negative")
	}
	for _, path := range []string{o.monitoring.TextFile, o.monitoring.TokenFile, o.monitoring.TraceHeaders} {
		if path != "" && !filepath.IsAbs(path) {
			return exit.Usage("%s: the path of a file with metrics, their token or headers must be absolute", path)
		}
	}
	if o.monitoring.TraceTo != "" {
		if err := tracing.CheckEndpoint(o.monitoring.TraceTo); err != nil {
			return exit.Usage("--otlp-endpoint: %v", err)
		}
	}
	return nil
}

// given returns the flags to pass on. The new daemon itself reads the settings.
func (o *serverOptions) given(e *env, flags *pflag.FlagSet) []string {
	var args []string
	for _, name := range serverFlags {
		if f := flags.Lookup(name); f.Changed && !e.configured[name] {
			args = append(args, "--"+name+"="+f.Value.String())
		}
	}
	return args
}

// keepFlags sets flags that are not given now to those of the former daemon. They take precedence over settings.
func (o *serverOptions) keepFlags(e *env, flags *pflag.FlagSet, before []string) {
	for _, flag := range before {
		name, value, _ := strings.Cut(strings.TrimPrefix(flag, "--"), "=")
		f := flags.Lookup(name)
		if f == nil || f.Changed && !e.configured[name] {
			continue
		}
		if old := f.Value.String(); f.Value.Set(value) != nil {
			_ = f.Value.Set(old) // a daemon of another version accepted other values
			continue
		}
		f.Changed = true
		delete(e.configured, name)
	}
}

// serve runs the daemon until SIGINT or SIGTERM. Runs continue, and the next daemon recovers them.
func (o *serverOptions) serve(ctx context.Context, e *env, flags *pflag.FlagSet) error {
	if err := e.needDaemon(""); err != nil {
		return err
	}
	proc.TakeDaemonSlack()
	dirs, err := e.folders()
	if err != nil {
		return err
	}
	if !client.Held(dirs.Runtime) {
		o.keepFlags(e, flags, daemon.CrashedFlags(dirs.Runtime))
	}
	cfg, err := o.config(e, flags, dirs)
	if err != nil {
		return err
	}
	log, err := daemon.OpenLog(dirs.State)
	if err != nil {
		return &exit.Failure{Status: exit.Daemon, What: "cannot open the log of the daemon", Why: err.Error()}
	}
	defer log.Close()
	cfg.Log, cfg.Locked = log.Logger(e.logLevel()), log.Rotate
	if e.Get("GOGC") == "" {
		daemon.CollectRarely()
	}
	// Commands of a dead runner become children of the daemon, so that their exit codes are not lost.
	if err := proc.BecomeSubreaper(); err != nil {
		cfg.Log.Warn("commands cannot be inherited from a dead runner", "err", err)
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	reaping, stopReaping := context.WithCancel(context.WithoutCancel(ctx))
	var reaper sync.WaitGroup
	local := cfg.Executor.(*distributor).local
	reaper.Go(func() { local.ReapOrphans(reaping) })
	reaper.Go(func() { local.KeepSpare(reaping) })
	defer reaper.Wait()
	defer stopReaping()
	if err := daemon.Run(ctx, cfg); err != nil {
		return daemonFailure(err)
	}
	return nil
}

// daemonFailure returns the failure of a daemon that could not start, with its exit status.
func daemonFailure(err error) error {
	f := exit.Describe(err)
	if f.Status = exit.Daemon; errors.Is(err, daemon.ErrAlreadyRunning) {
		f.Status = client.ExitRunning
	}
	return &f
}

// config returns the configuration of the daemon with its executor.
func (o *serverOptions) config(e *env, flags *pflag.FlagSet, dirs settings.Folders) (daemon.Config, error) {
	program, err := os.Executable()
	if err != nil {
		return daemon.Config{}, fmt.Errorf("find the program of the runners: %w", err)
	}
	if err := o.check(); err != nil {
		return daemon.Config{}, err
	}
	keepAge, err := settings.ParseAge(o.keepAge)
	if err != nil {
		return daemon.Config{}, err
	}
	keepSize, err := settings.ParseSize(o.keepSize)
	if err != nil {
		return daemon.Config{}, err
	}
	flagText, err := json.Marshal(o.given(e, flags))
	if err != nil {
		return daemon.Config{}, fmt.Errorf("internal error: flags: %w", err)
	}
	local := &executor.Local{Program: []string{program, runnerCommand}, Sockets: dirs.Runtime,
		Env: append(e.daemonVars(dirs), serverFlagsVariable+"="+string(flagText))}
	return daemon.Config{
		Runtime:      dirs.Runtime,
		State:        dirs.State,
		Host:         o.host,
		Port:         o.port,
		PortExplicit: flags.Changed("port"),
		IdleTimeout:  o.idle,
		Slots:        o.slots,
		KeepRuns:     o.keepRuns,
		KeepAge:      keepAge,
		KeepBytes:    keepSize,
		Monitoring:   o.monitoring,
		Version:      version(),
		Given:        o.given(e, flags),
		Executor:     newDistributor(e, local, dirs.Runtime),
		Send:         newSender(e, local).Send,
		Rehearse:     rehearsal(local, program, dirs.State, e.daemonVars(dirs)),
		Ready: func(r api.Registry) {
			fmt.Fprintf(e.Stderr, "daemon: pid %d, socket %s, %s\n", r.PID, plain.Line(r.Socket), plain.Line(r.URL))
			if err := service.Ready(); err != nil {
				fmt.Fprintln(e.Stderr, "warning: systemd does not learn that the daemon answers:", plain.Line(err.Error()))
			}
		},
	}, nil
}

// runRunner runs the hidden sub-command that forks and reaps the commands of one run. The runner log is a log of package
// history, which the executor does not import.
func runRunner(args []string) int {
	args, err := runner.AwaitRun(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "runner:", err)
		return 2
	}
	if args == nil {
		return 0
	}
	return runner.Main(args, runner.Options{OpenLog: func(path string, replay func([]byte) error) (runner.Log, error) {
		log, err := history.OpenLog(history.LocalDisk{}, path, replay)
		if err != nil {
			return nil, err // not a runner.Log with a nil pointer
		}
		return log, nil
	}, StartDaemon: func() error { return restartDaemon(args[0], filepath.Dir(args[1])) }})
}
