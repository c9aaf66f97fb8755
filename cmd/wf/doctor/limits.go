package doctor

import (
	"path/filepath"

	"golang.org/x/sys/unix"
)

// A run of some hundred nodes needs roughly this: a few descriptors and processes per node.
const (
	fewFiles     = 1024
	fewProcesses = 512
)

// checkLimits compares the limits of processes with the needs of a run. The limit of files is that of wf, which Go
// has raised as far as allowed.
func (d *doctor) checkLimits() {
	low := false
	for _, limit := range []struct {
		which int
		few   uint64
		what  string
		fix   string
	}{
		{unix.RLIMIT_NOFILE, fewFiles, "open files", "ulimit -n 4096, or limits.conf"},
		{unix.RLIMIT_NPROC, fewProcesses, "processes", "ulimit -u 4096, or limits.conf"},
	} {
		if most, err := d.m.limit(limit.which); err == nil && most < limit.few {
			low = true
			d.problem("limits", limit.fix+"; then wf server restart", "the limit is %d %s", most, limit.what)
		}
	}
	if !low {
		d.ok("limits", "files and processes")
	}
}

// checkLocale checks whether the terminal can show the signs of wf.
func (d *doctor) checkLocale() {
	if !d.c.ASCII && d.c.WantASCII() {
		d.note("locale", "export LANG=C.UTF-8, or ascii = true in the configuration", "the locale is not UTF-8: signs are shown in ASCII")
		return
	}
	d.ok("locale", "UTF-8")
}

// checkPrograms checks the programs that wf executes.
func (d *doctor) checkPrograms() {
	if _, err := d.m.lookPath("/bin/sh"); err != nil {
		d.problem("programs", "", "there is no /bin/sh: commands cannot be executed")
	}
	if d.m.self == "" {
		return
	}
	self, err := filepath.EvalSymlinks(d.m.self)
	if err != nil {
		self = d.m.self // replaced while it runs
	}
	found, err := d.m.lookPath("wf")
	if err != nil {
		d.note("programs", "put "+self+" on the PATH", "wf is not on the PATH: nodes and completion cannot call it")
		return
	}
	if real, err := filepath.EvalSymlinks(found); err == nil && real != self {
		d.note("programs", "put the right one first on the PATH", "this is %s, but wf on the PATH is %s", self, real)
		return
	}
	d.ok("programs", "%s", self)
}
