//go:build linux

// Package slurmtest starts real Slurm clusters for tests, from the programs of Debian's packages: a controller, nodes, and a
// database if wanted, all as this user and on the loopback interface. Tests stop, freeze and cut off parts of them. Nothing
// is left when a test ends, even if it is killed: also no process with a variable in its environment that is the path of a file of the cluster.
package slurmtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A Config says what a cluster is like.
type Config struct {
	Nodes  int // 0 = 3; they are called n1, n2, …
	CPUs   int // of each node; 0 = 4. They need not exist
	Memory int // of each node, in MB; 0 = 4000

	// Accounting starts a database, so that sacct works.
	Accounting bool
	// Separate gives each node a network and a host name of its own, so that it can be cut off. Only root can do that.
	Separate bool
	// Options are lines KEY=VALUE of slurm.conf that replace those of this package.
	Options map[string]string
}

// A Cluster is a running Slurm.
type Cluster struct {
	// Conf is the path of slurm.conf, which the commands of Slurm find in the environment variable SLURM_CONF.
	Conf string

	dir     string
	config  Config
	host    string // name of this machine
	subnet  int    // of the networks of separate nodes
	ports   []int  // of the controller, the database and the nodes
	daemons *daemons
}

// patience is the maximum wait for what is expected. It is long because the machine may be busy.
const patience = 60 * time.Second

// A MissingError says which packages must be installed before a cluster can be started.
type MissingError struct {
	Packages []string // of Debian
}

func (e *MissingError) Error() string {
	return "no Slurm on this machine: apt-get install --no-install-recommends " + strings.Join(e.Packages, " ")
}

// Start starts a cluster that ends with the test. The test is skipped if Slurm is not installed, or if only root could do it.
// If the test fails, the logs of the cluster become part of its log.
func Start(t testing.TB, config Config) *Cluster {
	t.Helper()
	c, err := New(config)
	var missing *MissingError
	if errors.As(err, &missing) || errors.Is(err, errOnlyRoot) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(c.Logs())
		}
		if err := c.Down(); err != nil {
			t.Error(err)
		}
	})
	return c
}

var errOnlyRoot = errors.New("only root can separate the nodes of a cluster")

// New starts a cluster, whose caller ends it with Down. The error is a *MissingError if Slurm is not installed.
func New(config Config) (*Cluster, error) {
	if config.Nodes == 0 {
		config.Nodes = 3
	}
	if config.CPUs == 0 {
		config.CPUs = 4
	}
	if config.Memory == 0 {
		config.Memory = 4000
	}
	if err := missing(config); err != nil {
		return nil, err
	}
	if config.Separate && os.Geteuid() != 0 {
		return nil, errOnlyRoot
	}
	for attempt := 1; ; attempt++ {
		c, err := start(config)
		if err == nil {
			return c, nil
		}
		// Another program may have taken a port that was free.
		if attempt == 3 || !strings.Contains(err.Error(), "Address already in use") {
			return nil, err
		}
	}
}

// start starts a cluster once.
func start(config Config) (*Cluster, error) {
	dir, err := os.MkdirTemp("", "slurm")
	if err != nil {
		return nil, err
	}
	c := &Cluster{Conf: filepath.Join(dir, "slurm.conf"), dir: dir, config: config}
	if c.daemons, err = newDaemons(dir); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	if err := c.startAll(); err != nil {
		return nil, errors.Join(fmt.Errorf("a Slurm for tests: %w", err), errors.New(c.Logs()), c.Down())
	}
	return c, nil
}

func (c *Cluster) startAll() error {
	if err := c.makeFolders(); err != nil {
		return err
	}
	steps := []func() error{c.takePorts, c.configure, c.startMunge}
	if c.config.Accounting {
		steps = append(steps, c.startDatabase)
	}
	if c.config.Separate {
		steps = append(steps, c.separate)
	}
	for _, step := range append(steps, c.startController, c.startNodes) {
		if err := step(); err != nil {
			return err
		}
	}
	return c.awaitIdle()
}

// Env returns the variables that the commands of Slurm need.
func (c *Cluster) Env() []string { return []string{"SLURM_CONF=" + c.Conf} }

// Home returns an empty folder for the files of a user, which is removed with the cluster. Processes with a variable that is
// the path of a file there end with the cluster.
func (c *Cluster) Home() string { return home(c.dir) }

// Output executes a command of Slurm and returns what it prints, without blanks around it.
func (c *Cluster) Output(name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), c.Env()...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return string(bytes.TrimSpace(out)), err
}

// Jobs returns a line for each job that has not ended: its id, name, state and node.
func (c *Cluster) Jobs() ([]string, error) {
	out, err := c.Output("squeue", "--noheader", "--array", "--format=%i %j %T %N")
	if out == "" {
		return nil, err
	}
	return strings.Split(out, "\n"), err
}

// Processes returns the processes of jobs, those that watch over them, and what jobs have left behind, on all nodes.
func (c *Cluster) Processes() ([]int, error) {
	a, err := c.daemons.do(request{Do: "list"})
	return a.Jobs, err
}

// Logs returns the ends of the logs of all daemons.
func (c *Cluster) Logs() string {
	var b strings.Builder
	paths, _ := filepath.Glob(c.path("log/*"))
	outputs, _ := filepath.Glob(c.path("stderr/*"))
	for _, path := range outputs { // a daemon with a log repeats it there
		if !slices.Contains(paths, c.path("log/"+filepath.Base(path))) {
			paths = append(paths, path)
		}
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			text = []byte(err.Error())
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		if lines = lines[max(0, len(lines)-30):]; lines[0] != "" {
			fmt.Fprintf(&b, "%s:\n%s\n", filepath.Base(path), strings.Join(lines, "\n"))
		}
	}
	return b.String()
}

// Down ends all processes of the cluster, also those of jobs, and removes its files.
func (c *Cluster) Down() error { return c.daemons.end() }

// await polls a condition, since other programs send no events. It returns the last error of the condition if that stays too
// long, or when a daemon has ended.
func (c *Cluster) await(condition func() error) error {
	for limit := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		err := condition()
		if err == nil {
			return nil
		}
		a, listErr := c.daemons.do(request{Do: "list"})
		switch {
		case listErr != nil:
			return errors.Join(err, listErr)
		case len(a.Ended) > 0:
			return fmt.Errorf("%w; these daemons have ended: %s", err, strings.Join(a.Ended, ", "))
		case time.Now().After(limit):
			return err
		}
	}
}

// awaitIdle waits until all nodes take jobs.
func (c *Cluster) awaitIdle() error {
	return c.await(func() error {
		out, err := c.Output("sinfo", "--noheader", "--Node", "--format=%T")
		if err == nil && slices.Equal(strings.Fields(out), slices.Repeat([]string{"idle"}, c.config.Nodes)) {
			return nil
		}
		return errors.Join(fmt.Errorf("the nodes are %q", out), err)
	})
}
