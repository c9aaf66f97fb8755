package workspace

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"wf/api"
	"wf/executor"
	"wf/executor/proc"
	"wf/workspace/history"
	"wf/workspace/history/historytest"
)

// A powerCutBed is a daemon and a runner that die in a run of crashNodes nodes. Only their disk is a fake.
type powerCutBed struct {
	*crashed
	plan    cutPlan
	log     string // the executions that there were, a line each
	sockets string
	program string
}

// newPowerCutBed makes the machine before the run. Every fourth node is idempotent.
func newPowerCutBed(t *testing.T, name string, p cutPlan) *powerCutBed {
	t.Helper()
	m := &powerCutBed{crashed: &crashed{testbed: newTestbed(t, crashEdges()...), name: name}}
	dir := t.TempDir()
	var err error
	if m.program, err = os.Executable(); err == nil {
		m.sockets, err = os.MkdirTemp("", "wf")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(m.sockets) })
	p.Bell, p.Copy = filepath.Join(dir, "bell"), filepath.Join(dir, "copy")
	if p.Dead != "" {
		p.Dead = filepath.Join(dir, "dead")
	}
	m.plan, m.log = p, filepath.Join(dir, "log")
	text, err := json.Marshal(p)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "plan"), text, 0o600)
	}
	if err == nil {
		err = syscall.Mkfifo(p.Bell, 0o600)
	}
	if err == nil {
		err = os.MkdirAll(m.cfg.State, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	xml := strings.Replace(m.read(), `<graph edge`, `<key id="idempotent" for="node" attr.name="idempotent" attr.type="string"/><graph edge`, 1)
	for i := 0; i < crashNodes; i += 4 {
		node := fmt.Sprintf(`<node id="id-%c">`, crashLetters[i])
		xml = strings.Replace(xml, node, node+`<data key="idempotent">true</data>`, 1)
	}
	m.write(xml)
	m.slots.n = 4
	m.cfg.Executor = m.local(filepath.Join(dir, "plan"))
	return m
}

func (m *powerCutBed) local(plan string) *executor.Local {
	return &executor.Local{Program: []string{m.program, "runner"}, Sockets: m.sockets, Env: []string{
		cutVariable + "=" + plan, "GORACE=atexit_sleep_ms=0", // else each runner ends a second later under the race detector
	}}
}

// request runs every node with a note in the log; the codes are those of crashCode.
func (m *powerCutBed) request() api.RunRequest {
	wrapper := "eval {}; echo $WF_NODE_ID/$WF_EXECUTION >>" + m.log +
		"; case $WF_NODE_ID/$WF_EXECUTION in id-D/*) exit 68;; id-R/*) exit 82;; id-X/3) exit 88;; esac"
	return api.RunRequest{Env: []string{"PATH=" + os.Getenv("PATH")}, Wrapper: &wrapper}
}

// live runs until the end of the run or until runner and daemon die, and reports whether they died. If the daemon
// dies, too, only the disk is left.
func (m *powerCutBed) live() (died bool) {
	m.t.Helper()
	volatile, err := historytest.NewVolatile(m.cfg.State)
	if err != nil {
		m.t.Fatal(err)
	}
	var mu sync.Mutex // guards dead, and makes operations and the cut one after the other
	dead := false
	m.cfg.Disk = stateDisk{&gate{volatile, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return !dead
	}}, m.cfg.State}
	w, err := Open(m.path, m.cfg)
	if err != nil {
		m.t.Fatal(err)
	}
	m.w = w
	m.folder = filepath.Join(m.cfg.State, "workspaces", w.id, "runs", "1")
	v := m.watch()
	bell, err := os.OpenFile(m.plan.Bell, os.O_RDWR, 0) // with O_RDONLY it would wait for a writer
	if err != nil {
		m.t.Fatal(err)
	}
	defer bell.Close()
	heard := make(chan bool, 1)
	go func() {
		n, _ := bell.Read(make([]byte, 1)) // fails at the end of the run
		heard <- n > 0
	}()
	if _, err := w.StartRun(context.Background(), "c1", m.request()); err != nil {
		m.t.Fatal(err)
	}
	select {
	case <-v.over:
		if err := bell.SetReadDeadline(time.Now()); err != nil {
			m.t.Fatal(err)
		}
		died = <-heard
	case died = <-heard:
	}
	var env []byte
	if died && m.plan.Dead != "" {
		env, _ = os.ReadFile(m.envFile()) // there is none if the runner has closed the run
		mu.Lock()
		dead = true
		mu.Unlock()
		if m.plan.Power {
			err = volatile.Cut(m.plan.random())
		}
	}
	v.v.Close()
	<-v.closed
	if died && m.plan.Dead == "" {
		return died // the daemon lives, and goes on with another runner
	}
	m.close(w)
	if env != nil { // the dead daemon may have found that the runner cannot be replaced, and removed the file
		err = errors.Join(err, os.WriteFile(m.envFile(), env, 0o600))
	}
	if err != nil {
		m.t.Fatal(err)
	}
	return died
}

// envFile returns the path of the environment of the run. Neither daemon nor runner write it through their disk.
func (m *powerCutBed) envFile() string { return filepath.Join(m.folder, "env") }

// reboot begins another boot, in which the files of the run are those of an earlier one.
func (m *powerCutBed) reboot() {
	m.t.Helper()
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		m.t.Skip("boots are told apart on Linux only:", err)
	}
	now := strings.TrimSpace(string(boot))
	before := strings.Repeat("0", len(now))
	for _, path := range []string{"record", "lock"} {
		path = filepath.Join(m.folder, path)
		text, err := os.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.WriteFile(path, []byte(rebooted(string(text), now, before)), 0o600)
		}
		if err != nil {
			m.t.Fatal(err)
		}
	}
}

// rebooted replaces the boot in lines that may begin with a sum, which is made right again.
func rebooted(text, now, before string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if !strings.Contains(line, now) {
			out.WriteString(line)
			continue
		}
		line = strings.Replace(line, now, before, 1)
		if sum, payload, framed := strings.Cut(strings.TrimSuffix(line, "\n"), " "); framed && len(sum) == 8 && strings.HasSuffix(line, "\n") {
			if _, err := hex.DecodeString(sum); err == nil {
				line = fmt.Sprintf("%08x %s\n", crc32.Checksum([]byte(payload), crc32.MakeTable(crc32.Castagnoli)), payload)
			}
		}
		out.WriteString(line)
	}
	return out.String()
}

// openEntries are what a record has no end of, and whether it tells of a fork.
func (m *powerCutBed) openEntries(path string) (forked map[executor.ID]bool) {
	m.t.Helper()
	open := map[executor.ID]bool{}
	_, err := history.ReadLog(path, func(payload []byte) error {
		var e struct {
			Kind string `json:"k"`
			N, E int
		}
		if err := json.Unmarshal(payload, &e); err != nil {
			return err
		}
		id := executor.ID{Node: e.N, Execution: e.E}
		switch e.Kind {
		case "intent":
			open[id] = false
		case "fork":
			open[id] = true
		case "end", "forget":
			delete(open, id)
		}
		return nil
	})
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		m.t.Fatalf("%s: %v", m.name, err)
	}
	return open
}

// recover takes the run up, waits for its end and says how it ended.
func (m *powerCutBed) recover() outcome {
	m.t.Helper()
	if m.plan.Dead != "" {
		// A runner that the dead daemon has started may be about to look for the file Dead of its plan: that file stays.
		next := m.plan
		next.Dead = ""
		plan := filepath.Join(filepath.Dir(m.plan.Bell), "next plan")
		text, err := json.Marshal(next)
		if err == nil {
			err = os.WriteFile(plan, text, 0o600)
		}
		if err != nil {
			m.t.Fatal(err)
		}
		m.cfg.Disk, m.cfg.Executor = nil, m.local(plan)
		w, err := Open(m.path, m.cfg)
		if err != nil {
			m.t.Fatal(err)
		}
		m.w = w
	}
	got := m.outcome()
	m.close(m.w)
	return got
}

// check compares an outcome, and the trace that the commands have written, with the model: only executions in lost may
// be lost, all others have the expected exit code, and nothing was executed twice.
func (m *powerCutBed) check(got outcome, lost map[string]bool) {
	m.t.Helper()
	text, _ := os.ReadFile(m.log)
	noted := map[string]int{}
	for line := range strings.Lines(string(text)) {
		noted[strings.TrimSpace(line)]++
	}
	for key, n := range noted {
		if n > 1 {
			m.t.Errorf("%s: %s was executed %d times", m.name, key, n)
		}
	}
	unknown := 0
	for key, code := range got.codes {
		id, execution, _ := strings.Cut(key, "/")
		var number int
		fmt.Sscan(execution, &number)
		label := strings.TrimPrefix(id, "id-")
		want := fmt.Sprint(crashCode(executor.Job{ID: executor.ID{Execution: number}, Command: "echo " + label}))
		switch {
		case code == "none" && !lost[key]:
			m.t.Errorf("%s: %s counts as lost, and only these can be: %v", m.name, key, lost)
		case code == "none":
			unknown++
		case code != want || noted[key] != 1:
			m.t.Errorf("%s: %s has code %s, want %s, and was executed %d times", m.name, key, code, want, noted[key])
		}
	}
	if unknown == 0 && m.want.statuses != nil && (got.result != m.want.result || got.counts != m.want.counts) {
		m.t.Errorf("%s: nothing was lost, and the run ended as\n%v\nwithout a crash\n%v", m.name, got, m.want)
	}
	touched := touchedBy(got.codes)
	for id, status := range m.want.statuses {
		if !touched[id] && got.statuses[id] != status {
			m.t.Errorf("%s: %s is %s at the end, without a crash %s", m.name, id, got.statuses[id], status)
		}
	}
}

// touchedBy returns the nodes that may end in another way because an execution was lost: its node, and all nodes
// that depend on it.
func touchedBy(codes map[string]string) map[string]bool {
	touched := map[string]bool{}
	for key, code := range codes {
		if code == "none" {
			id, _, _ := strings.Cut(key, "/")
			touched[id] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for _, e := range crashEdges() {
			if len(e) == 3 && touched["id-"+e[:1]] && !touched["id-"+e[2:]] {
				touched["id-"+e[2:]], grown = true, true
			}
		}
	}
	return touched
}

// TestDeathOfDaemonAndRunner has the power cut, the runner killed, or it and the daemon, before each
// operation of the runner on the disk.
func TestDeathOfDaemonAndRunner(t *testing.T) {
	if err := proc.BecomeSubreaper(); err != nil {
		t.Fatal(err)
	}
	want := newPowerCutBed(t, "without a crash", cutPlan{})
	if want.live() {
		t.Fatal("it died")
	}
	want.cfg.Disk = nil
	want.open()
	reference := want.outcome()
	want.check(reference, nil)
	step := 41
	if *torture {
		step = 1
	} else if testing.Short() {
		step = 173
	}
	for name, p := range map[string]cutPlan{
		"runner":                     {},
		"both":                       {Dead: "yes"},
		"power":                      {Dead: "yes", Power: true},
		"power, something was there": {Dead: "yes", Power: true, Seed: 1},
	} {
		t.Run(name, func(t *testing.T) {
			for p.At = 1 + len(name); ; p.At += step {
				if p.Seed > 0 {
					p.Seed++
				}
				m := newPowerCutBed(t, fmt.Sprintf("%s dies before operation %d", name, p.At), p)
				m.want = reference
				if !m.live() {
					t.Logf("the run has %d operations", p.At-1)
					return
				}
				m.dies()
			}
		})
	}
}

// dies looks at what death has left, and at what becomes of it.
func (m *powerCutBed) dies() {
	m.t.Helper()
	text, err := os.ReadFile(filepath.Join(m.folder, "run.json"))
	var request struct {
		Scope []string `json:"scope"`
	}
	if err == nil {
		err = json.Unmarshal(text, &request)
	}
	if err != nil {
		m.t.Fatalf("%s: %v", m.name, err)
	}
	lost := map[string]bool{}
	may := func(path string, unforked bool) {
		for id, forked := range m.openEntries(path) {
			if forked || unforked {
				lost[fmt.Sprintf("%s/%d", request.Scope[id.Node], id.Execution)] = true
			}
		}
	}
	switch {
	case m.plan.Power: // what the disk has an intent of
		m.reboot()
		may(filepath.Join(m.folder, "record"), true)
	case m.plan.Dead != "": // what was forked
		may(m.plan.Copy, false)
	}
	m.check(m.recover(), lost)
}
