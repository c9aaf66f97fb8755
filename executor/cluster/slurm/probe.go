package slurm

import (
	"strconv"
	"strings"
	"time"

	"wf/executor/cluster"
)

var _ cluster.Prober = Slurm{}

// Probe implements cluster.Prober.
func (Slurm) Probe() string { return "scontrol show config" }

// Probed implements cluster.Prober. The lines are like "MaxArraySize            = 1001".
func (Slurm) Probed(output string) (a cluster.Allowed) {
	measures := false
	for line := range strings.Lines(output) {
		name, value, _ := strings.Cut(line, "=")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(name) {
		case "MaxArraySize": // one more than the largest index
			if n, err := strconv.Atoi(value); err == nil {
				a.ArraySize = max(1, n)
			}
		case "AccountingStorageType":
			a.Accounting = strings.HasSuffix(value, "/slurmdbd")
		case "JobAcctGatherType":
			measures = !strings.HasSuffix(value, "/none")
		case "JobAcctGatherFrequency":
			a.Sampling = sampling(value)
		}
	}
	if !measures || !a.Accounting {
		a.Sampling = 0
	}
	return a
}

// sampling reads how often tasks are measured: seconds, or a list such as task=30,energy=60.
func sampling(value string) time.Duration {
	for part := range strings.SplitSeq(value, ",") {
		what, seconds, named := strings.Cut(part, "=")
		if !named {
			what, seconds = "task", what
		}
		if n, err := strconv.Atoi(seconds); err == nil && strings.EqualFold(strings.TrimSpace(what), "task") {
			return time.Duration(max(0, n)) * time.Second
		}
	}
	return 0
}
