package main

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"

	"wf/api"
)

// readRegistry returns the registry of a daemon.
func readRegistry(ts *testscript.TestScript, path string) api.Registry {
	var reg api.Registry
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(path)), &reg))
	return reg
}

// cmdGone waits until the daemon has ended by itself and no process of the script is left.
func cmdGone(ts *testscript.TestScript, neg bool, args []string) {
	w := sandboxOf(ts, neg, args, 0, 0, "gone")
	if !await(func() bool {
		_, err := os.Stat(filepath.Join(w.home, "run", api.FileRegistry))
		return os.IsNotExist(err)
	}) {
		ts.Fatalf("the daemon is still there\n%s", w.daemonLog())
	}
}

// cmdKillDaemon kills the daemon that a registry names, as a crash would: "kill9 daemon.json".
func cmdKillDaemon(ts *testscript.TestScript, neg bool, args []string) {
	sandboxOf(ts, neg, args, 1, 1, "kill9 REGISTRY")
	ts.Check(syscall.Kill(readRegistry(ts, args[0]).PID, syscall.SIGKILL))
}

// cmdTermDaemon asks the daemon that a registry names to end, as systemd does: "term daemon.json".
func cmdTermDaemon(ts *testscript.TestScript, neg bool, args []string) {
	sandboxOf(ts, neg, args, 1, 1, "term REGISTRY")
	ts.Check(syscall.Kill(readRegistry(ts, args[0]).PID, syscall.SIGTERM))
}

// cmdForge writes a registry with the pid of a program of the script.
func cmdForge(ts *testscript.TestScript, neg bool, args []string) {
	w := sandboxOf(ts, neg, args, 3, 3, "forge REGISTRY NAME TO")
	reg := readRegistry(ts, args[0])
	reg.PID = w.started[args[1]].cmd.Process.Pid
	data, err := json.Marshal(reg)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), data, 0o600))
}

// cmdTakePort listens on a free port until the script ends and puts its number into a variable.
func cmdTakePort(ts *testscript.TestScript, neg bool, args []string) {
	sandboxOf(ts, neg, args, 1, 1, "takeport VARIABLE")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { l.Close() })
	ts.Setenv(args[0], strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
}

// cmdHidden fails if the arguments or the environment of the daemon or its runners contain a text: "hidden SECRET". There
// must be a daemon and a runner.
func cmdHidden(ts *testscript.TestScript, neg bool, args []string) {
	w := sandboxOf(ts, neg, args, 1, 1, "hidden SECRET")
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		return // not possible on this system
	}
	looked := 0
	for _, pid := range w.processes() {
		folder := filepath.Join("/proc", strconv.Itoa(pid))
		if program, err := os.Readlink(filepath.Join(folder, "exe")); err != nil || program != filepath.Join(w.bin, "wf") {
			continue // a command, which may contain the text
		}
		looked++
		for _, file := range []string{"cmdline", "environ"} {
			data, err := os.ReadFile(filepath.Join(folder, file))
			ts.Check(err)
			if bytes.Contains(data, []byte(args[0])) {
				ts.Fatalf("%s/%s contains it:\n%s", folder, file, bytes.ReplaceAll(data, []byte{0}, []byte{'\n'}))
			}
		}
	}
	if looked < 2 {
		ts.Fatalf("%d processes of wf: no daemon or no runner", looked)
	}
}
