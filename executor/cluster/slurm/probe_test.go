package slurm

import (
	"testing"

	"wf/executor/cluster"
)

// The lines are what scontrol 22.05 prints.
func TestProbed(t *testing.T) {
	for text, want := range map[string]cluster.Allowed{
		"Configuration data as of 2026-11-23T09:00:00\nAccountingStorageBackupHost = (null)\nAccountingStorageType   = accounting_storage/slurmdbd\nMaxArraySize            = 1001\nMaxJobCount             = 10000\n": {ArraySize: 1001, Accounting: true},
		"AccountingStorageType   = accounting_storage/none\nMaxArraySize            = 0\n": {ArraySize: 1},
		"": {},
	} {
		if got := (Slurm{}).Probed(text); got != want {
			t.Errorf("%q: %+v, not %+v", text, got, want)
		}
	}
}
