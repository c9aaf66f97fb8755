package slurm

import (
	"strings"
	"testing"

	"wf/executor/cluster"
)

func TestMachinesOfAList(t *testing.T) {
	for _, c := range []struct {
		list, machine string
		in            bool
	}{
		{"n1", "n1", true}, {"n1", "n10", false}, {"n10", "n1", false},
		{"n[2-3]", "n1", false}, {"n[2-3]", "n2", true}, {"n[2-3]", "n3", true}, {"n[2-3]", "n4", false}, {"n[2-3]", "n", false}, {"n[2-3]", "n23", false},
		{"login,n[1,4-5],gpu7", "n4", true}, {"login,n[1,4-5],gpu7", "gpu7", true}, {"login,n[1,4-5],gpu7", "n2", false},
		{"c[001-120]", "c020", true}, {"c[001-120]", "c20", false}, {"c[001-120]", "c0020", false}, {"c[1-120]", "c20", true}, {"c[1-120]", "c020", false},
		{"r[1-2]n[01-16]", "r2n16", true}, {"r[1-2]n[01-16]", "r3n01", false}, {"r[1-2]n[01-16]-ib", "r1n01-ib", true}, {"r[1-2]n[01-16]-ib", "r1n01", false},
		{"n[1-", "n7", true}, {"n]1[", "n7", true}, {"n[1-2],m[", "x", true}, // not understood
	} {
		if in := includes(c.list, c.machine); in != c.in {
			t.Errorf("%s in %s: %t", c.machine, c.list, in)
		}
	}
}

// Only an allocation that runs tells with its machines that one has failed.
func TestMachineThatLeftAnAllocation(t *testing.T) {
	for _, c := range []struct {
		text, hosts string
		left        bool
	}{{"RUNNING", "n[2-3]", true}, {"RUNNING", "n[1-3]", false}, {"RUNNING", "", false}, {"COMPLETING", "n3", false}, {"SUSPENDED", "n3", false}} {
		if left := (Slurm{}).Left(cluster.State{Text: c.text, Host: c.hosts}, "n1"); left != c.left {
			t.Errorf("%s on %q: %t", c.text, c.hosts, left)
		}
	}
}

func FuzzMachinesOfAList(f *testing.F) {
	f.Add("r[1-2]n[01-16],login", "r2n16")
	f.Add("n[1-", "n7")
	f.Fuzz(func(t *testing.T, list, machine string) {
		includes(list, machine) // panics if it fails
		if machine != "" && !strings.ContainsAny(machine, ",[]") && !includes(machine, machine) {
			t.Errorf("%q is not in the list of itself", machine)
		}
	})
}
