package main

import (
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptCommands returns the commands of scripts in addition to those of testscript.
func scriptCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"workfile":   cmdWorkfile,
		"status":     cmdStatus,
		"start":      cmdStart,
		"signal":     cmdSignal,
		"finish":     cmdFinish,
		"waitfor":    cmdWaitfor,
		"mkfifo":     cmdMkfifo,
		"feed":       cmdFeed,
		"dead":       cmdDead,
		"same":       cmdSame,
		"becomes":    cmdBecomes,
		"gone":       cmdGone,
		"hidden":     cmdHidden,
		"hides":      cmdHides,
		"conceals":   cmdConceals,
		"everyroute": cmdEveryRoute,
		"kill9":      cmdKillDaemon,
		"term":       cmdTermDaemon,
		"forge":      cmdForge,
		"valid":      cmdValid,
		"takeport":   cmdTakePort,
		"collector":  cmdCollector,
		"deliver":    cmdDeliver,
		"deliveries": cmdDeliveries,
		"remember":   cmdRemember,
		"untouched":  cmdUntouched,

		"page":        cmdPage,
		"engine":      cmdEngine,
		"boxes":       cmdBoxes,
		"receive":     cmdReceive,
		"receivemail": cmdReceiveMail,
		"waitfor-ls":  cmdWaitforNotifications,

		"smalldisk":  cmdSmallDisk,
		"fill":       cmdFill,
		"faultydisk": cmdFaultyDisk,
		"fault":      cmdFault,
		"readonly":   cmdReadOnly,
		"tty":        cmdTTY,
		"press":      cmdPress,
		"resize":     cmdResize,
		"screen":     cmdScreen,
		"see":        cmdSee,
		"restored":   cmdRestored,
		"storm":      cmdStorm,
		"paste":      cmdPaste,
		"hostile":    cmdHostile,
		"obeys":      cmdObeys,
		"sabotage":   cmdSabotage,
	}
}

// sandboxOf returns the sandbox of a script. It fails if the command has ! or not between least and most arguments.
func sandboxOf(ts *testscript.TestScript, neg bool, args []string, least, most int, usage string) *sandbox {
	if neg || len(args) < least || len(args) > most {
		ts.Fatalf("usage: %s", usage)
	}
	return ts.Value(sandboxKey{}).(*sandbox)
}

// cmdStatus runs a program that must end with a status: "status 2 wf rnu".
func cmdStatus(ts *testscript.TestScript, neg bool, args []string) {
	sandboxOf(ts, neg, args, 2, 1000, "status N program [args...]")
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	if got := statusOf(err); got != want {
		ts.Fatalf("%s: exit status %d, want %d (%v)", strings.Join(args[1:], " "), got, want, err)
	}
}

// statusOf returns the exit status in the error of a command, or -1 for other errors.
func statusOf(err error) int {
	var exited *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exited):
		return exited.ExitCode()
	}
	return -1
}

// started is a program in the background of a script.
type started struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when err is set
	err  error
	tty  *os.File // the other end of the terminal of a program that tty started

	emulator *emulator // the screen of that terminal
}

func (s *started) kill() {
	s.cmd.Process.Kill()
	<-s.done
}

// cmdStart runs a program in the background, its output in NAME.out and NAME.err: "start r wf run".
func cmdStart(ts *testscript.TestScript, neg bool, args []string) {
	w := sandboxOf(ts, neg, args, 2, 1000, "start NAME program [args...]")
	out, err := os.Create(ts.MkAbs(args[0] + ".out"))
	ts.Check(err)
	defer out.Close()
	errOut, err := os.Create(ts.MkAbs(args[0] + ".err"))
	ts.Check(err)
	defer errOut.Close()
	program := args[1]
	if program == "wf" {
		program = w.bin + "/wf"
	}
	cmd := exec.Command(program, args[2:]...)
	cmd.Dir, cmd.Env = ts.MkAbs("."), w.vars
	cmd.Stdout, cmd.Stderr = out, errOut
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	ts.Check(cmd.Start())
	s := &started{cmd: cmd, done: make(chan struct{})}
	go func() {
		s.err = cmd.Wait()
		close(s.done)
	}()
	w.started[args[0]] = s
}

// cmdSignal sends a signal to a program that start started: "signal r INT".
func cmdSignal(ts *testscript.TestScript, neg bool, args []string) {
	w := sandboxOf(ts, neg, args, 2, 2, "signal NAME INT|TERM|HUP|KILL")
	signals := map[string]syscall.Signal{"INT": syscall.SIGINT, "QUIT": syscall.SIGQUIT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "KILL": syscall.SIGKILL}
	sig, ok := signals[args[1]]
	if !ok || w.started[args[0]] == nil {
		ts.Fatalf("no signal %s or no program %s", args[1], args[0])
	}
	ts.Check(w.started[args[0]].cmd.Process.Signal(sig))
}

// cmdFinish waits for the end of a program that start started, and checks its status: "finish r 130".
func cmdFinish(ts *testscript.TestScript, neg bool, args []string) {
	w := sandboxOf(ts, neg, args, 2, 2, "finish NAME STATUS")
	s := w.started[args[0]]
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	select {
	case <-s.done:
	case <-time.After(patience):
		s.kill()
		ts.Fatalf("%s does not end; its output:\n%s", args[0], s.messages(ts, args[0]))
	}
	if got := statusOf(s.err); got != want {
		ts.Fatalf("%s: exit status %d, want %d; its output:\n%s", args[0], got, want, s.messages(ts, args[0]))
	}
}

// messages returns what the program has printed for people.
func (s *started) messages(ts *testscript.TestScript, name string) string {
	if s.tty != nil {
		return ts.ReadFile(name + ".tty")
	}
	return ts.ReadFile(name + ".err")
}

// cmdWaitfor waits until a file exists and matches a pattern, if there is one: "waitfor r.err 'run 1'".
func cmdWaitfor(ts *testscript.TestScript, neg bool, args []string) {
	w := sandboxOf(ts, neg, args, 1, 2, "waitfor FILE [PATTERN]")
	pattern := regexp.MustCompile("(?m)" + strings.Join(args[1:], ""))
	var data []byte
	if !await(func() bool {
		var err error
		data, err = os.ReadFile(ts.MkAbs(args[0]))
		return err == nil && pattern.Match(data)
	}) {
		ts.Fatalf("no match in time for %q in %s, which contains:\n%s\n%s", pattern, args[0], data, w.daemonLog())
	}
}

// cmdMkfifo makes fifos: a node that reads one runs until feed.
func cmdMkfifo(ts *testscript.TestScript, neg bool, args []string) {
	sandboxOf(ts, neg, args, 1, 100, "mkfifo FILE...")
	for _, name := range args {
		ts.Check(syscall.Mkfifo(ts.MkAbs(name), 0o600))
	}
}

// cmdFeed opens and closes a fifo, so that its reader ends. It waits for a reader.
func cmdFeed(ts *testscript.TestScript, neg bool, args []string) {
	sandboxOf(ts, neg, args, 1, 1, "feed FIFO")
	if !await(func() bool {
		f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			return false // no reader yet
		}
		f.Close()
		return true
	}) {
		ts.Fatalf("%s has no reader", args[0])
	}
}

// cmdDead waits until the process with the pid in a file has ended.
func cmdDead(ts *testscript.TestScript, neg bool, args []string) {
	sandboxOf(ts, neg, args, 1, 1, "dead PIDFILE")
	pid, err := strconv.Atoi(strings.TrimSpace(ts.ReadFile(args[0])))
	ts.Check(err)
	if !await(func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }) {
		ts.Fatalf("process %d of %s is still alive", pid, args[0])
	}
}

// cmdSame compares the lines of a file with words: "same log A B C".
func cmdSame(ts *testscript.TestScript, neg bool, args []string) {
	sandboxOf(ts, neg, args, 1, 1000, "same FILE LINE...")
	got := strings.Split(strings.TrimSuffix(ts.ReadFile(args[0]), "\n"), "\n")
	if strings.Join(got, " ") != strings.Join(args[1:], " ") {
		ts.Fatalf("%s contains %q, want %q", args[0], got, args[1:])
	}
}

// cmdBecomes waits until a file is equal to another, because the workfile is written a moment after a change.
func cmdBecomes(ts *testscript.TestScript, neg bool, args []string) {
	sandboxOf(ts, neg, args, 2, 2, "becomes FILE OTHER")
	if !await(func() bool { return ts.ReadFile(args[0]) == ts.ReadFile(args[1]) }) {
		ts.Fatalf("%s does not become equal to %s; it contains:\n%s", args[0], args[1], ts.ReadFile(args[0]))
	}
}
