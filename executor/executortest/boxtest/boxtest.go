// Package boxtest is a stand-in for docker and podman in tests. Its boxes are processes of the test, not of the program that asks
// for them: they go on when that program is killed, as containers do, and end when the engine is asked to kill them. It isolates
// nothing.
package boxtest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// SocketVariable is the variable with the address of the engine. The program of a test must call Client if it is set and the
// program was started under the name of an engine.
const SocketVariable = "WF_TEST_BOXES"

// A message goes from the client to the engine: first a request, then signals.
type message struct {
	Args   []string `json:"args,omitempty"`
	Dir    string   `json:"dir,omitempty"`
	Env    []string `json:"env,omitempty"`
	Signal int      `json:"signal,omitempty"`
}

// A reply goes from the engine to the client: output, and at last an exit status.
type reply struct {
	Out  []byte `json:"out,omitempty"`
	Err  string `json:"err,omitempty"`
	Exit *int   `json:"exit,omitempty"`
}

// IsClient reports whether this process is to call Client.
func IsClient() bool {
	name := filepath.Base(os.Args[0])
	return os.Getenv(SocketVariable) != "" && (name == "docker" || name == "podman")
}

// Client executes the command line of an engine, and returns its exit status.
func Client() int {
	conn, err := net.Dial("unix", os.Getenv(SocketVariable))
	if err != nil {
		fmt.Fprintln(os.Stderr, "cannot connect to the engine:", err)
		return 125
	}
	dir, _ := os.Getwd()
	enc := json.NewEncoder(conn)
	var mu sync.Mutex // guards enc
	if err := enc.Encode(message{Args: os.Args[1:], Dir: dir, Env: os.Environ()}); err != nil {
		return 125
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	go func() {
		for s := range signals {
			mu.Lock()
			_ = enc.Encode(message{Signal: int(s.(syscall.Signal))})
			mu.Unlock()
		}
	}()
	dec := json.NewDecoder(conn)
	for {
		var r reply
		if dec.Decode(&r) != nil {
			fmt.Fprintln(os.Stderr, "the engine is gone")
			return 125
		}
		os.Stdout.Write(r.Out)
		os.Stderr.WriteString(r.Err)
		if r.Exit != nil {
			return *r.Exit
		}
	}
}

// An Engine executes boxes until it is closed.
type Engine struct {
	listener net.Listener
	dir      string

	mu      sync.Mutex // guards the fields below
	boxes   map[string]*box
	changed chan struct{} // closed when a box starts or ends
	images  map[string]bool
	last    int
	all     sync.WaitGroup
}

// A box is a process that executes a command.
type box struct {
	process *os.Process
	ended   chan struct{}
}

// Start starts an engine with the programs docker and podman in the folder dir, which must exist. Images whose names begin with
// "here" need not be pulled, and those that begin with "missing" cannot be. The file "calls" in dir gets a line for each call.
func Start(dir string) (*Engine, error) {
	self, err := os.Executable()
	for _, name := range []string{"docker", "podman"} {
		err = errors.Join(err, os.Symlink(self, filepath.Join(dir, name)))
	}
	if err != nil {
		return nil, err
	}
	e := &Engine{dir: dir, boxes: map[string]*box{}, changed: make(chan struct{}), images: map[string]bool{}}
	if e.listener, err = net.Listen("unix", filepath.Join(dir, "socket")); err != nil {
		return nil, err
	}
	e.all.Add(1)
	go func() {
		defer e.all.Done()
		for {
			conn, err := e.listener.Accept()
			if err != nil {
				return
			}
			e.all.Add(1)
			go func() {
				defer e.all.Done()
				defer conn.Close()
				e.serve(conn)
			}()
		}
	}()
	return e, nil
}

// Variable returns the variable that clients need.
func (e *Engine) Variable() string { return SocketVariable + "=" + filepath.Join(e.dir, "socket") }

// Running returns the ids of the boxes that run.
func (e *Engine) Running() (ids []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for id := range e.boxes {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// Close kills all boxes and waits for the end of the engine. It returns the ids of the boxes that were left.
func (e *Engine) Close() []string {
	left := e.Running()
	e.listener.Close()
	for _, id := range left {
		e.kill(id, syscall.SIGKILL)
	}
	e.all.Wait()
	return left
}

func (e *Engine) kill(id string, sig syscall.Signal) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	box := e.boxes[id]
	return box != nil && syscall.Kill(-box.process.Pid, sig) == nil
}

func (e *Engine) serve(conn net.Conn) {
	dec := json.NewDecoder(bufio.NewReader(conn))
	var m message
	if dec.Decode(&m) != nil || len(m.Args) == 0 {
		return
	}
	c := &call{e: e, m: m, enc: json.NewEncoder(conn), signals: func() int {
		var m message
		if dec.Decode(&m) != nil {
			return 0
		}
		return m.Signal
	}}
	if f, err := os.OpenFile(filepath.Join(e.dir, "calls"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644); err == nil {
		fmt.Fprintf(f, "%q\n", m.Args)
		f.Close()
	}
	code := c.carryOut()
	c.say(reply{Exit: &code})
}

// A call is one command line of a client.
type call struct {
	e       *Engine
	m       message
	signals func() int // waits for the next signal; 0 = the client is gone

	mu  sync.Mutex // guards enc
	enc *json.Encoder
}

func (c *call) say(r reply) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.enc.Encode(r) // the client may be gone
}

func (c *call) carryOut() int {
	args := c.m.Args
	last := args[len(args)-1]
	switch args[0] {
	case "run":
		return c.run(args[1:])
	case "kill":
		c.e.mu.Lock()
		box := c.e.boxes[last]
		c.e.mu.Unlock()
		if box != nil && c.e.kill(last, syscall.SIGKILL) {
			<-box.ended
			return 0
		}
		c.say(reply{Err: "no such container: " + last + "\n"})
		return 1
	case "rm":
		return 1
	case "ps":
		id, _ := strings.CutPrefix(last, "id=")
		if slices.Contains(c.e.Running(), id) {
			c.say(reply{Out: []byte(id + "\n")})
		}
		return 0
	case "image":
		c.e.mu.Lock()
		defer c.e.mu.Unlock()
		if strings.HasPrefix(last, "here") || c.e.images[last] {
			return 0
		}
		return 1
	case "pull":
		if strings.HasPrefix(last, "missing") {
			c.say(reply{Err: "no such image: " + last + "\n"})
			return 1
		}
		c.say(reply{Out: []byte("pulled " + last + "\n")})
		c.e.mu.Lock()
		defer c.e.mu.Unlock()
		c.e.images[last] = true
		return 0
	}
	c.say(reply{Err: "unknown command " + args[0] + "\n"})
	return 125
}

// change changes the boxes and tells Await.
func (e *Engine) change(do func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	do()
	close(e.changed)
	e.changed = make(chan struct{})
}

// Await waits until exactly n boxes run, and returns false if that takes longer than limit.
func (e *Engine) Await(n int, limit time.Duration) bool {
	over := time.After(limit)
	for {
		e.mu.Lock()
		now, changed := len(e.boxes), e.changed
		e.mu.Unlock()
		if now == n {
			return true
		}
		select {
		case <-changed:
		case <-over:
			return false
		}
	}
}

// valued are the options of run that have a value.
var valued = []string{"--cidfile", "--user", "--workdir", "--entrypoint", "--mount", "--env", "--userns", "--network", "--name"}

// run starts a box: a process with the variables that the options name and no others.
func (c *call) run(args []string) int {
	cmd := &exec.Cmd{Env: []string{"PATH=" + os.Getenv("PATH"), "IN_A_BOX=1"}, SysProcAttr: &syscall.SysProcAttr{Setsid: true}}
	idFile := ""
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		option, value := args[0], ""
		args = args[1:]
		if slices.Contains(valued, option) {
			value, args = args[0], args[1:]
		}
		switch option {
		case "--cidfile":
			idFile = value
		case "--workdir":
			cmd.Dir = value
		case "--env":
			if !strings.Contains(value, "=") {
				i := slices.IndexFunc(c.m.Env, func(v string) bool { return strings.HasPrefix(v, value+"=") })
				if i < 0 {
					continue
				}
				value = c.m.Env[i]
			}
			cmd.Env = append(cmd.Env, value)
		}
	}
	program, err := exec.LookPath(args[1])
	if err != nil {
		c.say(reply{Err: err.Error() + "\n"})
		return 127
	}
	cmd.Path, cmd.Args = program, args[1:]
	return c.execute(cmd, idFile)
}

// execute starts a box and waits for its end, or for that of the client. The box goes on without its client.
func (c *call) execute(cmd *exec.Cmd, idFile string) int {
	c.e.mu.Lock()
	c.e.last++
	id := "box" + strconv.Itoa(c.e.last)
	c.e.mu.Unlock()
	if f, err := os.OpenFile(idFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644); err == nil {
		fmt.Fprint(f, id)
		f.Close()
	} else {
		c.say(reply{Err: err.Error() + "\n"})
		return 125
	}
	out, in := io.Pipe()
	cmd.Stdout, cmd.Stderr = in, in
	if err := cmd.Start(); err != nil {
		c.say(reply{Err: err.Error() + "\n"})
		return 126
	}
	b := &box{process: cmd.Process, ended: make(chan struct{})}
	c.e.change(func() { c.e.boxes[id] = b })
	c.e.all.Add(1)
	ended := make(chan int, 1)
	go func() {
		defer c.e.all.Done()
		_ = cmd.Wait() // the state says more than the error
		in.Close()
		c.e.change(func() { delete(c.e.boxes, id) })
		close(b.ended)
		code := cmd.ProcessState.ExitCode()
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			code = 128 + int(status.Signal())
		}
		ended <- code
	}()
	copied := make(chan struct{})
	c.e.all.Add(2)
	go func() {
		defer c.e.all.Done()
		defer close(copied)
		buf := make([]byte, 4096)
		for {
			n, err := out.Read(buf)
			if n > 0 {
				c.say(reply{Out: buf[:n]})
			}
			if err != nil {
				return
			}
		}
	}()
	gone := make(chan struct{})
	go func() {
		defer c.e.all.Done()
		for {
			sig := c.signals()
			if sig == 0 {
				close(gone)
				return
			}
			c.e.kill(id, syscall.Signal(sig))
		}
	}()
	select {
	case code := <-ended:
		<-copied
		return code
	case <-gone:
		return 0
	}
}
