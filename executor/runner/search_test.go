package runner

import (
	"testing"

	"wf/executor/proc"
)

// TestChoose checks which of several candidates is the child of a dead runner.
func TestChoose(t *testing.T) {
	at := func(pid int) proc.Process { return proc.Process{PID: -pid, StartTicks: int64(pid)} } // negative, so that no process has this pid
	for name, c := range map[string]struct {
		candidates candidates
		want       finding
		pid        int
	}{
		"no candidate":                     {candidates{}, notForked, 0},
		"living":                           {candidates{marked: []proc.Process{at(5)}}, forked, 5},
		"living, with a child":             {candidates{marked: []proc.Process{at(6), at(5)}}, forked, 5},
		"dead":                             {candidates{zombies: []proc.Process{at(5)}}, forked, 5},
		"dead, and a living one":           {candidates{zombies: []proc.Process{at(5)}, marked: []proc.Process{at(6)}}, unclear, 0},
		"living, with dead children":       {candidates{marked: []proc.Process{at(5)}, zombies: []proc.Process{at(6), at(7)}}, forked, 5},
		"dead, and one without a marker":   {candidates{zombies: []proc.Process{at(5)}, unmarked: []proc.Process{at(6)}}, unclear, 0},
		"two dead":                         {candidates{zombies: []proc.Process{at(5), at(6)}}, unclear, 0},
		"two dead before a child":          {candidates{zombies: []proc.Process{at(5), at(6)}, marked: []proc.Process{at(7)}}, unclear, 0},
		"without a marker":                 {candidates{unmarked: []proc.Process{at(5)}}, unclear, 0},
		"without a marker, older than all": {candidates{unmarked: []proc.Process{at(5)}, marked: []proc.Process{at(6)}}, unclear, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p, got := c.candidates.choose()
			if got != c.want || p.PID != -c.pid {
				t.Errorf("finding %d, process %d; want %d, %d", got, p.PID, c.want, -c.pid)
			}
		})
	}
}
