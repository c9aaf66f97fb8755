// Package cluster runs commands as jobs of a batch system such as Slurm. It submits them, in arrays where it can, and learns
// from files on a file system that all machines share what became of them; what the batch system says counts only where
// there is no such file. All commands of the batch system are executed through a login.Shell, so they may be on another
// machine than the daemon, and no part of wf is needed there.
package cluster

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"wf/executor"
	"wf/executor/login"
	"wf/executor/rundir"
)

// A Cluster is a batch system. It implements executor.Executor. Its fields must not change after the first Open.
type Cluster struct {
	// Name is its name in the configuration of the user. The files of a run contain it.
	Name   string
	Engine Engine
	Shell  *login.Shell
	// Dir is a folder on the file system that all machines share, for the files of runs; ~/ is the home folder there. "" =
	// the folder of each run on this machine is on such a file system.
	Dir string
	// QueueSize is how many jobs of a run the batch system may have at once; 0 = 1000.
	QueueSize int
	// SubmitRate bounds the submissions of a run.
	SubmitRate Rate
	// ArraySize is the most tasks in a batch, if the batch system allows as many; 0 = 1000, the usual limit of Slurm. 1 = no
	// arrays.
	ArraySize int
	Pool      Pool
	// Resources are those of tasks that do not ask for others. The mode "" is ModeAuto.
	Resources executor.Resources
	// Limits are the most that a task can ask for: processors, memory, graphics processors, time; 0 = no limit. A task that
	// asks for more gets that.
	Limits executor.Resources
	Timing Timing

	once   sync.Once
	poller *poller
	probe  probe
}

// Timing says how long a Cluster waits. Zero values are replaced by those of the comments.
type Timing struct {
	Poll      time.Duration // between two looks at the files; 2 s
	Soon      time.Duration // before a look for tasks that end faster than that; 300 ms
	Slowest   time.Duration // between two questions to the batch system if nothing changes; 30 s
	Collect   time.Duration // how long a job waits for others with which it can be submitted; 500 ms
	Missing   time.Duration // after which a task is lost that the batch system does not know and that left no result; 2 min
	Doubt     time.Duration // after which a batch whose submission had no answer, and that is not shown, is submitted again; 20 s
	Stall     time.Duration // after which an allocation is given up that starts nothing although tasks wait there; 2 min
	Call      time.Duration // after which a script has no answer; 1 min
	Grace     time.Duration // between TERM and the end of the time of a task; 1 min
	Account   time.Duration // that an end waits for what accounting says about it; 2 s
	Retry     time.Duration // after a submission that failed for a reason that may pass; it doubles with each; 1 s
	SlowRetry time.Duration // the most of it; 1 min
	StopAgain time.Duration // between two requests to end the same task; 5 s
	Trouble   time.Duration // without an answer of the cluster after which it is reported; 30 s
	Abandon   time.Duration // without an answer of the cluster after which a stopped task is left there; 15 min
}

func (t Timing) withDefaults() Timing {
	return Timing{
		Poll:      cmp.Or(t.Poll, 2*time.Second),
		Soon:      cmp.Or(t.Soon, 300*time.Millisecond),
		Slowest:   cmp.Or(t.Slowest, 30*time.Second),
		Collect:   cmp.Or(t.Collect, 500*time.Millisecond),
		Missing:   cmp.Or(t.Missing, 2*time.Minute),
		Doubt:     cmp.Or(t.Doubt, 20*time.Second),
		Stall:     cmp.Or(t.Stall, 2*time.Minute),
		Call:      cmp.Or(t.Call, time.Minute),
		Grace:     cmp.Or(t.Grace, time.Minute),
		Account:   cmp.Or(t.Account, 2*time.Second),
		Retry:     cmp.Or(t.Retry, time.Second),
		SlowRetry: cmp.Or(t.SlowRetry, time.Minute),
		StopAgain: cmp.Or(t.StopAgain, 5*time.Second),
		Trouble:   cmp.Or(t.Trouble, 30*time.Second),
		Abandon:   cmp.Or(t.Abandon, 15*time.Minute),
	}
}

// Open implements executor.Executor.
func (c *Cluster) Open(ctx context.Context, spec executor.Spec) (executor.Session, error) {
	c.once.Do(func() {
		c.Timing, c.Pool = c.Timing.withDefaults(), c.Pool.withDefaults()
		c.QueueSize, c.ArraySize = cmp.Or(c.QueueSize, 1000), cmp.Or(c.ArraySize, 1000)
		c.poller = newPoller(c)
	})
	if spec.Env != nil {
		err := rundir.WriteEnvironment(filepath.Join(spec.Dir, rundir.EnvironmentFile), spec.Env)
		if err != nil && !errors.Is(err, fs.ErrExist) { // another executor of the run may have written it
			return nil, err
		}
	}
	m := newModel(c, &outputs{dir: spec.Dir, cluster: c.Name})
	var err error
	if m.journal, err = openJournal(spec.Dir, c.Name, m.replay); err != nil {
		return nil, fmt.Errorf("cluster %s: %w", c.Name, err)
	}
	if m.name == "" {
		m.name, m.dir, m.series = c.folderName(spec.Run), c.Dir, newName()
		m.log(entry{Kind: entryOpen, Folder: m.dir + "/" + m.name, Batch: m.series})
	}
	s := newSession(c, spec, m)
	go s.run()
	c.poller.add(s)
	return s, nil
}

// newName returns a name that nothing else has.
func newName() string {
	var b [nameSize]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

const nameSize = 6 // bytes

// folderName returns the name of the folder of a run on the shared file system, which no other run has. It is always the same for a
// run, so that the starts of tasks in this folder count even if the journal is removed.
func (c *Cluster) folderName(run string) string {
	if run == "" {
		return newName()
	}
	sum := sha256.Sum256([]byte(c.Name + "\x00" + run))
	return hex.EncodeToString(sum[:nameSize])
}

// A shape is what a task asks for. Tasks with the same shape can be submitted together.
type shape struct {
	executor.Resources
	Requeue bool `json:",omitempty"` // the batch system may start it again by itself
}

func (c *Cluster) shapeOf(j *executor.Job) shape {
	_, requeues := c.Engine.(Requeuer)
	return shape{c.resourcesOf(j), j.Idempotent && requeues}
}

// resourcesOf returns what a job asks for, or else what the configuration says, within the limits of the configuration.
func (c *Cluster) resourcesOf(j *executor.Job) executor.Resources {
	r, usual, most := j.Resources, c.Resources, c.Limits
	return executor.Resources{
		CPUs: atMost(cmp.Or(r.CPUs, usual.CPUs), most.CPUs), Memory: atMost(cmp.Or(r.Memory, usual.Memory), most.Memory),
		GPUs: atMost(cmp.Or(r.GPUs, usual.GPUs), most.GPUs), Time: atMost(cmp.Or(r.Time, usual.Time), most.Time),
		Partition: cmp.Or(r.Partition, usual.Partition), Account: cmp.Or(r.Account, usual.Account), Constraint: cmp.Or(r.Constraint, usual.Constraint),
		Options: strings.TrimSpace(usual.Options + " " + r.Options),
		Mode:    cmp.Or(r.Mode, usual.Mode),
	}
}

// atMost returns the smaller of a number and a limit; 0 = no limit.
func atMost[T int | int64 | time.Duration](n, limit T) T {
	if limit > 0 {
		return min(n, limit)
	}
	return n
}
