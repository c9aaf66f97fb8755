package main

import "fmt"

// The functions of this file return the figures of rows of the table, see target.

// each returns a function that calls value for each case. Cases that were not measured have the value 0.
func each(cases []caseKey, value func(rep *report, wf *figures) float64) func(*results, string) []float64 {
	return func(r *results, tool string) (values []float64) {
		for _, key := range cases {
			v := 0.0
			if rep := r.find(key); rep != nil && rep.tool(tool) != nil {
				v = value(rep, rep.tool(tool))
			}
			values = append(values, v)
		}
		return values
	}
}

// wallRatio is the wall time of wf divided by that of another tool.
func wallRatio(to string, cases []caseKey) func(*results, string) []float64 {
	return each(cases, func(rep *report, wf *figures) float64 {
		if other := rep.tool(to); other != nil && other.MedianMS > 0 {
			return wf.MedianMS / other.MedianMS
		}
		return 0
	})
}

// wallTargets compares the wall time with ninja and make.
func wallTargets(cases []caseKey, ninjaMust, makeMust, ninjaAfter, makeAfter float64) []target {
	return []target{{"%.2f", ninjaMust, ninjaAfter, wallRatio(toolNinja, cases)}, {"%.2f", makeMust, makeAfter, wallRatio(toolMake, cases)}}
}

// selfRatio is the CPU time of the processes of wf divided by that of make's, both without the commands.
func selfRatio(cases []caseKey) func(*results, string) []float64 {
	return each(cases, func(rep *report, wf *figures) float64 {
		if gnuMake := rep.tool(toolMake); gnuMake != nil && gnuMake.SelfPerNodeUS != nil && wf.SelfPerNodeUS != nil {
			return *wf.SelfPerNodeUS / *gnuMake.SelfPerNodeUS
		}
		return 0
	})
}

// commandExcess is the CPU time of a command under wf less that of one under make, including what happens
// in the child between fork and exec.
func commandExcess(cases []caseKey) func(*results, string) []float64 {
	return each(cases, func(rep *report, wf *figures) float64 {
		if gnuMake := rep.tool(toolMake); gnuMake != nil && gnuMake.SelfPerNodeUS != nil && wf.SelfPerNodeUS != nil {
			return wf.CPUPerNodeUS - *wf.SelfPerNodeUS - (gnuMake.CPUPerNodeUS - *gnuMake.SelfPerNodeUS)
		}
		return 0
	})
}

// processTargets are CPU time and context switches of a process of wf, per node.
func processTargets(name string, cases []caseKey, cpuMust, switchesMust, cpuAfter float64) []target {
	of := func(figure func(*process) float64) func(*results, string) []float64 {
		return each(cases, func(_ *report, wf *figures) float64 {
			if p := wf.process(name); p != nil {
				return figure(p)
			}
			return 0
		})
	}
	return []target{
		{"%.0f µs", cpuMust, cpuAfter, of(func(p *process) float64 { return p.CPUPerNodeUS })},
		{"%.2f", switchesMust, 0, of(func(p *process) float64 { return p.SwitchesPerNode })},
	}
}

// startRatio is the time of wf --help divided by that of make --version. It needs no daemon.
func startRatio(r *results, tool string) []float64 {
	if r.commands == nil || tool != toolWf {
		return []float64{0}
	}
	return []float64{r.commands.ratio(titleHelp, titleVersion)}
}

// selfNote returns the CPU times of a ratio of selfRatio.
func selfNote(cases []caseKey) func(*results, string) string {
	return func(r *results, tool string) (text string) {
		for _, key := range cases {
			rep := r.find(key)
			if rep == nil || rep.tool(tool) == nil || rep.tool(toolMake) == nil {
				continue
			}
			if a, b := rep.tool(tool).SelfPerNodeUS, rep.tool(toolMake).SelfPerNodeUS; a != nil && b != nil {
				if text != "" {
					text += ", "
				}
				text += fmt.Sprintf("%.0f µs to %.0f", *a, *b)
			}
		}
		return text
	}
}

// wallNote returns the wall times of a ratio.
func wallNote(key caseKey, to string) func(*results, string) string {
	return func(r *results, tool string) string {
		rep := r.find(key)
		if rep == nil || rep.tool(tool) == nil || rep.tool(to) == nil {
			return ""
		}
		return fmt.Sprintf("%.1f ms to %.1f", rep.tool(tool).MedianMS, rep.tool(to).MedianMS)
	}
}
