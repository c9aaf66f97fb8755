package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"
)

// report is one line of results.jsonl: one case with all tools.
type report struct {
	Time    time.Time `json:"time"`
	Machine machine   `json:"machine"`
	Case    string    `json:"case"`
	Shape   string    `json:"shape,omitempty"`
	Load    bool      `json:"load,omitempty"` // loading only
	Shell   string    `json:"shell"`
	Nodes   int       `json:"nodes"`
	Edges   int       `json:"edges"`
	Jobs    int       `json:"jobs"`
	Rounds  int       `json:"rounds"`
	Other   string    `json:"other,omitempty"` // file name of the second wf

	Tools        []*figures         `json:"tools"`  // wf first
	Ratios       map[string]float64 `json:"ratios"` // median wall time of the first tool by that of another one
	DaemonPeakKB int64              `json:"daemon_peak_kb,omitempty"`
	RunnerPeakKB int64              `json:"runner_peak_kb,omitempty"`
	Absent       []string           `json:"absent,omitempty"`
	// Stolen is which part of the processor time the hypervisor gave to other machines meanwhile, from 0 to 1.
	Stolen float64 `json:"stolen,omitempty"`
}

// figures are the results of one tool.
type figures struct {
	Name          string        `json:"name"`
	WallMS        []float64     `json:"wall_ms"` // every timed round, in order
	MedianMS      float64       `json:"median_ms"`
	CPUPerNodeUS  float64       `json:"cpu_per_node_us"`                // including commands
	OwnPerNodeUS  *float64      `json:"own_cpu_per_node_us,omitempty"`  // without the commands' time, as measured with the floor
	SelfPerNodeUS *float64      `json:"self_cpu_per_node_us,omitempty"` // of its own processes alone, in the timed runs
	Processes     []process     `json:"processes,omitempty"`            // of wf: the parts of SelfPerNodeUS
	PeakKB        int64         `json:"peak_kb,omitempty"`              // of wf: the client's
	cpu, commands time.Duration // of all runs, including the warm-up
	runs          int
	// What the timed runs used: the process of the tool, and if it is a client of wf, daemon and runners.
	self, daemon, runners usage
	served                bool // by a daemon
}

func newReport(k *kit, c *benchCase) *report {
	return &report{Time: time.Now().UTC().Truncate(time.Second), Machine: k.machine, Case: c.name, Shape: c.shape, Load: k.o.load, Shell: c.shell,
		Nodes: c.nodes(), Edges: c.graph.Edges(), Jobs: c.jobs, Rounds: k.o.rounds, Other: otherName(k.o.other),
		Ratios: make(map[string]float64), Absent: k.absent}
}

func (r *report) tool(name string) *figures {
	for _, f := range r.Tools {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// add adds a sample. The wall time of a warm-up does not count; its CPU time does, because the daemon's is
// known only for all runs together.
func (r *report) add(name string, s sample, warmUp bool) {
	f := r.tool(name)
	if f == nil {
		f = &figures{Name: name}
		r.Tools = append(r.Tools, f)
	}
	f.cpu += s.cpu
	f.commands += s.commands
	f.PeakKB = max(f.PeakKB, s.peakKB)
	f.runs++
	if !warmUp {
		f.WallMS = append(f.WallMS, float64(s.wall.Microseconds())/1000)
		f.self = f.self.plus(s.self)
	}
}

// close computes the figures that need the CPU time of the daemons, after they have ended.
func (r *report) close() {
	wf := r.Tools[0]
	for _, f := range r.Tools {
		f.MedianMS = median(f.WallMS)
		f.CPUPerNodeUS = f.perNode(f.cpu, r.Nodes)
		f.closeProcesses(r.Nodes, r.Load)
	}
	if floor := r.tool(toolFloor); floor != nil {
		for _, f := range r.Tools {
			if f.Name == toolNinja {
				continue // it starts /bin/sh, whose time is unknown
			}
			own := f.CPUPerNodeUS - floor.perNode(floor.commands, r.Nodes)
			f.OwnPerNodeUS = &own
		}
	}
	for _, f := range r.Tools {
		if f != wf && f.MedianMS > 0 {
			r.Ratios[f.Name] = wf.MedianMS / f.MedianMS
		}
	}
}

func (f *figures) perNode(d time.Duration, nodes int) float64 {
	return float64(d.Nanoseconds()) / 1000 / float64(f.runs*nodes)
}

// median returns the median of a list that is not empty.
func median(values []float64) float64 {
	s := slices.Sorted(slices.Values(values))
	if n := len(s); n%2 == 0 {
		return (s[n/2-1] + s[n/2]) / 2
	}
	return s[len(s)/2]
}

func (r *report) print(w io.Writer) {
	what := "run"
	if r.Load {
		what = "load"
	}
	fmt.Fprintf(w, "%s: %s of %d nodes, %d edges, -j%d, %d rounds\n", r.Case, what, r.Nodes, r.Edges, r.Jobs, r.Rounds)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\twall ms\tms/node\twf/it\tCPU us/node\town us/node\tself us/node\tMB\t")
	known := func(us *float64) string {
		if us == nil {
			return ""
		}
		return fmt.Sprintf("%.1f", *us)
	}
	for _, f := range r.Tools {
		ratio := ""
		if x, ok := r.Ratios[f.Name]; ok {
			ratio = fmt.Sprintf("%.2f", x)
		}
		fmt.Fprintf(t, "%s\t%.1f\t%.4f\t%s\t%.1f\t%s\t%s\t%.1f\t\n", f.Name, f.MedianMS, f.MedianMS/float64(r.Nodes), ratio,
			f.CPUPerNodeUS, known(f.OwnPerNodeUS), known(f.SelfPerNodeUS), float64(f.PeakKB)/1024)
	}
	t.Flush()
	r.printProcesses(w)
	if r.Stolen > tolerableSteal {
		fmt.Fprintf(w, "do not trust this: other virtual machines got %.0f %% of the processor time meanwhile\n", 100*r.Stolen)
	}
	if r.DaemonPeakKB > 0 {
		fmt.Fprintf(w, "peak memory of the daemon %.1f MB, of a runner %.1f MB\n", float64(r.DaemonPeakKB)/1024, float64(r.RunnerPeakKB)/1024)
	}
	fmt.Fprintln(w)
}

// printGrowth compares the cost of a node in large graphs with that in the smallest graph of the same
// shape, run in the same way: 1.00 is linear. It prints nothing if there is only one size.
func printGrowth(w io.Writer, all []*report) {
	smallest := make(map[string]*report)
	key := func(r *report) string { return fmt.Sprintf("%s %s -j%d", r.Shape, r.Shell, r.Jobs) }
	for _, r := range all {
		if s := smallest[key(r)]; r.Shape != "" && (s == nil || r.Nodes < s.Nodes) {
			smallest[key(r)] = r
		}
	}
	for _, r := range all {
		s := smallest[key(r)]
		if r.Shape == "" || s == r {
			continue
		}
		a, b := s.Tools[0], r.Tools[0]
		fmt.Fprintf(w, "%s: a node of %d costs %.2f times the wall time of one of %d, %.2f times the CPU; %.1f KB of the daemon's memory\n",
			key(r), r.Nodes, b.MedianMS/float64(r.Nodes)/(a.MedianMS/float64(s.Nodes)), s.Nodes,
			b.CPUPerNodeUS/a.CPUPerNodeUS, float64(r.DaemonPeakKB-s.DaemonPeakKB)/float64(r.Nodes-s.Nodes))
	}
}

// record appends r as one line; "-" means nowhere.
func (r *report) record(path string) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return appendLine(path, line)
}

func appendLine(path string, line []byte) error {
	if path == "-" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// otherName returns the file name of the second binary, or "". Results are shared, so they contain no folders.
func otherName(path string) string {
	if path == "" {
		return ""
	}
	return filepath.Base(path)
}
