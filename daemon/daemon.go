// Package daemon is the one background process of a user on a machine: it holds the lock, opens
// the doors (a unix socket and a loopback port), keeps each workfile open once, hands out the
// machine's job slots and pushes events. It decides nothing about workflows; that is asked of
// package workspace.
package daemon

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"wf/api"
	"wf/daemon/store"
	"wf/workspace"
)

// DefaultPort is the TCP port that is tried first.
const DefaultPort = 5049

// Config is what a daemon is given. Runtime, State and Executor are required.
type Config struct {
	// Runtime and State are absolute folders of mode 0700; the caller has checked them.
	Runtime, State string

	Host string // loopback address for TCP; "" is 127.0.0.1
	Port int    // 0 is DefaultPort
	// PortExplicit says that somebody asked for this port: when it is taken the daemon does not
	// start, instead of taking a free one.
	PortExplicit bool

	IdleTimeout time.Duration // from the last workspace closed to the end; 0 = it never ends by itself
	Slots       int           // executions at once on this machine; 0 = one per processor
	KeepRuns    int           // past runs to keep of each workfile; 0 = all
	KeepAge     time.Duration // for how long to keep them; 0 = for ever
	KeepBytes   int64         // how much they may take together, in bytes; 0 = any size
	Version     string        // of the binary
	Given       []string      // the flags that it was started with, for the next one
	Executor    workspace.Executor
	// Rehearse finds out whether this program dies of taking up the runs of a workfile: see Rehearse. nil:
	// nobody can.
	Rehearse func(path string) error
	Locked   func() error       // called once this is the only daemon, before anything else; may be nil
	Ready    func(api.Registry) // called once, when requests are answered; may be nil
	Log      *slog.Logger       // nil drops everything

	// Tests have less patience, and fewer connections.

	linger      time.Duration // of an unused workspace; tests make it longer than any hiccup
	sending     sending
	watching    watching
	connections int // per door

	values *store.Store // of State; nil = made by withDefaults
	pools  *pools       // likewise
	nested *nested      // likewise
}

func (c Config) withDefaults() Config {
	if c.Host == "" {
		c.Host = "127.0.0.1"
	}
	if c.Port == 0 {
		c.Port = DefaultPort
	}
	if c.Slots == 0 {
		c.Slots = runtime.NumCPU()
	}
	if c.linger == 0 {
		c.linger = linger
	}
	if c.sending == (sending{}) {
		c.sending = sending{header: headerTime, body: bodyTime}
	}
	if c.watching == (watching{}) {
		c.watching = watching{write: writeTime, ping: pingEvery, pong: pongTime}
	}
	if c.connections == 0 {
		c.connections = roomFor()
	}
	if c.values == nil {
		c.values = newValues(c.State)
	}
	if c.pools == nil {
		c.pools = newPools(c.State)
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
	if c.Log == nil {
		c.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	return c
}

// Run is the life of a daemon: lock, listen, serve, drain. It returns nil after an orderly end,
// which is the end of ctx, a client's request, or idleness; ErrAlreadyRunning, wrapped, when
// another daemon holds the lock. Commands that are running then go on in their runners. When it
// returns, every goroutine it started has ended.
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
	doors, err := openDoors(cfg)
	if err != nil {
		return err
	}
	defer doors.close()
	d := newDaemon(cfg, doors, open)
	if err := writeRegistry(cfg.Runtime, d.registry); err != nil {
		return err
	}
	defer removeRegistry(cfg.Runtime, d.registry)
	cfg.Log.Info("daemon started", "pid", d.registry.PID, "version", cfg.Version, "url", d.registry.URL)
	d.serve(ctx, l)
	cfg.Log.Info("daemon ended", "pid", d.registry.PID)
	return nil
}

// daemon is what the handlers share. Its fields do not change after newDaemon, except what the
// types behind them guard themselves.
type daemon struct {
	cfg        Config
	registry   api.Registry
	doors      *doors
	began      time.Time
	slots      *slots
	workspaces *workspaces[*workspace.Workspace]
	tenants    *tenants
	waits      chan struct{} // room for requests that last, see lasting
	answers    *answers
	base       context.Context // of all requests

	endOnce  sync.Once
	end      chan struct{} // closed when it is time to go
	draining atomic.Bool   // no new work is taken
	waiters  atomic.Int32  // clients that wait for the runs to be over, to stop the daemon
	requests sync.WaitGroup
}

// openEntry is an entry of the table of workspaces.
type openEntry = entry[*workspace.Workspace]

func newDaemon(cfg Config, doors *doors, open func(workspace.Config) opener[*workspace.Workspace]) *daemon {
	d := &daemon{cfg: cfg, doors: doors, began: time.Now(), slots: newSlots(cfg.Slots), end: make(chan struct{})}
	d.registry = newRegistry(cfg.Version, doors)
	d.answers = &answers{byKey: map[string]*kept{}}
	d.tenants = &tenants{byID: map[string]*tenant{}}
	d.waits = make(chan struct{}, max(cfg.connections*3/4, 1))
	d.registry.Given = strings.Join(cfg.Given, " ")
	d.workspaces = newWorkspaces(open(d.workspaceConfig()), cfg, func() { d.finish("idle") })
	cfg.nested.table, cfg.nested.log = d.workspaces, cfg.Log
	return d
}

// finish makes the daemon end; the first reason counts.
func (d *daemon) finish(reason string) {
	d.endOnce.Do(func() {
		d.cfg.Log.Info("daemon ends", "reason", reason)
		close(d.end)
	})
}

// serve answers requests until the daemon has a reason to end, then drains.
func (d *daemon) serve(ctx context.Context, l *lock) {
	// Requests live on while the workspaces close, so that they get the answers of the end.
	requests, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	d.cfg.pools.close()
	d.workspaces.hold() // not idle before it has looked for runs
	servers := d.listen(requests)
	d.cfg.Ready(d.registry)
	d.workspaces.resume(d.unfinished())
	close(d.workspaces.resumed)
	d.workspaces.letGo()
	d.cfg.pools.open()
	d.requests.Go(func() { workspace.Tidy(d.cfg.State, d.cfg.Log) })
	k := d.newKeeper(l, servers)
	defer k.close()
	for waiting := true; waiting; {
		look := false
		select {
		case <-ctx.Done():
			d.finish("asked to by a signal")
		case <-k.tick.C:
			look = true
		case ev := <-k.news():
			look = k.concerns(ev)
		case <-k.faults():
			look = true
		case <-d.end:
			waiting = false
		}
		if look && k.look(ctx) != nil && ctx.Err() == nil {
			d.finish("another daemon has taken its place")
		}
	}
	d.drain(servers, cancel)
}

// drainTime bounds the polite part of the end: what has not answered by then is cut off.
const drainTime = 5 * time.Second

// drain ends everything, in the order in which things depend on each other: nobody new finds us,
// workspaces save and let go of their runs, what waits for them is answered, the rest is cut.
func (d *daemon) drain(servers *servers, cancel context.CancelFunc) {
	d.draining.Store(true)
	removeRegistry(d.cfg.Runtime, d.registry)
	d.doors.close()
	d.workspaces.close()
	cancel()
	servers.shutdown(drainTime)
	d.requests.Wait()
	d.cfg.values.Close()
}

// errEnding is the answer to who comes too late.
func errEnding() *api.Error {
	return &api.Error{Code: api.CodeGone, Message: "the daemon is ending"}
}

// ErrAlreadyRunning says that another daemon of this user holds the lock.
var ErrAlreadyRunning = errors.New("a daemon is already running")
