package daemon

import (
	"context"
	"maps"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"wf/api"
	"wf/daemon/metrics"
	"wf/daemon/traces"
	"wf/workspace"
	"wf/workspace/activerun"
	"wf/workspace/tracing"
)

// monitor tells other programs about the daemon and its runs. It lives from start to close.
type monitor struct {
	d        *daemon
	registry metrics.Registry  // of all figures of the daemon: a part that has some adds them in newDaemon
	counts   *metrics.Counts   // nil before start
	text     *metrics.Textfile // nil = none is written
	traces   *traces.Sender    // nil before start
	deeds    *deeds            // nil before start
	lag      *metrics.Distribution
	refused  atomic.Int64 // starts of triggers that began no run
}

func newMonitor(d *daemon) *monitor {
	m := &monitor{d: d, lag: metrics.NewDistribution(0.1, 1, 10, 60, 600, 3600)}
	m.registry.Add(func(w *metrics.Writer) { m.counts.Write(w) })
	m.registry.Add(func(w *metrics.Writer) { w.Family(metrics.Gauge, "wf_daemon_up", daemonUpHelp).Gauge(1) })
	m.registry.Add(d.ownFigures)
	m.registry.Add(d.poolFigures)
	m.registry.Add(d.loadFigures)
	m.registry.Add(m.triggerFigures)
	m.registry.Add(func(w *metrics.Writer) { d.receiver.figures(w, d.started) })
	m.registry.Add(d.outboxFigures)
	return m
}

const daemonUpHelp = "1 while a daemon runs, 0 in figures of the time between two daemons."

// start starts the goroutines.
func (m *monitor) start() {
	m.counts = metrics.OpenCounts(m.d.cfg.State, m.d.cfg.Log)
	if path := m.d.cfg.Monitoring.TextFile; path != "" {
		m.text = metrics.NewTextfile(path, m.textFor, m.d.cfg.Log)
	}
	cfg := m.d.cfg
	m.deeds = newDeeds(cfg.audit, cfg.Log)
	m.traces = traces.Start(traces.Config{State: cfg.State, Version: cfg.Version, Log: cfg.Log,
		Build: func(id string, n int) (*tracing.Trace, bool, error) { return workspace.TraceOf(cfg.State, id, n) },
		Hold: func() func() {
			m.d.workspaces.preventIdle()
			return m.d.workspaces.allowIdle
		}})
}

// textFor returns the text for the file; the last one has only what is true without a daemon.
func (m *monitor) textFor(last bool) []byte {
	if last {
		return withoutDaemon(m.counts.Write, metrics.Prometheus)
	}
	return m.registry.Text(metrics.Prometheus)
}

func withoutDaemon(counts metrics.Source, f metrics.Format) []byte {
	var r metrics.Registry
	r.Add(counts)
	r.Add(func(w *metrics.Writer) { w.Family(metrics.Gauge, "wf_daemon_up", daemonUpHelp).Gauge(0) })
	return r.Text(f)
}

// Metrics returns the metrics of a state folder for a program that must not start a daemon: the counts of runs. The text is
// complete also with an error, which says that counts are missing.
func Metrics(state string, openMetrics bool) ([]byte, error) {
	f := metrics.Prometheus
	if openMetrics {
		f = metrics.OpenMetrics
	}
	counts, err := metrics.ReadCounts(state)
	return withoutDaemon(counts, f), err
}

// close writes what is left to write. No workspace may be open.
func (m *monitor) close() {
	m.traces.Close()
	m.deeds.close()
	m.counts.Close()
	m.text.Close()
}

// hear handles news of a workspace. It does not block.
func (m *monitor) hear(n workspace.News) {
	m.deeds.add(n)
	run, _ := strconv.Atoi(n.Run)
	switch n.Kind {
	case workspace.Opened:
		m.d.requests.Go(func() { m.counts.Opened(n.ID, n.Workfile) })
	case workspace.RunBegan:
		m.counts.Started(n.ID, n.Workfile, run)
	case workspace.RunEnded:
		s := n.Summary
		m.counts.Ended(metrics.End{Workspace: n.ID, Workfile: n.Workfile, Run: run, Result: string(s.Result), Ended: *s.Ended,
			Duration: time.Duration(*s.DurationMS) * time.Millisecond})
		m.text.Wake()
		m.traces.Ended(n.ID, run)
	}
}

// metrics serves the metrics in the format that the client accepts.
func (d *daemon) metrics(w http.ResponseWriter, r *http.Request, q api.MetricsQuery) error {
	f := metrics.FormatFor(r.Header.Get("Accept"))
	if q.OpenMetrics {
		f = metrics.OpenMetrics
	}
	w.Header().Set("Content-Type", f.ContentType())
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(d.monitor.registry.Text(f)) // an error means that the client has gone
	return nil
}

// ownFigures are the figures of the daemon and its slots.
func (d *daemon) ownFigures(w *metrics.Writer) {
	w.Family(metrics.Info, "wf_build", "The version of the daemon.").Info(metrics.Label{Name: "version", Value: d.cfg.Version}, metrics.Label{Name: "go", Value: goVersion()})
	w.Family(metrics.Gauge, "wf_daemon_start_time_seconds", "When the daemon was started.").Gauge(metrics.Seconds(d.started))
	used, limit := d.slots.inUse()
	w.Family(metrics.Gauge, "wf_slots_used", "Commands that have a slot of this machine.").Gauge(float64(used))
	if limit != activerun.NoLimit {
		w.Family(metrics.Gauge, "wf_slots", "Slots of this machine at present, with those of runs that were given more.").Gauge(float64(limit))
	}
}

func goVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.GoVersion
	}
	return ""
}

// mostPools bounds the pools with figures of their own.
const mostPools = 100

func (d *daemon) poolFigures(w *metrics.Writer) {
	pools := d.cfg.pools.all()
	pools = pools[:min(len(pools), mostPools)]
	gauge := func(name, help string, value func(i int) int) {
		f := w.Family(metrics.Gauge, name, help)
		for i, p := range pools {
			f.Gauge(float64(value(i)), metrics.Label{Name: "pool", Value: p.Name})
		}
	}
	gauge("wf_pool_units", "Units of a pool.", func(i int) int { return pools[i].Size })
	gauge("wf_pool_units_used", "Units of a pool that commands have.", func(i int) int { return pools[i].Used })
	gauge("wf_pool_waiting", "Commands that wait for units of a pool.", func(i int) int { return pools[i].Waiting })
}

// loadTime bounds the wait for the loads of the workspaces. A workspace that does not answer is left out.
const loadTime = time.Second

// load returns what the runs of all workspaces execute and wait for, and how many workspaces did not answer.
func (d *daemon) load() (sum activerun.Load, silent int) {
	ctx, cancel := context.WithTimeout(context.Background(), loadTime)
	defer cancel()
	var all sync.WaitGroup
	var mu sync.Mutex // guards sum and silent
	for _, e := range d.workspaces.entries() {
		all.Go(func() {
			l, err := e.ws.Load(ctx)
			mu.Lock()
			defer mu.Unlock()
			if err != nil && ctx.Err() != nil { // not one that closes at this moment
				silent++
			}
			sum.Add(l)
		})
	}
	all.Wait()
	return sum, silent
}

func (d *daemon) loadFigures(w *metrics.Writer) {
	l, silent := d.load()
	gauge := func(name, help string, value int) {
		w.Family(metrics.Gauge, name, help).Gauge(float64(value))
	}
	gauge("wf_runs_active", "Runs that are not over.", l.Runs)
	gauge("wf_runs_queued", "Runs that wait for other runs of their workfile.", l.QueuedRuns)
	gauge("wf_commands_running", "Commands that run on this machine.", l.Running)
	gauge("wf_commands_waiting", "Commands that wait for a slot of this machine or for units of pools.", l.Waiting)
	gauge("wf_approvals_waiting", "Nodes that wait for a person.", l.Approvals)
	gauge("wf_workfiles_silent", "Open workfiles that did not answer in time: the figures above lack their runs.", silent)
	names := slices.Sorted(maps.Keys(l.Engines))
	names = names[:min(len(names), mostPools)]
	engine := func(name, help string, value func(activerun.EngineLoad) int) {
		f := w.Family(metrics.Gauge, name, help)
		for _, n := range names {
			f.Gauge(float64(value(l.Engines[n])), metrics.Label{Name: "executor", Value: n})
		}
	}
	engine("wf_executor_commands_running", "Commands that run at an executor other than this machine.", func(l activerun.EngineLoad) int { return l.Running })
	engine("wf_executor_commands_waiting", "Commands that an executor other than this machine has not started.", func(l activerun.EngineLoad) int { return l.Waiting })
}

// triggered counts the start of a run by a trigger. It does not block.
func (m *monitor) triggered(req api.RunRequest, err error) {
	if err != nil {
		m.refused.Add(1)
	} else if req.Trigger != nil {
		m.lag.Observe(time.Since(req.Trigger.Time))
	}
}

func (m *monitor) triggerFigures(w *metrics.Writer) {
	w.Family(metrics.Gauge, "wf_trigger_workfiles", "Workfiles with enabled triggers.").Gauge(float64(m.d.triggers.keeper.Count()))
	m.lag.Write(w.Family(metrics.Histogram, "wf_trigger_lag_seconds", "Time from the instant of a trigger to the start of its run, since the daemon was started."))
	w.Family(metrics.Counter, "wf_trigger_refused", "Instants at which a trigger could start no run, since the daemon was started.").Counter(float64(m.refused.Load()), m.d.started)
}

func (d *daemon) outboxFigures(w *metrics.Writer) {
	w.Family(metrics.Gauge, "wf_notifications_waiting", "Notifications that were not sent yet.").Gauge(float64(d.notifier.outbox.Waiting()))
	w.Family(metrics.Counter, "wf_notifications_dropped", "Notifications that found no room in the outbox, since the daemon was started.").Counter(float64(d.notifier.outbox.Dropped()), d.started)
}
