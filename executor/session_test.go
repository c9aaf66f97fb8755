package executor

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/fault"
	"wf/executor/rundir"
	"wf/executor/wire"
)

// An oldRunner is a runner of another version, as it was recorded: it answers the hello of the daemon with lines of the
// test. It holds the lock of the run, so that no other runner is started.
func oldRunner(t *testing.T, dir, sockets string, answers ...string) (received <-chan string) {
	t.Helper()
	lock, err := os.OpenFile(filepath.Join(dir, rundir.LockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", wire.SecondSocket(sockets, dir))
	if err != nil {
		t.Fatal(err)
	}
	lines := make(chan string, 100)
	done := make(chan struct{})
	t.Cleanup(func() {
		l.Close()
		<-done
		lock.Close()
	})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			in := bufio.NewScanner(conn)
			if in.Scan() {
				lines <- in.Text()
				conn.Write([]byte(strings.Join(answers, "\n") + "\n"))
			}
			for in.Scan() && !strings.Contains(in.Text(), wire.LineClose) {
				lines <- in.Text()
			}
			conn.Write([]byte(`{"k":"closed"}` + "\n"))
			conn.Close()
		}
	}()
	return lines
}

// openOld opens a run that has an old runner.
func openOld(t *testing.T, answers ...string) (*session, <-chan Report, <-chan string) {
	t.Helper()
	sockets, err := os.MkdirTemp("", "wfx")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(sockets) })
	dir := t.TempDir()
	received := oldRunner(t, dir, sockets, answers...)
	reports := make(chan Report, 100)
	x := &Local{Program: []string{"/bin/false"}, Sockets: sockets}
	s, err := x.Open(context.Background(), Spec{Dir: dir, Cwd: "/", Width: 2, Report: func(list []Report) {
		for _, r := range list {
			reports <- r
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	return s.(*session), reports, received
}

// TestRunnerOfVersion1 exchanges lines with a runner of version 1, as they were recorded then.
func TestRunnerOfVersion1(t *testing.T) {
	s, reports, received := openOld(t,
		`{"k":"hello","v":1,"p":4711}`,
		`{"k":"start","n":0,"e":1,"t":5,"p":4712,"b":[1,1],"s":1,"o":[0,-1],"x":[0,-1]}`,
		`{"k":"end","n":0,"e":1,"t":9,"p":4712,"s":1,"o":[0,3],"x":[0,0],"c":3}`)
	if r := <-reports; r.Kind != CaughtUp { // it starts nothing by itself
		t.Errorf("report %+v", r)
	}
	if r := <-reports; r.Kind != Started || r.PID != 4712 {
		t.Errorf("report %+v", r)
	}
	if r := <-reports; r.Kind != Ended || r.Exit.Code != 3 || r.Out.End != 3 {
		t.Errorf("report %+v", r)
	}
	if err := s.Start([]Job{{ID: ID{Node: 1, Execution: 1}, Command: "true"}}); err != nil {
		t.Fatal(err)
	}
	var sent []string
	for len(sent) < 3 {
		sent = append(sent, <-received)
	}
	want := []string{`{"k":"hello","v":3}`, `{"k":"width","w":2}`, `{"k":"start","n":1,"e":1,"line":"true"}`}
	if !slices.Equal(sent, want) {
		t.Errorf("the daemon sent %q", sent)
	}
	if _, err := s.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

// TestRunnerWithoutGates checks that a runner without gates gets no job that waits for others, and that a session that gets
// such a runner reports its waiting jobs as stopped.
func TestRunnerWithoutGates(t *testing.T) {
	s, reports, received := openOld(t, `{"k":"hello","v":2,"p":4711}`, `{"k":"end","n":0,"e":1,"t":9}`)
	if r := <-reports; r.Kind != CaughtUp {
		t.Errorf("report %+v", r)
	}
	if r := <-reports; r.Kind != Ended {
		t.Errorf("report %+v", r)
	}
	gated := Job{ID: ID{Node: 1, Execution: 1}, Command: "true", After: []ID{{Node: 0, Execution: 1}}}
	if s.Gates() || s.Start([]Job{gated}) == nil {
		t.Error("the session claims to support gates")
	}
	s.mu.Lock()
	s.jobs[gated.ID] = sentJob{0, gated} // handed over to an earlier runner
	s.mu.Unlock()
	s.dropGated()
	if r := <-reports; r.Kind != Ended || r.ID != gated.ID || !r.Exit.Stopped {
		t.Errorf("report %+v", r)
	}
	if _, err := s.Close(context.Background()); err != nil {
		t.Error(err)
	}
	for len(received) > 0 {
		if line := <-received; strings.Contains(line, `"n":1`) {
			t.Errorf("the runner got %s", line)
		}
	}
}

// TestRunnerOfAnUnknownVersion checks that the run is held with a reason, and not lost.
func TestRunnerOfAnUnknownVersion(t *testing.T) {
	s, reports, _ := openOld(t, `{"k":"hello","v":9,"p":4711}`)
	r := <-reports
	if r.Kind != Held || !strings.Contains(r.Message, "version 9") || !strings.Contains(r.Message, "4711") {
		t.Errorf("report %+v", r)
	}
	s.Detach()
	<-s.done
	if _, err := s.outcome(); !errors.Is(err, errClosed) {
		t.Error(err)
	}
}

// TestDetachWhileConnecting detaches a session that looks for a runner. The runner that it finds then gets no hello, because
// it may already serve the next session.
func TestDetachWhileConnecting(t *testing.T) {
	sockets, err := os.MkdirTemp("", "wfx")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(sockets) })
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, rundir.LockFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	listen := func() net.Listener {
		l, err := net.Listen("unix", wire.SecondSocket(sockets, dir))
		if err != nil {
			t.Error(err)
		}
		return l
	}
	first := listen()
	sessions, second := make(chan Session, 1), make(chan net.Listener, 1)
	fault.Inject(func(op, _ string) error {
		if op != fault.OpLock {
			return nil
		}
		(<-sessions).Detach()
		second <- listen()
		return unix.EWOULDBLOCK // the runner has the lock
	})
	defer fault.Inject(nil)
	x := &Local{Program: []string{"/bin/false"}, Sockets: sockets}
	s, err := x.Open(context.Background(), Spec{Dir: dir, Cwd: "/", Report: func([]Report) {}})
	if err != nil {
		t.Fatal(err)
	}
	sessions <- s
	conn, err := first.Accept()
	if err != nil {
		t.Fatal(err)
	}
	first.Close()
	conn.Close() // the runner dies
	l := <-second
	defer l.Close()
	if conn, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if text, _ := io.ReadAll(conn); len(text) > 0 {
		t.Errorf("the runner got %s", text)
	}
	<-s.(*session).done
}

// TestCrashLoop checks the pauses of a crash loop, which a runner that lives long enough ends.
func TestCrashLoop(t *testing.T) {
	c, now := crashes{}, time.Unix(1000, 0)
	die := func(lived, want time.Duration) {
		t.Helper()
		c.started = now
		now = now.Add(lived)
		if got := c.add(now); got != want {
			t.Errorf("pause %v, want %v", got, want)
		}
		now = now.Add(want)
	}
	for range lossLimit - 1 {
		die(time.Second, 0)
	}
	for want := firstHold; want < longestHold; want *= 2 {
		die(time.Second, want)
	}
	die(time.Second, longestHold)
	die(time.Second, longestHold)
	die(lossWindow, 0)
	for range 2 * lossLimit {
		die(20*time.Second, 0) // the deaths are far enough apart
	}
}
