package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"wf/cmd/wf/console"
	"wf/cmd/wf/console/consoletest"
)

// cmdTTY runs a program in the background on a new terminal, as its session leader: "tty r 80x24 wf run". Its output on the
// terminal is in NAME.tty.
func cmdTTY(ts *testscript.TestScript, neg bool, args []string) {
	w := sandboxOf(ts, neg, args, 3, 1000, "tty NAME WIDTHxHEIGHT program [args...]")
	size, err := winsize(args[1])
	ts.Check(err)
	program := args[2]
	if program == "wf" {
		program = w.bin + "/wf"
	}
	cmd := exec.Command(program, args[3:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, key := range []string{"TERM", "CI", "NO_COLOR", "FORCE_COLOR", "LANG", "PATH", "HOME", "USER", "COLUMNS", "WORK",
		"WF_RUNTIME_DIR", "WF_STATE_DIR", "GORACE", "GITHUB_ACTIONS", "GITLAB_CI", "BUILDKITE"} {
		if value := ts.Getenv(key); value != "" {
			cmd.Env = append(cmd.Env, key+"="+value)
		}
	}
	out, err := os.Create(ts.MkAbs(args[0] + ".tty"))
	ts.Check(err)
	master, err := pty.StartWithSize(cmd, size)
	ts.Check(err)
	s := &started{cmd: cmd, done: make(chan struct{}), tty: master, emulator: newEmulator(int(size.Cols), int(size.Rows))}
	copied := make(chan struct{})
	go func() {
		io.Copy(io.MultiWriter(out, s.emulator), master) // ends with EIO when the last process has closed the terminal
		out.Close()
		close(copied)
	}()
	go func() {
		s.err = cmd.Wait()
		<-copied
		close(s.done)
	}()
	w.started[args[0]] = s
	ts.Defer(func() { master.Close() })
}

func winsize(text string) (*pty.Winsize, error) {
	size := &pty.Winsize{}
	_, err := fmt.Sscanf(text, "%dx%d", &size.Cols, &size.Rows)
	return size, err
}

// cmdPress presses keys on the terminal of a program: "press r d", "press r \x03".
func cmdPress(ts *testscript.TestScript, neg bool, args []string) {
	w := sandboxOf(ts, neg, args, 2, 2, "press NAME KEYS")
	keys, err := strconv.Unquote(`"` + args[1] + `"`)
	ts.Check(err)
	_, err = w.started[args[0]].tty.WriteString(keys)
	ts.Check(err)
}

// cmdResize changes the size of the terminal of a program: "resize r 50x20".
func cmdResize(ts *testscript.TestScript, neg bool, args []string) {
	w := sandboxOf(ts, neg, args, 2, 2, "resize NAME WIDTHxHEIGHT")
	size, err := winsize(args[1])
	ts.Check(err)
	s := w.started[args[0]]
	s.emulator.resize(int(size.Cols), int(size.Rows))
	ts.Check(pty.Setsize(s.tty, size))
}

// cmdScreen writes the screen of a terminal after all output of a program, from the first line on: "screen r 80x24
// r.screen". The cursor must be visible and the modes of the terminal restored.
func cmdScreen(ts *testscript.TestScript, neg bool, args []string) {
	w := sandboxOf(ts, neg, args, 3, 3, "screen NAME WIDTHxHEIGHT FILE")
	size, err := winsize(args[1])
	ts.Check(err)
	s := consoletest.NewScreen(int(size.Cols), int(size.Rows))
	s.Write([]byte(strings.ReplaceAll(ts.ReadFile(args[0]+".tty"), "\r\n", "\n")))
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(s.Text()), 0o600))
	if s.Hidden || s.NoWrap {
		ts.Fatalf("the terminal is left with a hidden cursor (%v), without wrapping (%v)", s.Hidden, s.NoWrap)
	}
	checkModes(ts, w.started[args[0]].tty)
}

// checkModes fails if the kernel's modes of a terminal are not restored.
func checkModes(ts *testscript.TestScript, tty *os.File) {
	modes, err := unix.IoctlGetTermios(int(tty.Fd()), console.GetTermios)
	ts.Check(err)
	if want := uint64(unix.ECHO | unix.ICANON | unix.ISIG); uint64(modes.Lflag)&want != want {
		ts.Fatalf("the terminal is left with the modes %x", modes.Lflag)
	}
}
