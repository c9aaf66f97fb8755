package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"wf/api"
	"wf/client"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/settings"
	"wf/daemon"
	"wf/workspace/history"
)

// A patient is a doctor on a machine without problems, until a case adds one. Folders and files are real, the rest
// of the machine is simulated.
type patient struct {
	*doctor
	t    *testing.T
	home string
}

func newPatient(t *testing.T) *patient {
	t.Helper()
	home, err := os.MkdirTemp("", "wf") // a short path, for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	p := &patient{t: t, home: home}
	for _, dir := range []string{"run", "state", "sys"} {
		p.folder(dir)
	}
	p.write("sys/proc/self/stat", "")
	p.write("wf", "")
	p.write("Workfile", `<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="l" for="node" attr.name="label" attr.type="string"/>`+
		`<graph edgedefault="directed"><node id="a"><data key="l">true</data></node></graph></graphml>`)
	c := &console.Console{Dir: home, Environ: []string{"HOME=" + home, "LANG=C.UTF-8", "USER=tester", "TMPDIR=" + home,
		"WF_RUNTIME_DIR=" + p.path("run"), "WF_STATE_DIR=" + p.path("state")}}
	none := func() error { return nil }
	p.doctor = &doctor{c: c, workfile: p.path("Workfile"), dirs: settings.FoldersOf(c), m: machine{
		version: "v2", self: p.path("wf"), uid: os.Geteuid(), root: p.path("sys"), patience: 5 * time.Second, now: time.Now,
		diskOf:   func(string) (disk, error) { return disk{bytes: 1 << 40, inodes: 1 << 30, freeInodes: 1 << 20}, nil },
		writable: func(string) bool { return true },
		lookPath: func(program string) (string, error) {
			switch program {
			case "wf":
				return p.path("wf"), nil
			case "sbatch":
				return "", errors.New("not found")
			}
			return program, nil
		},
		limit: func(int) (uint64, error) { return 1 << 20, nil },
		pidfd: none, subreaper: none,
	}}
	p.reach = func(ctx context.Context) (*client.Client, bool, error) {
		c, err := client.Connect(ctx, client.Options{Runtime: p.dirs.Runtime, Version: "v2", NoStart: true, Guard: func(f func()) { f() }})
		if errors.Is(err, client.ErrNoDaemon) {
			return nil, false, nil
		}
		return c, err == nil, err
	}
	return p
}

func (p *patient) path(name string) string { return filepath.Join(p.home, name) }

func (p *patient) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *patient) folder(name string) { p.t.Helper(); p.must(os.MkdirAll(p.path(name), 0o700)) }

func (p *patient) write(name, text string) {
	p.t.Helper()
	p.folder(filepath.Dir(name))
	p.must(os.WriteFile(p.path(name), []byte(text), 0o600))
}

// vary sets a variable of the environment.
func (p *patient) vary(key, value string) { p.c.Environ = append(p.c.Environ, key+"="+value) }

// unwritable makes one path the only one that is not writable.
func (p *patient) unwritable(path string) { p.m.writable = func(at string) bool { return at != path } }

// run records a finished run of the workfile that started at a time, and returns its folder.
func (p *patient) run(at time.Time) string {
	p.t.Helper()
	id, err := daemon.WorkfileID(p.workfile)
	p.must(err)
	store, err := history.Open(history.LocalDisk{}, filepath.Join(p.dirs.State, "workspaces", id))
	p.must(err)
	r, err := store.Create(history.Request{Workfile: p.workfile, Time: at, Mode: "fresh"}, nil)
	p.must(err)
	p.must(r.Finish(history.Result{Result: "succeeded", Ended: at}))
	return store.Dir(1)
}

// listen listens on the socket of the registry.
func (p *patient) listen() {
	p.t.Helper()
	socket := filepath.Join(p.dirs.Runtime, api.FileSocket)
	l, err := net.Listen("unix", socket)
	p.must(err)
	p.t.Cleanup(func() { l.Close() })
	text, err := json.Marshal(api.Registry{PID: os.Getpid(), Socket: socket})
	p.must(err)
	p.write("run/"+api.FileRegistry, string(text))
}

// diagnoses are all problems that doctor can find, each with its cause.
var diagnoses = map[string]struct {
	spoil              func(p *patient)
	check, level, want string
}{
	"configuration":  {func(p *patient) { p.write(".wf.toml", "jobz = 1\n") }, "config", levelProblem, "unknown key 'jobz'"},
	"setting":        {func(p *patient) { p.vary("WF_JOBS", "many") }, "config", levelProblem, "WF_JOBS"},
	"variable":       {func(p *patient) { p.vary("WF_JOSB", "3") }, "variables", levelNote, "WF_JOSB is set"},
	"no home":        {func(p *patient) { p.dirs = settings.Folders{} }, "folders", levelProblem, "HOME is not set"},
	"no place":       {func(p *patient) { p.dirs.State = p.path("no/state"); p.unwritable(p.home) }, "folders", levelProblem, "does not exist, and"},
	"other's folder": {func(p *patient) { p.m.uid++ }, "folders", levelProblem, "belongs to user"},
	"open folder":    {func(p *patient) { p.must(os.Chmod(p.dirs.State, 0o755)) }, "folders", levelProblem, "0755"},
	"locked folder":  {func(p *patient) { p.unwritable(p.dirs.Runtime) }, "folders", levelProblem, "run is not writable"},
	"long path":      {func(p *patient) { p.dirs.Runtime = p.path(strings.Repeat("x", maxSocketPath)) }, "folders", levelNote, "the path of the socket would have"},
	"no disk":        {func(p *patient) { p.disk(disk{}, errors.New("input/output error")) }, "disk", levelProblem, "input/output error"},
	"full disk":      {func(p *patient) { p.disk(disk{bytes: 5 << 20}, nil) }, "disk", levelProblem, "5 MB are left for"},
	"no inodes": {func(p *patient) { p.disk(disk{bytes: 1 << 40, inodes: 9999, freeInodes: 7}, nil) }, "disk", levelProblem,
		"7 files (inodes) are left for"},
	"network disk":  {func(p *patient) { p.disk(disk{kind: "nfs", bytes: 1 << 40}, nil) }, "disk", levelProblem, "network file system (nfs)"},
	"full tmp":      {func(p *patient) { p.disk(disk{bytes: 5 << 20}, nil) }, "tmp", levelNote, "5 MB are left in"},
	"no tmp":        {func(p *patient) { p.disk(disk{}, errors.New("gone")) }, "tmp", levelProblem, "gone"},
	"locked tmp":    {func(p *patient) { p.unwritable(p.home) }, "tmp", levelProblem, "is not writable"},
	"noexec tmp":    {func(p *patient) { p.disk(disk{bytes: 1 << 40, noexec: true}, nil) }, "tmp", levelNote, "noexec"},
	"bad workfile":  {func(p *patient) { p.write("Workfile", "<graphml") }, "workfile", levelProblem, "Workfile"},
	"locked file":   {func(p *patient) { p.unwritable(p.real("Workfile")) }, "workfile", levelProblem, "statuses are kept in the history only"},
	"locked beside": {func(p *patient) { p.unwritable(p.real("")) }, "workfile", levelProblem, "saving creates a new file in it"},
	"future file": {func(p *patient) { p.must(os.Chtimes(p.workfile, time.Time{}, time.Now().Add(time.Hour))) }, "workfile", levelNote,
		"is in the future"},
	"silent daemon": {func(p *patient) { p.m.patience = 50 * time.Millisecond; p.listen() }, "daemon", levelProblem, "does not answer within"},
	"exposed daemon": {func(p *patient) { p.listen(); p.must(os.Chmod(p.path("run/"+api.FileRegistry), 0o644)) }, "daemon", levelProblem,
		api.FileRegistry},
	"stale registry": {func(p *patient) { p.write("run/"+api.FileRegistry, "{}") }, "daemon", levelNote, "ended without cleaning up"},
	"stale socket":   {func(p *patient) { p.write("run/"+api.FileSocket, "") }, "daemon", levelNote, "ended without cleaning up"},
	"orphan runs": {func(p *patient) {
		p.must(history.MarkActive(history.LocalDisk{}, p.dirs.State, strings.Repeat("a", 64), "/data/W"))
	}, "daemon", levelNote, "runs of 1 workfile have no daemon"},
	"damaged run": {func(p *patient) {
		p.must(os.WriteFile(filepath.Join(p.run(time.Now()), "run.json"), []byte("{"), 0o600))
	}, "history", levelProblem, "the history of run 1 is damaged"},
	"changed audit log":   {func(p *patient) { p.write("state/audit.jsonl", "{}\n") }, "audit", levelProblem, "line 1 of"},
	"no default executor": {func(p *patient) { p.vary("WF_EXECUTOR", "hpc") }, "executors", levelProblem, "the setting default-executor is hpc, which"},
	"no slurm":            {func(p *patient) { p.vary("WF_EXECUTOR", "slurm"); p.onlyPrograms("sh", "head") }, "executors", levelProblem, "slurm: sbatch, squeue, scancel not found on this machine"},
	"login with a password": {func(p *patient) {
		p.write("bin/ssh", "#!/bin/sh\necho 'Permission denied (publickey,password).' >&2\nexit 255\n")
		p.cluster("type = 'slurm'\nvia = 'ssh login'\ndir = '/scratch'\n")
	}, "executors", levelProblem, "hpc: ssh login cannot be used: not reached: Permission denied"},
	"silent controller": {func(p *patient) {
		p.write("bin/squeue", "#!/bin/sh\necho 'Unable to contact slurm controller' >&2\nexit 1\n")
		p.cluster("type = 'slurm'\ndir = '~/runs'\n")
	}, "executors", levelProblem, "hpc: the cluster does not answer on this machine: Unable to contact"},
	"locked dir": {func(p *patient) { p.write("file", ""); p.cluster("type = 'slurm'\ndir = '~/file/runs'\n") }, "executors", levelProblem,
		"file is not writable on this machine"},
	"dir that is not shared": {func(p *patient) { p.cluster("type = 'slurm'\n") }, "executors", levelNote, "on a disk of this machine"},
	"clock":                  {func(p *patient) { p.run(time.Now().Add(time.Hour)) }, "clock", levelProblem, "the clock was set back"},
	"few files":              {func(p *patient) { p.limits(unix.RLIMIT_NOFILE, 256) }, "limits", levelProblem, "the limit is 256 open files"},
	"few processes":          {func(p *patient) { p.limits(unix.RLIMIT_NPROC, 100) }, "limits", levelProblem, "the limit is 100 processes"},
	"locale":                 {func(p *patient) { p.vary("LANG", "C") }, "locale", levelNote, "not UTF-8"},
	"no shell":               {func(p *patient) { p.missing("/bin/sh") }, "programs", levelProblem, "no /bin/sh"},
	"not on PATH":            {func(p *patient) { p.missing("wf") }, "programs", levelNote, "wf is not on the PATH"},
	"bad machine":            {func(p *patient) { p.vary("WF_HOST", "nowhere") }, "hosts", levelProblem, "no machine has the name nowhere"},
	"silent machine": {func(p *patient) {
		p.machine(HostState{}, &exit.Failure{What: "ssh://box does not answer", Why: "timed out\nand more"})
	},
		"hosts", levelProblem, "box: ssh://box does not answer: timed out"},
	"old machine":  {func(p *patient) { p.machine(HostState{Version: "v1", Writable: true}, nil) }, "hosts", levelNote, "box: wf is version v1 there, and v2 here"},
	"full machine": {func(p *patient) { p.machine(HostState{Version: "v2", State: "/state"}, nil) }, "hosts", levelProblem, "box: the state folder /state cannot be used"},
	"fence": {func(p *patient) {
		path, err := daemon.FencePath(p.dirs.State, p.workfile)
		p.must(err)
		p.must(os.MkdirAll(filepath.Dir(path), 0o700))
		p.must(os.WriteFile(path, []byte(`{"host":"login2","boot":"another","pid":7}`), 0o600))
	}, "fence", levelNote, "Workfile belongs to a daemon on login2 (pid 7)"},
	"fence of values": {func(p *patient) { p.write("state/"+daemon.FileKVFence, `{"host":"login2","boot":"another","pid":7}`) },
		"fence", levelNote, "the values of wf kv belong to a daemon on login2"},
	"another on PATH": {func(p *patient) {
		p.write("bin/wf", "")
		p.m.lookPath = func(string) (string, error) { return p.path("bin/wf"), nil }
	}, "programs", levelNote, "but wf on the PATH is"},
}

// machine makes a machine with the name box answer.
func (p *patient) machine(s HostState, err error) {
	p.t.Helper()
	p.write(".config/wf/hosts.toml", "[hosts]\nbox = 'ssh://box'\n")
	p.host = func(context.Context, string) (HostState, error) { return s, err }
}

// disk makes every folder lie on the same disk.
func (p *patient) disk(d disk, err error) {
	p.m.diskOf = func(string) (disk, error) { return d, err }
}

// cluster describes an executor hpc, and makes the programs of Slurm that are not there.
func (p *patient) cluster(profile string) {
	p.t.Helper()
	p.write(".config/wf/config.toml", "[executor.hpc]\n"+profile)
	for _, program := range []string{"sbatch", "squeue", "scancel"} {
		if _, err := os.Stat(p.path("bin/" + program)); err != nil {
			p.write("bin/"+program, "#!/bin/sh\n")
		}
	}
	programs, err := filepath.Glob(p.path("bin/*"))
	p.must(err)
	for _, path := range programs {
		p.must(os.Chmod(path, 0o700))
	}
	p.vary("PATH", p.path("bin")+":/usr/bin:/bin")
}

// onlyPrograms removes all other programs from the PATH.
func (p *patient) onlyPrograms(names ...string) {
	p.t.Helper()
	p.folder("bin")
	for _, name := range names {
		path, err := exec.LookPath(name)
		p.must(err)
		p.must(os.Symlink(path, p.path("bin/"+name)))
	}
	p.vary("PATH", p.path("bin"))
}

func (p *patient) limits(which int, most uint64) {
	p.m.limit = func(asked int) (uint64, error) {
		if asked == which {
			return most, nil
		}
		return 1 << 20, nil
	}
}

func (p *patient) missing(program string) {
	look := p.m.lookPath
	p.m.lookPath = func(asked string) (string, error) {
		if asked == program {
			return "", errors.New("not found")
		}
		return look(asked)
	}
}

// real returns a path without symbolic links.
func (p *patient) real(name string) string {
	p.t.Helper()
	path, err := filepath.EvalSymlinks(p.path(name))
	p.must(err)
	return path
}

// TestDoctor checks that each problem is found if, and only if, its cause is present.
func TestDoctor(t *testing.T) {
	well := newPatient(t)
	well.machine(HostState{Version: "v2", State: "/state", Writable: true}, nil)
	well.examine(context.Background())
	for _, f := range well.findings {
		if f.Level != levelOK {
			t.Errorf("doctor finds %+v on a machine without problems", f)
		}
	}
	for name, c := range diagnoses {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			p := newPatient(t)
			c.spoil(p)
			p.examine(context.Background())
			said := fmt.Sprintf("%+v", p.findings)
			for _, f := range p.findings {
				if f.Check == c.check && f.Level == c.level && strings.Contains(f.Message, c.want) {
					return
				}
			}
			t.Errorf("no %s of %s with %q in %s", c.level, c.check, c.want, said)
		})
	}
}
