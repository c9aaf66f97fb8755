package runner

import (
	"testing"

	"wf/executor/proc"
)

// TestChoose tells the child of a dead runner from all that can stand beside it.
func TestChoose(t *testing.T) {
	at := func(pid int) proc.Process { return proc.Process{PID: -pid, StartTicks: int64(pid)} } // nobody's pid
	for name, c := range map[string]struct {
		candidates candidates
		want       finding
		pid        int
	}{
		"nobody":                       {candidates{}, notForked, 0},
		"one that runs":                {candidates{marked: []proc.Process{at(5)}}, forked, 5},
		"and its child":                {candidates{marked: []proc.Process{at(6), at(5)}}, forked, 5},
		"dead":                         {candidates{zombies: []proc.Process{at(5)}}, forked, 5},
		"dead, and one that lives":     {candidates{zombies: []proc.Process{at(5)}, marked: []proc.Process{at(6)}}, unclear, 0},
		"its child dead":               {candidates{marked: []proc.Process{at(5)}, zombies: []proc.Process{at(6), at(7)}}, forked, 5},
		"dead, and one without a mark": {candidates{zombies: []proc.Process{at(5)}, unmarked: []proc.Process{at(6)}}, unclear, 0},
		"two dead":                     {candidates{zombies: []proc.Process{at(5), at(6)}}, unclear, 0},
		"two dead before a child":      {candidates{zombies: []proc.Process{at(5), at(6)}, marked: []proc.Process{at(7)}}, unclear, 0},
		"unmarked":                     {candidates{unmarked: []proc.Process{at(5)}}, unclear, 0},
		"unmarked, and older than all": {candidates{unmarked: []proc.Process{at(5)}, marked: []proc.Process{at(6)}}, unclear, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p, got := c.candidates.choose()
			if got != c.want || p.PID != -c.pid {
				t.Errorf("finding %d, process %d; want %d, %d", got, p.PID, c.want, -c.pid)
			}
		})
	}
}
