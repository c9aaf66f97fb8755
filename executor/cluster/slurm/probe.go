package slurm

import (
	"strconv"
	"strings"

	"wf/executor/cluster"
)

var _ cluster.Prober = Slurm{}

// Probe implements cluster.Prober.
func (Slurm) Probe() string { return "scontrol show config" }

// Probed implements cluster.Prober. The lines are like "MaxArraySize            = 1001".
func (Slurm) Probed(output string) (a cluster.Allowed) {
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
		}
	}
	return a
}
