package words

import (
	"testing"

	"wf/api"
)

func TestEngine(t *testing.T) {
	for want, got := range map[string]string{
		"":              Engine(nil, api.StateQueued),
		"handed to hpc": Engine(&api.EngineJob{Executor: "hpc"}, api.StateQueued),
		"hpc job 12 PENDING: Priority, position 12, expected 14:05": Engine(&api.EngineJob{Executor: "hpc", ID: "12", State: "PENDING", Why: "Priority, position 12, expected 14:05"}, api.StateQueued),
		"on n17 (hpc job 12)":           Engine(&api.EngineJob{Executor: "hpc", ID: "12", State: "RUNNING", Host: "n17"}, api.StateRunning),
		"on n17 (hpc job 12) SUSPENDED": Engine(&api.EngineJob{Executor: "hpc", ID: "12", State: "SUSPENDED", Host: "n17"}, api.StateRunning),
		"hpc job 13":                    Engine(&api.EngineJob{Executor: "hpc", ID: "13"}, api.StateFailed),
		"hpc job 1 harmless":            Engine(&api.EngineJob{Executor: "hpc", ID: "1", State: "\x1b[2Jharmless"}, api.StateQueued),
		"peak 3.2G":                     Peak(3<<30 + 200<<20),
		"peak 512M":                     Peak(512 << 20),
		"out of memory":                 Cause(api.ReasonMemory, nil, "SIGKILL", ""),
		"its machine failed: n17":       Cause(api.ReasonNodeFail, nil, "", "n17"),
		"preempted":                     Cause(api.ReasonPreempted, nil, "SIGTERM", ""),
		"cancelled at its engine":       Cause(api.ReasonEngineCancelled, nil, "", ""),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
