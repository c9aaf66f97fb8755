package slurm

import (
	"testing"
	"time"

	"wf/executor/cluster"
)

// The lines are what scontrol 22.05 prints.
func TestProbed(t *testing.T) {
	for text, want := range map[string]cluster.Allowed{
		"Configuration data as of 2026-11-23T09:00:00\nAccountingStorageBackupHost = (null)\nAccountingStorageType   = accounting_storage/slurmdbd\nMaxArraySize            = 1001\nMaxJobCount             = 10000\n": {ArraySize: 1001, Accounting: true},
		"AccountingStorageType   = accounting_storage/none\nMaxArraySize            = 0\n": {ArraySize: 1},
		"": {},
		"AccountingStorageType   = accounting_storage/slurmdbd\nJobAcctGatherFrequency  = 30\nJobAcctGatherType       = jobacct_gather/cgroup\n":              {Accounting: true, Sampling: 30 * time.Second},
		"AccountingStorageType   = accounting_storage/slurmdbd\nJobAcctGatherFrequency  = energy=5,task=15\nJobAcctGatherType       = jobacct_gather/linux\n": {Accounting: true, Sampling: 15 * time.Second},
		"AccountingStorageType   = accounting_storage/slurmdbd\nJobAcctGatherFrequency  = 30\nJobAcctGatherType       = jobacct_gather/none\n":                {Accounting: true},
		"AccountingStorageType   = accounting_storage/none\nJobAcctGatherFrequency  = 30\nJobAcctGatherType       = jobacct_gather/linux\n":                   {},
	} {
		if got := (Slurm{}).Probed(text); got != want {
			t.Errorf("%q: %+v, not %+v", text, got, want)
		}
	}
}
