package workspace

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wf/api"
	"wf/executor"
)

// instant is an executor whose jobs succeed at once, so that a benchmark measures only the workspace.
type instant struct{}

func (instant) Open(_ context.Context, spec executor.Spec) (executor.Session, error) {
	s := &instantSession{jobs: make(chan []executor.Job, 1000), report: spec.Report}
	go s.work()
	return s, nil
}

type instantSession struct {
	jobs   chan []executor.Job
	report func([]executor.Report)
}

func (s *instantSession) work() {
	for jobs := range s.jobs {
		list := make([]executor.Report, 0, 2*len(jobs))
		for _, j := range jobs {
			t := time.Now()
			list = append(list, executor.Report{Kind: executor.Started, ID: j.ID, Time: t, PID: 1,
				Out: executor.Range{File: "out/s0.out", End: -1}, Err: executor.Range{File: "out/s0.err", End: -1}},
				executor.Report{Kind: executor.Ended, ID: j.ID, Time: t,
					Out: executor.Range{File: "out/s0.out"}, Err: executor.Range{File: "out/s0.err"}})
		}
		s.report(list)
	}
}

func (s *instantSession) Start(jobs []executor.Job) error   { s.jobs <- jobs; return nil }
func (s *instantSession) Gates() bool                       { return false }
func (s *instantSession) SetWidth(int)                      {}
func (s *instantSession) Stop([]executor.ID, time.Duration) {}
func (s *instantSession) Close(context.Context) (survivors []int, _ error) {
	close(s.jobs)
	return nil, nil
}
func (s *instantSession) Retry() {}

func (s *instantSession) Detach() {}

// layeredGraph makes a workfile of n nodes, each waiting for two of the layer before.
func layeredGraph(n int) string {
	var nodes, edges strings.Builder
	const width = 50
	for i := range n {
		fmt.Fprintf(&nodes, "<node id=\"n%d\"><data key=\"label\">true %d</data></node>\n", i, i)
		for k := range 2 {
			if i >= width {
				fmt.Fprintf(&edges, "<edge source=\"n%d\" target=\"n%d\"/>\n", i-width-(i%width)+(i*7+k*13)%width, i)
			}
		}
	}
	return `<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="label" for="node" attr.name="label" attr.type="string"/>
<graph edgedefault="directed">` + nodes.String() + edges.String() + "</graph></graphml>"
}

// BenchmarkRun runs 10,000 nodes without processes: scheduling, journal, events to one watcher,
// saves. ns/node is the figure.
func BenchmarkRun(b *testing.B) {
	const n = 10000
	dir := b.TempDir()
	path := filepath.Join(dir, "Workfile")
	if err := os.WriteFile(path, []byte(layeredGraph(n)), 0o644); err != nil {
		b.Fatal(err)
	}
	w, err := Open(path, Config{Executor: instant{}, State: filepath.Join(dir, "state"), Slots: &freeSlots{n: 8},
		Version: "bench", Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close(context.Background())
	v, err := w.Watch(context.Background(), "b", api.WatchOptions{})
	if err != nil {
		b.Fatal(err)
	}
	over := make(chan struct{})
	go func() {
		for f := range v.Frames() {
			if strings.Contains(string(f), `"run_complete"`) {
				over <- struct{}{}
			}
		}
	}()
	b.ResetTimer()
	for range b.N {
		if _, err := w.StartRun(context.Background(), "b", api.RunRequest{Mode: api.ModeFresh, Env: []string{}}); err != nil {
			b.Fatal(err)
		}
		<-over
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/node")
}

// openedBefore makes a workfile of n nodes with a history of one run of all of them, and returns its path.
func openedBefore(b *testing.B, n int) (path string, cfg Config) {
	dir := b.TempDir()
	path = filepath.Join(dir, "Workfile")
	if err := os.WriteFile(path, []byte(layeredGraph(n)), 0o644); err != nil {
		b.Fatal(err)
	}
	cfg = Config{Executor: instant{}, State: filepath.Join(dir, "state"), Slots: &freeSlots{n: 8},
		Version: "bench", Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
	w, err := Open(path, cfg)
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close(context.Background())
	v, err := w.Watch(context.Background(), "b", api.WatchOptions{})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := w.StartRun(context.Background(), "b", api.RunRequest{Mode: api.ModeFresh, Env: []string{}}); err != nil {
		b.Fatal(err)
	}
	for f := range v.Frames() {
		if strings.Contains(string(f), `"run_complete"`) {
			break
		}
	}
	return path, cfg
}

// atSizes runs a benchmark with workfiles that have run once.
func atSizes(b *testing.B, each func(path string, cfg Config) error) {
	for _, n := range []int{5000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			path, cfg := openedBefore(b, n)
			b.ReportAllocs()
			for b.Loop() {
				if err := each(path, cfg); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/node")
		})
	}
}

// BenchmarkOpen opens and closes a workfile, as a daemon does for a command.
func BenchmarkOpen(b *testing.B) {
	atSizes(b, func(path string, cfg Config) error {
		w, err := Open(path, cfg)
		if err == nil {
			err = w.Close(context.Background())
		}
		return err
	})
}

// BenchmarkLook reads a workfile with its history without a daemon.
func BenchmarkLook(b *testing.B) {
	atSizes(b, func(path string, cfg Config) error {
		_, err := LookAt(path, cfg.State)
		return err
	})
}

// BenchmarkPlan is wf plan --fresh without a daemon.
func BenchmarkPlan(b *testing.B) {
	atSizes(b, func(path string, cfg Config) error {
		look, err := LookAt(path, cfg.State)
		if err == nil {
			_, err = look.Plan(api.RunRequest{Mode: api.ModeFresh})
		}
		return err
	})
}
