package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"wf/api"
)

// A world is a wf of this program: binary, runtime and state folders. Every process that runs this binary
// or works below its folder belongs to it.
type world struct {
	dir     string // absolute, without symlinks; short, because of the paths of sockets
	program string
	env     []string
	seed    uint64
	family  *family
}

// slots is the number of concurrent commands of the daemon: more than the runs ask for.
const slots = "16"

// newWorld makes the folders and the binary. The caller calls close.
func newWorld(ctx context.Context, program string, seed uint64) (*world, error) {
	f, err := newFamily()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "wft")
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		f.close()
		return nil, err
	}
	w := &world{dir: dir, program: filepath.Join(dir, "wf"), seed: seed, family: f}
	w.env = append(os.Environ(), "WF_RUNTIME_DIR="+w.runtime(), "WF_STATE_DIR="+w.state(), "WF_SLOTS="+slots, "WF_PORT=")
	if err := w.install(ctx, program); err != nil {
		return nil, errors.Join(err, w.close(false))
	}
	return w, nil
}

func (w *world) runtime() string { return filepath.Join(w.dir, "run") }
func (w *world) state() string   { return filepath.Join(w.dir, "state") }

// install puts the binary into the folder: its unique path distinguishes processes of this world from
// others.
func (w *world) install(ctx context.Context, program string) error {
	if program == "" {
		build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", w.program, "wf/cmd/wf")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := w.output(build); err != nil {
			return fmt.Errorf("build wf: %w\n%s", err, out)
		}
		return nil
	}
	data, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	return os.WriteFile(w.program, data, 0o700)
}

// output runs cmd and returns its output.
func (w *world) output(cmd *exec.Cmd) (string, error) {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := w.family.start(cmd); err != nil {
		return "", err
	}
	err := w.family.wait(cmd)
	return out.String(), err
}

// random returns a random source for one thing; the same seed and thing give the same numbers.
func (w *world) random(thing string) *rand.Rand {
	var sum uint64 = 14695981039346656037 // FNV-1a
	for _, b := range []byte(thing) {
		sum = (sum ^ uint64(b)) * 1099511628211
	}
	return rand.New(rand.NewPCG(w.seed, sum))
}

// folder makes a new folder below the world's.
func (w *world) folder(name string) (string, error) {
	dir := filepath.Join(w.dir, name)
	return dir, os.Mkdir(dir, 0o700)
}

// clientTime is the time limit of every command of wf except run.
const clientTime = 60 * time.Second

// An answer is the result of a wf command.
type answer struct {
	out, err []byte
	status   int // exit status; -1 after a signal
}

func (a answer) String() string {
	return fmt.Sprintf("exit status %d: %s", a.status, strings.TrimSpace(string(a.err)))
}

// wf runs a command of wf in dir to its end. An error means that it could not be run or did not end;
// another exit status than 0 is not an error.
func (w *world) wf(ctx context.Context, dir string, args ...string) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, clientTime)
	defer cancel()
	c, err := w.start(ctx, dir, args...)
	if err != nil {
		return answer{}, err
	}
	<-c.done
	return c.answer, c.err
}

// A command is a running wf command.
type command struct {
	cmd    *exec.Cmd
	done   chan struct{} // closed at the end; then the fields below are set
	answer answer
	err    error
}

// start starts a command of wf, which is killed when ctx ends.
func (w *world) start(ctx context.Context, dir string, args ...string) (*command, error) {
	c := &command{cmd: exec.CommandContext(ctx, w.program, args...), done: make(chan struct{})}
	var out, errs bytes.Buffer
	c.cmd.Dir, c.cmd.Env, c.cmd.Stdout, c.cmd.Stderr = dir, w.env, &out, &errs
	// Its own process group: Ctrl-C is for this program. A daemon that it starts does not keep the output
	// open longer than necessary.
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.cmd.WaitDelay = time.Second
	if err := w.family.start(c.cmd); err != nil {
		return nil, err
	}
	go func() {
		defer close(c.done)
		err := w.family.wait(c.cmd)
		c.answer = answer{out.Bytes(), errs.Bytes(), c.cmd.ProcessState.ExitCode()}
		var exit *exec.ExitError
		if ctx.Err() != nil {
			c.err = fmt.Errorf("wf %s: %w\n%s", strings.Join(args, " "), ctx.Err(), errs.Bytes())
		} else if err != nil && !errors.As(err, &exit) {
			c.err = fmt.Errorf("wf %s: %w", strings.Join(args, " "), err)
		}
	}()
	return c, nil
}

// json runs a command of wf that must succeed and decodes its output.
func (w *world) json(ctx context.Context, dir string, into any, args ...string) error {
	a, err := w.wf(ctx, dir, args...)
	if err != nil {
		return err
	}
	if a.status != 0 {
		return fmt.Errorf("wf %s: %v", strings.Join(args, " "), a)
	}
	return json.Unmarshal(a.out, into)
}

// daemon returns the daemon in the registry; errGone if there is none. It must be a process of this binary
// with the start time in the registry.
func (w *world) daemon() (process, error) {
	data, err := os.ReadFile(filepath.Join(w.runtime(), api.FileRegistry))
	if errors.Is(err, fs.ErrNotExist) {
		return process{}, errGone
	}
	var reg api.Registry
	if err == nil {
		err = json.Unmarshal(data, &reg)
	}
	if err != nil {
		return process{}, err
	}
	p, err := readProcess(reg.PID)
	if err != nil || p.zombie || p.started != reg.StartTime || p.program() != w.program {
		return process{}, errGone
	}
	return p, nil
}

// runner returns the runner of a run whose folder is below the state folder: a process of this binary, and
// a child of the daemon, or of this program if its daemon has died. errGone if there is none.
func (w *world) runner() (process, error) {
	daemon := os.Getpid()
	if d, err := w.daemon(); err == nil {
		daemon = d.pid
	}
	all, err := processes()
	if err != nil {
		return process{}, err
	}
	for _, p := range all {
		if p.bare || (p.parent != daemon && p.parent != os.Getpid()) || p.program() != w.program {
			continue
		}
		if argv := p.argv(); len(argv) == 4 && argv[1] == "runner" && strings.HasPrefix(argv[2], w.state()+"/") {
			return p, nil
		}
	}
	return process{}, errGone
}

// below returns the processes that work in the folder dir or below: the runner of its run, and commands,
// even if they changed session, parent or environment.
func (w *world) below(dir string) ([]process, error) {
	all, err := processes()
	var found []process
	for _, p := range all {
		if cwd := p.cwd(); cwd == dir || strings.HasPrefix(cwd, dir+"/") {
			found = append(found, p)
		}
	}
	return found, err
}

// pollPause is the time between two checks of a condition that sends no notification.
const pollPause = 2 * time.Millisecond

// await waits until look returns true.
func await(ctx context.Context, limit time.Duration, what string, look func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(pollPause)
	defer tick.Stop()
	for {
		if done, err := look(); done || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", what, ctx.Err())
		}
	}
}

// settleTime is how long a daemon may take to become idle, and a killed process to disappear.
const settleTime = 3 * time.Second

// close ends everything of this world and removes its folder unless it is kept.
func (w *world) close(keep bool) error {
	var errs []error
	if _, err := w.daemon(); err == nil {
		if _, err := w.wf(context.Background(), w.dir, "server", "stop", "--cancel"); err != nil {
			errs = append(errs, err)
		}
	}
	errs = append(errs, await(context.Background(), settleTime, "end what is left", w.killAll))
	w.family.close()
	if keep {
		fmt.Fprintln(os.Stderr, "torture: kept", w.dir)
		return errors.Join(errs...)
	}
	return errors.Join(append(errs, os.RemoveAll(w.dir))...)
}

// killAll kills what runs our binary or works below our folder, and reports whether there was none.
func (w *world) killAll() (none bool, err error) {
	all, err := processes()
	none = true
	for _, p := range all {
		cwd := p.cwd()
		if p.program() != w.program && cwd != w.dir && !strings.HasPrefix(cwd, w.dir+"/") {
			continue
		}
		none = false
		if err := p.kill(); err != nil && !errors.Is(err, errGone) {
			return false, err
		}
	}
	return none, err
}
