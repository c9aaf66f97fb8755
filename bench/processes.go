package main

import (
	"fmt"
	"io"
	"time"
)

// A process is a part of wf, and what it costs per node.
type process struct {
	Name            string  `json:"name"` // client, daemon or runner
	CPUPerNodeUS    float64 `json:"cpu_per_node_us"`
	SwitchesPerNode float64 `json:"switches_per_node"` // context switches, voluntary and involuntary
}

// shortestSampled is the wall time from which the CPU time of a runner is known: samples miss too much of a
// shorter run.
const shortestSampled = 200 * time.Millisecond

// closeProcesses computes what the processes of the tool cost. Figures that are not known are left out.
func (f *figures) closeProcesses(nodes int, load bool) {
	if f.self.cpu == 0 {
		return // not Linux
	}
	total := f.self.cpu + f.daemon.cpu + f.runners.cpu
	sampled := load || f.MedianMS >= float64(shortestSampled.Milliseconds())
	if f.served {
		f.addProcess("client", f.self, nodes)
		f.addProcess("daemon", f.daemon, nodes)
	}
	if f.runners.cpu > 0 && sampled {
		f.addProcess("runner", f.runners, nodes)
	}
	if !f.served || sampled {
		us := f.perTimedNode(float64(total.Nanoseconds())/1000, nodes)
		f.SelfPerNodeUS = &us
	}
}

func (f *figures) addProcess(name string, u usage, nodes int) {
	f.Processes = append(f.Processes, process{name,
		f.perTimedNode(float64(u.cpu.Nanoseconds())/1000, nodes), f.perTimedNode(float64(u.switches), nodes)})
}

func (f *figures) perTimedNode(total float64, nodes int) float64 {
	return total / float64(len(f.WallMS)*nodes)
}

// process returns the figures of a process of wf, or nil if they are not known.
func (f *figures) process(name string) *process {
	for i := range f.Processes {
		if f.Processes[i].Name == name {
			return &f.Processes[i]
		}
	}
	return nil
}

// printProcesses prints a line per build of wf.
func (r *report) printProcesses(w io.Writer) {
	for _, f := range r.Tools {
		for i, p := range f.Processes {
			if i == 0 {
				fmt.Fprintf(w, "%s, us of CPU and context switches per node:", f.Name)
			}
			fmt.Fprintf(w, " %s %.1f %.2f", p.Name, p.CPUPerNodeUS, p.SwitchesPerNode)
			if i == len(f.Processes)-1 {
				fmt.Fprintln(w)
			}
		}
	}
}
