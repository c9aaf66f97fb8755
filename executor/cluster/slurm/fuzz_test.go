package slurm

import (
	"strings"
	"testing"

	"wf/executor/cluster"
)

// FuzzOutputs reads what the commands of Slurm have printed: every state is of a job of ours, and nothing panics.
func FuzzOutputs(f *testing.F) {
	f.Add("wf-abc-1|17|3|RUNNING|n1|2026-11-23T09:00:00|None\nother|18|N/A|PENDING||N/A|Priority\n")
	f.Add("wf-abc-1|17|N/A|COMPLETED|n1|N/A|JobLaunchFailure\n")
	f.Add("wf-abc-1|17_3|OUT_OF_MEMORY|n1||None\nbatch|17_3.batch|OUT_OF_MEMORY|n1|1.5G|\n")
	f.Add("17;cluster\n")
	f.Fuzz(func(t *testing.T, printed string) {
		s := Slurm{}
		live, err := s.States(printed)
		if err != nil {
			live = nil
		}
		final, err := s.FinalStates(printed)
		if err != nil {
			final = nil
		}
		for _, st := range append(live, final...) {
			if !strings.HasPrefix(st.Name, cluster.NamePrefix) {
				t.Errorf("%+v", st)
			}
		}
		if id, err := s.Submitted(printed); err == nil && strings.Trim(id, "0123456789") != "" {
			t.Errorf("id %q", id)
		}
	})
}
