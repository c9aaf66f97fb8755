// Package daemon is the background process of wf, one for each user on a machine. It takes the lock, listens on a unix
// socket and a loopback port, opens each workfile once, distributes the job slots of the machine, and sends events to
// clients. Package workspace makes all decisions about workflows.
package daemon

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"wf/api"
	"wf/daemon/audit"
	"wf/daemon/store"
	"wf/notify/outbox"
	"wf/workspace"
	"wf/workspace/fence"
)

// defaultPort is the TCP port that is tried first.
const defaultPort = 5049

// Config configures a daemon. Runtime, State and Executor are required.
type Config struct {
	// Runtime and State are absolute folders of mode 0700; the caller has checked them.
	Runtime, State string

	Host string // loopback address for TCP; "" is 127.0.0.1
	Port int    // 0 is defaultPort
	// PortExplicit is set if the user has chosen the port: if it is taken, the daemon does not start, instead of
	// using a free port.
	PortExplicit bool

	IdleTimeout time.Duration // from the close of the last workspace to the end; 0 = it never ends by itself
	Slots       int           // executions at once on this machine; 0 = one per processor
	KeepRuns    int           // ended runs to keep of each workfile; 0 = all
	KeepAge     time.Duration // how long to keep them; 0 = for ever
	KeepBytes   int64         // their maximal total size in bytes; 0 = any
	Monitoring  Monitoring
	Webhooks    Webhooks
	Version     string   // of the binary
	Given       []string // the flags of this daemon, for the next one
	Executor    workspace.Executor
	// Send sends a notification once: see outbox.Sender. nil means that none is sent.
	Send outbox.Sender
	// Rehearse, if not nil, checks in another process whether the recovery of the runs of a workfile crashes: see
	// the function Rehearse.
	Rehearse func(path string) error
	Locked   func() error       // called first when the lock is held; may be nil
	Ready    func(api.Registry) // called once, when requests are served; may be nil
	Log      *slog.Logger       // nil drops everything

	// The fields below exist for tests: shorter times and fewer connections.

	linger      time.Duration // how long an unused workspace stays open
	sending     sending
	watching    watching
	connections int // per listener

	parts
}

// Monitoring is how other programs learn about the daemon and its runs. The zero value is only GET /metrics.
type Monitoring struct {
	TextFile  string // is written with the metrics, absolute; "" = none
	TokenFile string // contains a token that only reads the metrics, absolute; "" = none
	TraceTo   string // base URL of the collector for runs whose environment names none; "" = they are not traced
	// TraceHeaders is a file with headers for TraceTo in the form of OTEL_EXPORTER_OTLP_HEADERS, absolute, readable only for this
	// user; "" = none.
	TraceHeaders string
}

// parts are parts of the daemon that withDefaults creates.
type parts struct {
	values *store.Store // in the folder State
	audit  *audit.Log   // its entries are written by daemon.audit
	pools  *pools
	nested *nested
}

func (c Config) withDefaults() Config {
	if c.Host == "" {
		c.Host = "127.0.0.1"
	}
	if c.Port == 0 {
		c.Port = defaultPort
	}
	if c.Slots == 0 {
		c.Slots = runtime.NumCPU()
	}
	if c.linger == 0 {
		c.linger = lingerOf(c.IdleTimeout)
	}
	if c.sending == (sending{}) {
		c.sending = sending{header: headerTime, body: bodyTime}
	}
	if c.watching == (watching{}) {
		c.watching = watching{write: writeTime, ping: pingEvery, pong: pongTime}
	}
	if c.connections == 0 {
		c.connections = connectionLimit()
	}
	if c.values == nil {
		c.values = newValues(c.State, fence.Holder{Machine: fence.This(), PID: os.Getpid(), Runtime: c.Runtime})
	}
	if c.pools == nil {
		c.pools = newPools(c.State)
	}
	if c.Log == nil {
		c.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	if c.audit == nil {
		c.audit = newAudit(c)
	}
	if c.nested == nil {
		c.nested = &nested{}
	}
	if c.Locked == nil {
		c.Locked = func() error { return nil }
	}
	if c.Ready == nil {
		c.Ready = func(api.Registry) {}
	}
	return c
}

// Run runs a daemon: it locks, listens, serves and drains. It returns nil after an orderly end (of ctx, by the request of a
// client, or because the daemon was idle), and ErrAlreadyRunning, wrapped, if another daemon holds the lock. Running
// commands continue in their runners. When Run returns, every goroutine that it started has ended.
func Run(ctx context.Context, cfg Config) error {
	cfg = cfg.withDefaults()
	return run(ctx, cfg, newOpener)
}

// run is Run with any opener.
func run(ctx context.Context, cfg Config, open func(workspace.Config) opener[*workspace.Workspace]) error {
	l, err := acquire(ctx, cfg.Runtime)
	if err != nil {
		return err
	}
	defer l.Close()
	if err := cfg.Locked(); err != nil {
		return err
	}
	listeners, err := openListeners(cfg)
	if err != nil {
		return err
	}
	defer listeners.close()
	d := newDaemon(cfg, listeners, open)
	if err := writeRegistry(cfg.Runtime, d.registry); err != nil {
		return err
	}
	defer removeRegistry(cfg.Runtime, d.registry)
	cfg.Log.Info("daemon started", "pid", d.registry.PID, "version", cfg.Version, "url", d.registry.URL)
	d.serve(ctx, l)
	cfg.Log.Info("daemon ended", "pid", d.registry.PID)
	return nil
}

// daemon is the state that the handlers share. Its fields do not change after newDaemon; their types guard themselves.
type daemon struct {
	cfg        Config
	registry   api.Registry
	listeners  *listeners
	started    time.Time
	slots      *slots
	workspaces *workspaces[*workspace.Workspace]
	leases     *leases
	triggers   *triggers
	receiver   *receiver
	waits      chan struct{} // limits lasting requests, see lasting
	answers    *answers
	notifier   *notifier
	monitor    *monitor
	base       context.Context // of all requests

	endOnce  sync.Once
	why      string        // the reason, set before end is closed
	end      chan struct{} // closed when the daemon is to end
	draining atomic.Bool   // no new work is accepted
	waiters  atomic.Int32  // clients that wait for the end of the runs to stop the daemon
	requests sync.WaitGroup
}

// openEntry is an entry of the table of workspaces.
type openEntry = entry[*workspace.Workspace]

func newDaemon(cfg Config, listeners *listeners, open func(workspace.Config) opener[*workspace.Workspace]) *daemon {
	d := &daemon{cfg: cfg, listeners: listeners, started: time.Now(), slots: newSlots(cfg.Slots), end: make(chan struct{})}
	d.registry = newRegistry(cfg.Version, listeners)
	d.answers = &answers{byKey: map[string]*savedAnswer{}}
	d.leases = &leases{byID: map[string]*holder{}}
	d.waits = make(chan struct{}, max(cfg.connections*3/4, 1))
	d.monitor = newMonitor(d)
	d.registry.Given = strings.Join(cfg.Given, " ")
	d.notifier = newNotifier(d)
	d.workspaces = newWorkspaces(open(d.workspaceConfig()), cfg, func() { d.finish("idle") })
	cfg.nested.table, cfg.nested.log = d.workspaces, cfg.Log
	d.triggers = newTriggers(d)
	d.receiver = newReceiver(d)
	return d
}

// finish makes the daemon end; the first reason counts.
func (d *daemon) finish(reason string) {
	d.endOnce.Do(func() {
		d.cfg.Log.Info("daemon ends", "reason", reason)
		d.why = reason
		close(d.end)
	})
}

// serve answers requests until the daemon has a reason to end, then drains.
func (d *daemon) serve(ctx context.Context, l *lock) {
	// Requests continue while the workspaces close, so that they are answered.
	requests, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	d.monitor.start()
	d.cfg.pools.close()
	servers := d.listen(requests)
	stopDelivering := d.notifier.deliver()
	defer stopDelivering()
	d.cfg.Ready(d.registry)
	d.workspaces.resume(d.unfinished())
	close(d.workspaces.resumed)
	d.triggers.keeper.Open()
	d.receiver.start(d)
	d.workspaces.allowIdle()
	d.cfg.pools.open()
	d.requests.Go(func() { workspace.Tidy(d.cfg.State, d.cfg.Log) })
	k := d.newRuntimeFiles(l, servers)
	defer k.close()
	stopFollowing := followClock(d)
	for waiting := true; waiting; {
		look := false
		select {
		case <-ctx.Done():
			d.finish("asked to by a signal")
		case <-k.tick.C:
			look = true
		case ev := <-k.changes():
			look = k.concerns(ev)
		case <-k.errors():
			look = true
		case <-d.end:
			waiting = false
		}
		if look && k.check(ctx) != nil && ctx.Err() == nil {
			d.finish("another daemon has taken its place")
		}
	}
	stopFollowing()
	d.drain(servers, cancel)
}

// drainTime bounds the wait for requests at the end; then their connections are closed.
const drainTime = 5 * time.Second

// drain ends everything in the order of dependencies: clients no longer find the daemon, workspaces save and detach from
// their runs, waiting requests are answered, the other connections are closed.
func (d *daemon) drain(servers *servers, cancel context.CancelFunc) {
	d.draining.Store(true)
	removeRegistry(d.cfg.Runtime, d.registry)
	d.listeners.close()
	d.receiver.close()
	d.triggers.keeper.Close()
	d.workspaces.close()
	cancel()
	servers.shutdown(drainTime)
	d.requests.Wait()
	d.monitor.close()
	d.cfg.values.Close()
	d.cfg.audit.Close(d.why)
}

// errEnding returns the error for requests to an ending daemon.
func errEnding() *api.Error {
	return &api.Error{Code: api.CodeGone, Message: "the daemon is ending"}
}

// ErrAlreadyRunning means that another daemon of this user holds the lock.
var ErrAlreadyRunning = errors.New("a daemon is already running")
