package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/term"

	"wf/client"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/settings"
	"wf/remote"
	"wf/tui/plain"
	"wf/tui/words"
)

// A machine is one on which commands are executed instead of here.
type machine struct {
	remote.Destination
	name string // as given: a name or an address
	flag bool   // given with --host
	e    *env   // of the command
}

// localCommands are executed here, whatever machine is selected.
var localCommands = []string{"host", "completion", "man", helpName}

// hostFlagName is the flag that selects a machine.
const hostFlagName = "--host"

// machineOf returns the machine that args, the environment or the configuration select, and args without the flag. It
// returns nil for this machine.
func machineOf(e *env, args []string) (*machine, []string, error) {
	value, where, rest := hostFlag(args)
	words := commandWords(rest)
	if e.Remote || slices.Contains(rest, "--all-hosts") || isCompletion(args) || slices.Contains(localCommands, first(words)) || isInternal(words) {
		return nil, rest, nil
	}
	hosts, err := settings.ReadHosts(&e.Console)
	if err == nil && where == "" && e.Caller() == nil { // a command of a run belongs to the daemon of that run
		value, where, err = settings.HostOf(&e.Console, hosts)
	}
	if err != nil {
		return nil, rest, err
	}
	if value == "" || value == settings.LocalHost {
		return nil, rest, nil
	}
	d, err := hosts.Resolve(value, where)
	if err != nil {
		return nil, rest, err
	}
	return &machine{d, value, where == hostFlagName, e}, rest, nil
}

// isInternal reports whether the words of a command line are a command that wf itself calls.
func isInternal(words []string) bool {
	return len(words) > 1 && words[0] == "server" && slices.Contains([]string{farCommand, holdCommand}, words[1])
}

// commandWords returns the arguments before the first flag.
func commandWords(args []string) []string {
	if i := slices.IndexFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "-") }); i >= 0 {
		return args[:i]
	}
	return args
}

// hostFlag takes --host out of the arguments of a command. It stays there if it is the flag of wf server start, whose value is
// the address of the HTTP server. where is empty if there is no such flag.
func hostFlag(args []string) (value, where string, rest []string) {
	words := commandWords(args)
	starts := len(words) > 1 && (words[0] == "server" || words[0] == "daemon") && (words[1] == "start" || words[1] == "restart")
	for i := 0; i < len(args); i++ {
		text, joined := strings.CutPrefix(args[i], hostFlagName+"=")
		separate := args[i] == hostFlagName && i+1 < len(args)
		if separate {
			text = args[i+1]
		}
		switch {
		case args[i] == "--":
			return value, where, append(rest, args[i:]...)
		case !joined && !separate || starts && isAddress(text):
			rest = append(rest, args[i])
			continue
		}
		value, where = text, hostFlagName
		if separate {
			i++
		}
	}
	return value, where, rest
}

// isAddress reports whether the --host of wf server start is the address of the HTTP server, valid or not.
func isAddress(text string) bool {
	_, err := netip.ParseAddr(text)
	return err == nil || text == "localhost" || text == ""
}

// elsewhere executes a command on another machine if one is selected. Otherwise it returns the arguments for this machine.
func elsewhere(e *env, args []string) (rest []string, done bool, err error) {
	m, rest, err := machineOf(e, args)
	if err != nil || m == nil {
		return rest, err != nil, err
	}
	if usesWeb(rest) {
		e.far = m
		return rest, false, nil
	}
	ctx := context.Background()
	if file, ok := tuiArgs(rest); ok && e.tuiImpossible() == "" {
		return nil, true, m.showTUI(ctx, file)
	}
	return nil, true, m.run(ctx, rest)
}

// run executes a command on another machine, with the streams of this process.
func (m *machine) run(ctx context.Context, args []string) error {
	e := m.e
	t, req := streams(e)
	req.Args, req.Dir = args, m.Dir
	if m.flag {
		req.Env = append(req.Env, remote.NameVariable+"="+m.name)
	}
	status, err := m.ask(ctx, req, t)
	if err != nil {
		return err
	}
	return exit.With(status)
}

// ask executes a command on another machine.
func (m *machine) ask(ctx context.Context, req remote.Request, t remote.Terminal) (int, error) {
	opt, err := m.options()
	if err != nil {
		return 0, err
	}
	status, err := remote.RunCommand(ctx, opt, req, t)
	return status, m.explain(err)
}

// explain returns the failure for an error of package remote.
func (m *machine) explain(err error) error {
	var e *remote.Error
	switch {
	case errors.Is(err, remote.ErrLeft):
		return &exit.Failure{Status: exit.Interrupted, What: m.name + " does not answer",
			Why: "its runs continue; if the connection comes back, your Ctrl-C still arrives there", Fix: "wf --host " + words.Quote(m.name) + " status"}
	case !errors.As(err, &e):
		return err
	}
	f := &exit.Failure{Status: exit.Daemon, What: e.Error(), Why: strings.Join(e.Lines, "\n")}
	if e.Question != "" {
		f.Why += "\nssh asks " + strconv.Quote(lastLine(e.Question)) + ", and there is no terminal to answer on"
	}
	switch e.Kind {
	case remote.NoWf:
		f.Why = "wf is neither in the PATH of a login there nor in ~/.local/bin or ~/bin"
		f.Fix = "wf host install " + words.Quote(m.name)
	case remote.OtherWf:
		f.Why = "here it is " + version()
		if e.Version != "" {
			f.Why = "it is " + e.Version + " there, and " + version() + " here"
		}
		f.Fix = "wf host install " + words.Quote(m.name)
	case remote.Lost:
		f.What += "; runs continue there"
		f.Fix = "wf --host " + words.Quote(m.name) + " attach, or status"
	case remote.NoName:
		f.Fix = "check the name; wf host ls lists the machines that have names here"
	case remote.NoAnswer:
		f.Fix = "check the network; try it: " + m.sshCommand()
	case remote.NoServer:
		f.Fix = "give the port if it is not 22: ssh://machine:PORT; try it: " + m.sshCommand()
	case remote.NoLogin:
		f.Fix = "try it: " + m.sshCommand() + "; ssh-copy-id copies your key there"
	case remote.UnknownKey:
		f.Fix = "confirm it in a terminal: " + m.sshCommand()
	case remote.ChangedKey:
		f.Fix = "ask who runs the machine; if the new key is right, remove the old one with ssh-keygen -R, and try it: " + m.sshCommand()
	case remote.NoConnection:
		f.Fix = "try it: " + m.sshCommand()
	}
	return f
}

// lastLine returns the last line of text that is not empty.
func lastLine(text string) string {
	return lastMatch(text, func(line string) bool { return line != "" })
}

// sshCommand returns the command that logs in to the machine.
func (m *machine) sshCommand() string {
	text := "ssh"
	if m.Port != 0 {
		text += fmt.Sprintf(" -p %d", m.Port)
	}
	if m.User != "" {
		text += " -l " + words.Quote(m.User)
	}
	return text + " " + words.Quote(m.Host)
}

// options returns how this process reaches another machine.
func (m *machine) options() (remote.Options, error) {
	e := m.e
	dirs, err := e.folders()
	if err != nil {
		return remote.Options{}, err
	}
	program, err := os.Executable()
	if err != nil {
		return remote.Options{}, fmt.Errorf("find the program of the keeper: %w", err)
	}
	opt := remote.Options{Destination: m.Destination, Runtime: dirs.Runtime, Version: version(),
		Start: client.Detached([]string{program, "host", keepCommand, m.Machine()}, e.Environ, filepath.Join(dirs.State, "hosts.log")),
		Note:  func(text string) { fmt.Fprintf(e.Stderr, "note: %s\n", plain.Line(text)) },
	}
	if e.ErrTTY {
		opt.Ask = askOnTerminal
	}
	return opt, nil
}

// askOnTerminal asks the user a question of ssh.
func askOnTerminal(prompt string, secret bool) (string, error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return "", err
	}
	defer tty.Close()
	if !secret {
		fmt.Fprint(tty, plain.Text(prompt))
		return readLine(tty)
	}
	left := make(chan os.Signal, 1)
	signal.Notify(left, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer signal.Stop(left)
	restore, err := console.HideTyping(tty)
	if err != nil {
		return "", err
	}
	answered := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() {
		select {
		case <-answered:
		case s := <-left: // the shell must get back a terminal that shows what is typed
			restore()
			fmt.Fprintln(tty)
			os.Exit(128 + int(s.(syscall.Signal)))
		}
	})
	fmt.Fprint(tty, plain.Text(prompt))
	text, err := term.ReadPassword(int(tty.Fd()))
	close(answered)
	watcher.Wait()
	restore()
	fmt.Fprintln(tty)
	return string(text), err
}

// terminalVars are the variables that describe the terminal: the only ones that the other machine gets from here.
var terminalVars = []string{"TERM", "COLORTERM", "NO_COLOR"}

// streams returns what a command on another machine uses here, and a request that describes it.
func streams(e *env) (remote.Terminal, remote.Request) {
	t := remote.Terminal{Stdin: e.Stdin, Stdout: e.Stdout, Stderr: e.Stderr, Size: func() (rows, columns uint16) { return terminalSize(e) }, Stop: console.StopSelf}
	req := remote.Request{In: remote.StreamPipe, Out: streamKind(e.Stdout), Err: streamKind(e.Stderr)}
	for _, key := range terminalVars {
		if value := e.Get(key); value != "" {
			req.Env = append(req.Env, key+"="+value)
		}
	}
	for _, out := range []any{e.Stderr, e.Stdout} {
		f, ok := out.(*os.File)
		if !ok {
			continue
		}
		keys := console.NewTerminal(e.Stdin, f)
		switch {
		case keys == nil:
			continue
		case !keys.Foreground(): // it must not draw on the terminal of another program
			req.Out, req.Err = withoutTerminal(req.Out), withoutTerminal(req.Err)
			continue
		case keys.In == nil:
			continue
		}
		req.In = remote.StreamTTY
		t.Raw = func() (func(), error) {
			fd := int(keys.In.Fd())
			saved, err := term.MakeRaw(fd)
			if err != nil {
				return nil, err
			}
			return func() { _ = term.Restore(fd, saved) }, nil
		}
		break
	}
	return t, req
}

// withoutTerminal returns what a stream to the terminal is to a command in the background.
func withoutTerminal(kind string) string {
	if kind == remote.StreamTTY {
		return remote.StreamFile
	}
	return kind
}

// streamKind returns what a stream is to the command on the other machine.
func streamKind(stream any) string {
	f, ok := stream.(*os.File)
	if !ok {
		return remote.StreamFile
	}
	if term.IsTerminal(int(f.Fd())) {
		return remote.StreamTTY
	}
	if info, err := f.Stat(); err == nil && info.Mode()&os.ModeNamedPipe != 0 {
		return remote.StreamPipe
	}
	return remote.StreamFile
}

// terminalSize returns the size of the terminal, zeros if no stream is one.
func terminalSize(e *env) (rows, columns uint16) {
	for _, out := range []any{e.Stderr, e.Stdout} {
		if f, ok := out.(*os.File); ok {
			if width, height, err := term.GetSize(int(f.Fd())); err == nil {
				return uint16(height), uint16(width)
			}
		}
	}
	return 0, 0
}
