package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"wf/executor/runner"
	"wf/workspace/history"
	"wf/workspace/history/historytest"
)

// A cutPlan tells a runner of these tests when and how it dies. The environment variable cutVariable contains its path.
type cutPlan struct {
	At    int    // the operation on the disk before which it dies; 0 = none
	Power bool   // data that is not synced is lost, too
	Seed  uint64 // of the unsynced data that is on the disk nevertheless; 0 = none
	Bell  string // a pipe that the runner writes to when it dies, unless the run is over and nobody reads it
	Dead  string // a file that the runner makes when it dies, and that keeps runners with this plan from starting; "" = none
	Copy  string // where the record is copied to, as it was written
}

const cutVariable = "WF_TEST_CUT"

// cutRunner is the program of such a runner.
func cutRunner(dir, socket string) int {
	var p cutPlan
	text, err := os.ReadFile(os.Getenv(cutVariable))
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "runner:", err)
		return 2
	}
	if _, err := os.Lstat(p.Dead); err == nil {
		return 3 // the machine is down
	}
	disk := history.Disk(history.LocalDisk{})
	if _, err := os.Lstat(p.Copy); errors.Is(err, os.ErrNotExist) && p.At > 0 { // it has not died yet
		v, err := historytest.NewVolatile(dir)
		if err != nil {
			fmt.Fprintln(os.Stderr, "runner:", err)
			return 2
		}
		n := 0
		disk = &gate{Disk: v, pass: func() bool {
			if n++; n == p.At {
				p.die(dir, v)
			}
			return true
		}}
	}
	return runner.Main([]string{dir, socket}, runner.Options{OpenLog: func(path string, replay func([]byte) error) (runner.Log, error) {
		log, err := history.OpenLog(disk, path, replay)
		if err != nil {
			return nil, err
		}
		return log, nil
	}, StartDaemon: func() error { return nil }})
}

// die ends the runner as planned. If this fails, the runner survives, and the test notices that.
func (p cutPlan) die(dir string, v *historytest.Volatile) {
	record := filepath.Join(dir, "record")
	text, err := os.ReadFile(record)
	if err == nil || errors.Is(err, os.ErrNotExist) { // it dies before there is one
		err = os.WriteFile(p.Copy, text, 0o600)
	}
	if err == nil && p.Power {
		err = v.Cut(p.random())
	}
	if err == nil && p.Dead != "" {
		err = os.WriteFile(p.Dead, nil, 0o600)
	}
	if err == nil {
		err = p.ring()
	}
	if err != nil {
		panic(err)
	}
	syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// ring reports the death to the test.
func (p cutPlan) ring() error {
	bell, err := os.OpenFile(p.Bell, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ENXIO) { // it dies after the end of the run
		return nil
	}
	if err == nil {
		_, err = bell.WriteString("!")
	}
	return err
}

func (p cutPlan) random() *rand.Rand {
	if p.Seed == 0 {
		return nil
	}
	return rand.New(rand.NewPCG(p.Seed, 11))
}

// A gate is a disk that asks a function before each operation that changes something. If the answer is no, it does nothing
// and reports success, as for a machine that has already lost power.
type gate struct {
	history.Disk
	pass func() bool
}

func (g *gate) do(deed func() error) error {
	if g.pass() {
		return deed()
	}
	return nil
}

func (g *gate) Open(path string, flag int) (history.File, error) {
	if flag&(os.O_CREATE|os.O_TRUNC) != 0 && !g.pass() {
		f, err := os.CreateTemp("", "nowhere")
		if err != nil {
			return nil, err
		}
		os.Remove(f.Name())
		return gateFile{f, g}, nil
	}
	f, err := g.Disk.Open(path, flag)
	if err != nil {
		return nil, err
	}
	return gateFile{f, g}, nil
}

func (g *gate) Mkdir(path string) error {
	return g.do(func() error { return g.Disk.Mkdir(path) })
}
func (g *gate) Rename(a, b string) error {
	return g.do(func() error { return g.Disk.Rename(a, b) })
}
func (g *gate) Remove(path string) error {
	return g.do(func() error { return g.Disk.Remove(path) })
}
func (g *gate) RemoveAll(path string) error {
	return g.do(func() error { return g.Disk.RemoveAll(path) })
}
func (g *gate) SyncDir(dir string) error {
	return g.do(func() error { return g.Disk.SyncDir(dir) })
}

type gateFile struct {
	history.File
	gate *gate
}

func (f gateFile) WriteAt(p []byte, off int64) (n int, err error) {
	n = len(p)
	err = f.gate.do(func() error { n, err = f.File.WriteAt(p, off); return err })
	return n, err
}
func (f gateFile) Truncate(size int64) error {
	return f.gate.do(func() error { return f.File.Truncate(size) })
}
func (f gateFile) Sync() error { return f.gate.do(f.File.Sync) }

// A stateDisk has what is below a folder on one disk and all else on another.
type stateDisk struct {
	history.Disk // of the folder
	dir          string
}

func (d stateDisk) of(path string) history.Disk {
	if strings.HasPrefix(path, d.dir) {
		return d.Disk
	}
	return history.LocalDisk{}
}
func (d stateDisk) Open(path string, flag int) (history.File, error) {
	return d.of(path).Open(path, flag)
}
func (d stateDisk) Mkdir(path string) error     { return d.of(path).Mkdir(path) }
func (d stateDisk) Rename(a, b string) error    { return d.of(a).Rename(a, b) }
func (d stateDisk) Remove(path string) error    { return d.of(path).Remove(path) }
func (d stateDisk) RemoveAll(path string) error { return d.of(path).RemoveAll(path) }
func (d stateDisk) SyncDir(dir string) error    { return d.of(dir + "/").SyncDir(dir) }
