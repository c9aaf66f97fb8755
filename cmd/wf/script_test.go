package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"wf/executor/executortest/boxtest"
)

// Which scripts show how the command line looks:
//
//	a run on a terminal  run-inline, run-inline-output; where it must not be: run-inline-not, run-surroundings
//	CI, a pipe           mockups, run-ci, run-ci-hostile, run-report
//	failures             mockups, run-fail, run-fail-alike
//	resume               mockups, run-resume, run-resume-changed
//	status               mockups, status
//	runs                 mockups, runs, runs-show
//	plan                 mockups, plan
//	a cycle              run-cycle
//	typos                mockups, help, select, edit
//	leaving, Ctrl-C      run-detach, run-inline, run-interrupt, run-interrupt-ask, run-interrupt-choice
//	the daemon           mockups, server, server-ls, server-restart, version
//	values of commands   kv, kv-run, kv-killed, kv-damaged, kv-disk

// TestScripts runs the scripts in testdata/script against the real program. Each has its own folders for the
// daemon and leaves no process behind.
func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("scripts start daemons")
	}
	if signal.Ignored(syscall.SIGHUP) { // after nohup; programs inherit that, and the scripts send SIGHUP
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
		t.Cleanup(func() { signal.Reset(syscall.SIGHUP) }) // scripts run in parallel, after this function
	}
	bin := buildProgram(t)
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/script",
		RequireUniqueNames: true,
		Setup:              func(se *testscript.Env) error { return setupScript(se, bin) },
		Cmds:               scriptCommands(),
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Geteuid() == 0, nil
			case "smalldisk":
				return smallDisks(), nil
			case "faultydisk":
				return faultyDisks(), nil
			case "nodetector":
				return !raceEnabled, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
	})
}

// buildProgram builds wf once, with the race detector when the test has it, and returns its folder.
func buildProgram(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	args := []string{"build", "-o", filepath.Join(bin, "wf")}
	if raceEnabled {
		args = append(args, "-race")
	}
	if out, err := exec.Command("go", append(args, ".")...).CombinedOutput(); err != nil {
		t.Fatalf("build wf: %v\n%s", err, out)
	}
	return bin
}

// setupScript prepares the environment of a script. The folders of the daemon are not below that of the script,
// because the path of a socket is limited to about a hundred bytes.
func setupScript(se *testscript.Env, bin string) error {
	home, err := os.MkdirTemp("", "wf")
	if err != nil {
		return err
	}
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		return err
	}
	slurm, err := filepath.Abs("../../executor/cluster/testdata/slurm")
	if err != nil {
		return err
	}
	fakeSSH, err := filepath.Abs("testdata/ssh")
	if err != nil {
		return err
	}
	for key, value := range map[string]string{
		"EXAMPLES":       examples,
		"SLURM_PROGRAMS": slurm,                              // of a Slurm for tests; before PATH they replace the real ones
		"FAKE_SLURM":     filepath.Join(se.WorkDir, "slurm"), // its folder, see there

		"FAKESSH":        fakeSSH,
		"PATH":           bin + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME":           se.WorkDir,
		"USER":           "tester",
		"LANG":           "C.UTF-8",
		"WF_RUNTIME_DIR": filepath.Join(home, "run"),
		"WF_STATE_DIR":   filepath.Join(home, "state"),
		"GORACE":         "halt_on_error=1 atexit_sleep_ms=0",
	} {
		se.Setenv(key, value)
	}
	w := &sandbox{home: home, bin: bin, vars: se.Vars, started: map[string]*started{}, endpoints: map[string]*endpoint{}}
	se.Values[sandboxKey{}] = w
	se.Defer(func() {
		if err := w.end(); err != nil {
			se.T().Log(err)
			se.T().FailNow()
		}
	})
	return nil
}

// sandboxKey is the key of the sandbox in the values of a script.
type sandboxKey struct{}

// A sandbox contains what a script has started or created in addition to its files.
type sandbox struct {
	home      string // folder of the daemon's folders
	bin       string
	vars      []string
	started   map[string]*started  // by name in the script
	disks     []string             // mount points of its disks
	listing   string               // the result of remember
	endpoints map[string]*endpoint // by the variable of their port
	visitors  map[string]*visitor  // of the web page, by their names in the script
	engine    *boxtest.Engine      // nil = the script has none
}

// end stops the daemon with its runs, and fails if processes are left.
func (w *sandbox) end() error {
	for _, s := range w.started {
		s.kill()
	}
	w.endOtherMachine()
	if err := w.endPages(); err != nil {
		return fmt.Errorf("end the web pages: %w", err)
	}
	stop := exec.Command(filepath.Join(w.bin, "wf"), "server", "stop", "--cancel")
	stop.Env = append(slices.Clone(w.vars), "WF_HOST=local", "WF_DAEMON_HOST=")
	out, err := stop.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("wf server stop --cancel: %w\n%s%s", err, out, w.daemonLog())
	}
	if w.engine != nil {
		if left := w.engine.Close(); err == nil && len(left) > 0 {
			err = fmt.Errorf("boxes left behind: %q", left)
		}
	}
	if left := w.leftovers(); err == nil && len(left) > 0 {
		err = fmt.Errorf("processes left behind:\n%s", left)
	}
	if err == nil {
		err = w.dataRaces()
	}
	return errors.Join(err, errors.Join(w.unmount(), os.RemoveAll(w.home)))
}
