package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wf/cmd/wf/service"
)

// TestKillsOnLogout checks that the last file with the setting takes precedence, and that comments are ignored.
func TestKillsOnLogout(t *testing.T) {
	root := t.TempDir()
	write := func(path, text string) {
		t.Helper()
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(want bool, why string) {
		t.Helper()
		if got := killsOnLogout(root); got != want {
			t.Errorf("%s: kills on logout: %v", why, got)
		}
	}
	expect(false, "no file")
	write("etc/systemd/logind.conf", "[Login]\n#KillUserProcesses=yes\n")
	expect(false, "a comment")
	write("usr/lib/systemd/logind.conf.d/10-site.conf", "[Login]\nKillUserProcesses=yes\n")
	expect(true, "what the distribution says")
	write("etc/systemd/logind.conf.d/90-own.conf", "[Login]\n  KillUserProcesses=no  \n")
	expect(false, "what the administrator says")
}

// TestDiskOf checks that a local disk is not a network disk, and has free space.
func TestDiskOf(t *testing.T) {
	found, err := diskOf(t.TempDir())
	if err != nil || found.bytes == 0 {
		t.Errorf("%+v, %v", found, err)
	}
	if _, err := diskOf("/nonexistent/folder"); err == nil {
		t.Error("a missing folder has a disk")
	}
	if got := existing("/nonexistent/folder"); got != "/" {
		t.Errorf("the nearest folder above is %q", got)
	}
}

// TestDoctorOfLinux checks the reports of missing kernel features and of processes killed at logout.
func TestDoctorOfLinux(t *testing.T) {
	missing := func() error { return errors.New("function not implemented") }
	systemd := func(p *patient) { p.folder("sys/run/systemd/system"); p.m.uid = 1000 }
	for name, c := range map[string]struct {
		spoil              func(p *patient)
		check, level, want string
	}{
		"well":         {func(*patient) {}, "kernel", levelOK, "pidfd, subreaper"},
		"no pidfd":     {func(p *patient) { p.m.pidfd = missing }, "kernel", levelNote, "the kernel has no pidfd"},
		"no subreaper": {func(p *patient) { p.m.subreaper = missing }, "kernel", levelProblem, "the kernel refuses to make a process a subreaper"},
		"no proc":      {func(p *patient) { p.m.root = p.path("elsewhere") }, "kernel", levelProblem, "/proc is not mounted"},
		"logout":       {systemd, "logout", levelOK, "runs continue"},
		"killer": {func(p *patient) {
			systemd(p)
			p.write("sys/etc/systemd/logind.conf", "[Login]\nKillUserProcesses=yes\n")
		}, "logout", levelProblem, "KillUserProcesses is set"},
		"killer, linger": {func(p *patient) {
			systemd(p)
			p.write("sys/etc/systemd/logind.conf", "[Login]\nKillUserProcesses=yes\n")
			p.write("sys/var/lib/systemd/linger/tester", "")
		}, "logout", levelOK, "linger is enabled"},
		"runtime folder": {func(p *patient) { systemd(p); p.dirs.Runtime = "/run/user/1000/wf" }, "logout", levelNote, "systemd removes /run/user/1000/wf"},
	} {
		p := newPatient(t)
		c.spoil(p)
		p.checkSystem()
		found := false
		for _, f := range p.findings {
			found = found || f.Check == c.check && f.Level == c.level && strings.Contains(f.Message, c.want)
		}
		if !found {
			t.Errorf("%s: no %s of %s with %q in %+v", name, c.level, c.check, c.want, p.findings)
		}
	}
	root := newPatient(t)
	systemd(root)
	root.m.uid = 0
	root.checkSystem()
	for _, f := range root.findings {
		if f.Check == "logout" {
			t.Errorf("systemd does not kill processes of root: %+v", f)
		}
	}
}

// TestService checks the reports about the service of wf server install.
func TestService(t *testing.T) {
	unit := func(program string, p *patient) string {
		return service.Systemd("").Text(service.Daemon{Argv: []string{program}, Env: []string{"WF_RUNTIME_DIR=" + p.dirs.Runtime}})
	}
	const path = ".config/systemd/user/wf.service"
	for name, c := range map[string]struct {
		install     func(p *patient)
		level, want string // "" = no report
	}{
		"none":    {func(*patient) {}, "", ""},
		"foreign": {func(p *patient) { p.write(path, "[Unit]\n") }, levelNote, "was not written by wf"},
		"old":     {func(p *patient) { p.write(path, unit("/old/wf", p)) }, levelProblem, "starts another wf"},
		"other folders": {func(p *patient) {
			p.write(path, unit(p.m.self, p))
			p.dirs.Runtime = p.path("elsewhere")
		}, levelProblem, "for other folders"},
		"no linger": {func(p *patient) {
			p.write(path, unit(p.m.self, p))
			p.folder("sys/run/systemd/system")
		}, levelNote, "ends it at logout"},
		"well": {func(p *patient) { p.write(path, unit(p.m.self, p)) }, levelOK, "systemd starts the daemon"},
	} {
		p := newPatient(t)
		c.install(p)
		p.checkService()
		switch {
		case c.want == "" && len(p.findings) > 0:
			t.Errorf("%s: %+v", name, p.findings)
		case c.want != "" && (len(p.findings) != 1 || p.findings[0].Level != c.level || !strings.Contains(p.findings[0].Message, c.want)):
			t.Errorf("%s: want %s with %q, not %+v", name, c.level, c.want, p.findings)
		}
	}
}
