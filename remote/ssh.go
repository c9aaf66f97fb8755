package remote

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	mostNoise   = 1 << 20 // bytes that a login may print before the greeting
	mostLines   = 5       // of what ssh printed, in errors
	mostPrinted = 8 << 10

	closeTime = time.Second // for ssh to end by itself
)

// farScript starts the far end. wf is also looked for where users without root install programs.
const farScript = `command -v wf >/dev/null || PATH=$PATH:$HOME/.local/bin:$HOME/bin; exec wf server dial-stdio`

// LoginScript returns a script of sh that executes another one in the environment of a login there: by the login shell of the
// user; csh has no such option together with a command. Both are one line without single quotes and exclamation marks, so that
// every shell passes them on unchanged.
func LoginScript(script string) string {
	quoted := strings.NewReplacer(`\`, `\\`, `$`, `\$`, `"`, `\"`, "`", "\\`").Replace(script)
	return `WF_FAR="unset WF_FAR; ` + quoted + `"; export WF_FAR; ` +
		`case "$SHELL" in */bash|*/zsh|*/fish|*/dash|*/ksh|*/sh) exec "$SHELL" -l -c "exec sh -c \"\$WF_FAR\"";; esac; exec sh -c "$WF_FAR"`
}

// SSHArgs returns the arguments of ssh that execute a command of the shell on the machine. The configuration of the user decides about everything but forwarded ports, which a
// second connection cannot listen on, and about terminals and commands. An existing master connection is used.
func (d Destination) SSHArgs(command string) []string {
	args := []string{"-T"}
	for _, option := range []string{"ClearAllForwardings=yes", "ControlMaster=no", "ConnectTimeout=20", "PermitLocalCommand=no", "RemoteCommand=none"} {
		args = append(args, "-o", option)
	}
	if d.Port != 0 {
		args = append(args, "-p", strconv.Itoa(d.Port))
	}
	if d.User != "" {
		args = append(args, "-l", d.User)
	}
	return append(args, "--", d.Host, command)
}

// An sshProcess is a carrier of a link: the standard input and output of ssh.
type sshProcess struct {
	out     io.ReadCloser
	in      io.WriteCloser
	cmd     *exec.Cmd
	once    sync.Once
	ended   chan struct{} // closed when the process is gone
	printed lastLines
}

// startSSH starts ssh. Without a user who can be asked, ssh tries a password only once: machines lock users out who fail often.
func startSSH(program string, d Destination, env []string, user bool) (*sshProcess, error) {
	args := d.SSHArgs("exec sh -c '" + LoginScript(farScript) + "'")
	if !user {
		args = append([]string{"-o", "NumberOfPasswordPrompts=1"}, args...)
	}
	p := &sshProcess{cmd: exec.Command(program, args...), ended: make(chan struct{})}
	p.cmd.Env, p.cmd.Dir = env, "/"
	p.cmd.Stderr = &p.printed
	p.cmd.WaitDelay = time.Second // a ProxyCommand may keep the streams open
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.out = in, out
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *sshProcess) Write(b []byte) (int, error) { return p.in.Write(b) }

func (p *sshProcess) Read(b []byte) (int, error) { return p.out.Read(b) }

// Close ends the process, which gets a moment to send what was written. It does not wait for its end.
func (p *sshProcess) Close() error {
	p.once.Do(func() {
		_ = p.in.Close()
		_ = p.out.Close()
		kill := time.AfterFunc(closeTime, func() { _ = p.cmd.Process.Kill() })
		go func() {
			p.reap()
			kill.Stop()
		}()
	})
	return nil
}

// reap waits for the end of the process. What it has written to its standard output is lost.
func (p *sshProcess) reap() {
	_ = p.cmd.Wait()
	close(p.ended)
}

func (p *sshProcess) wait() { <-p.ended }

// greet sends a hello and reads the welcome.
func greet(p io.ReadWriter, h hello) (in *bufio.Reader, w welcome, err error) {
	if err := writeLine(p, h); err != nil {
		return nil, w, err
	}
	in = bufio.NewReader(p)
	for noise := 0; noise < mostNoise; {
		line, err := in.ReadSlice('\n')
		noise += len(line)
		if text, found := bytes.CutPrefix(line, []byte(greeting)); found && err == nil && json.Unmarshal(text, &w) == nil {
			return in, w, nil
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, w, err
		}
	}
	return nil, w, fmt.Errorf("the login printed more than %d bytes", mostNoise)
}

// failure returns the error for a process that ended without a welcome.
func (p *sshProcess) failure(machine string) *Error {
	p.once.Do(func() { // its output has ended, so it ends by itself
		_ = p.in.Close()
		go p.reap()
	})
	select {
	case <-p.ended:
	case <-time.After(2 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.ended
	}
	e := SSHError(machine, p.printed.String())
	switch p.cmd.ProcessState.ExitCode() {
	case 127:
		e.Kind, e.Lines = NoWf, nil
	case 2: // wf without the command
		if strings.Contains(strings.Join(e.Lines, "\n"), "dial-stdio") {
			e.Kind, e.Lines = OtherWf, nil
		}
	}
	return e
}

// SSHError returns the error for what ssh has printed before it failed.
func SSHError(machine, printed string) *Error {
	p := lastLines{text: []byte(printed)}
	lines := p.lines()
	return &Error{Kind: kindOf(lines), Machine: machine, Lines: lines}
}

// lastLines is a writer that keeps the last mostPrinted bytes.
type lastLines struct {
	mu   sync.Mutex // guards text
	text []byte
}

func (l *lastLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, p...)
	l.text = l.text[max(0, len(l.text)-mostPrinted):]
	return len(p), nil
}

func (l *lastLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text)
}

// lines returns the last lines.
func (l *lastLines) lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var found []string
	for line := range strings.Lines(string(l.text)) {
		if line = strings.TrimSpace(line); line != "" {
			found = append(found, line)
		}
	}
	return found[max(0, len(found)-mostLines):]
}
