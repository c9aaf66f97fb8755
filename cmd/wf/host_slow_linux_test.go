package main

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

var slowConnection = flag.Bool("slow-connection", false, "measure wf --host over a connection of 200 ms with 1 % loss; as root")

// A slowNetwork is a network device whose packets take half a round trip, or get lost. The kernel's own tool for this, netem, is
// not in every kernel. What is sent to slowPeer comes back to slowOwn from there: both ends are this machine.
const (
	slowOwn   = "10.99.0.1"
	slowPeer  = "10.99.0.2"
	roundTrip = 200 * time.Millisecond
	lossRate  = 0.01
)

// inSlowNetwork calls f in a process with a network namespace of its own that has such a device.
func inSlowNetwork(t *testing.T, f func()) {
	const mark = "WF_TEST_SLOW_NETWORK"
	if os.Getenv(mark) != "" {
		startSlowNetwork(t)
		f()
		return
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can make a network")
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-slow-connection")
	cmd.Env = append(os.Environ(), mark+"=yes")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		t.Error(err)
	}
}

// startSlowNetwork makes the device, and moves its packets until the process ends.
func startSlowNetwork(t *testing.T) {
	device, err := os.OpenFile("/dev/net/tun", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	request, err := unix.NewIfreq("wf0")
	if err != nil {
		t.Fatal(err)
	}
	request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
	if err := unix.IoctlIfreq(int(device.Fd()), unix.TUNSETIFF, request); err != nil {
		t.Skip(err)
	}
	for _, args := range []string{"link set lo up", "addr add " + slowOwn + "/24 dev wf0", "link set wf0 up"} {
		if out, err := exec.Command("ip", strings.Fields(args)...).CombinedOutput(); err != nil {
			t.Skipf("ip %s: %v %s", args, err, out)
		}
	}
	type packet struct {
		data []byte
		due  time.Time
	}
	packets := make(chan packet, 100_000)
	go func() {
		for buf := make([]byte, 65536); ; {
			n, err := device.Read(buf)
			if err != nil {
				return
			}
			if n < 20 || buf[0]>>4 != 4 || rand.Float64() < lossRate {
				continue
			}
			data := bytes.Clone(buf[:n])
			copy(data[12:16], buf[16:20]) // swaps the addresses, which leaves the checksums right
			copy(data[16:20], buf[12:16])
			packets <- packet{data, time.Now().Add(roundTrip / 2)}
		}
	}()
	go func() {
		for p := range packets {
			time.Sleep(time.Until(p.due))
			_, _ = device.Write(p.data)
		}
	}()
}

// quantiles describes durations.
func quantiles(all []time.Duration) string {
	slices.Sort(all)
	at := func(q float64) time.Duration { return all[int(q*float64(len(all)-1))].Round(time.Millisecond) }
	return fmt.Sprintf("median %v, 90 %% %v, most %v", at(0.5), at(0.9), at(1))
}

// slowLines are the commands of a workfile that writes ten lines a second.
var slowLines = "for i in $(seq 1 " + strconv.Itoa(ticks) + "); do echo tick $i; sleep 0.1; done\n" + strings.Repeat("true\n", 40)

// TestNearConnection measures the same as TestSlowConnection of a connection without delay.
func TestNearConnection(t *testing.T) {
	if !*slowConnection {
		t.Skip("measures; see make bench-host")
	}
	l := newLoopback(t, loopbackSetup{more: fewSessions})
	l.endDaemons()
	l.measureLogin()
	l.write(filepath.Join(l.far, "lines"), slowLines)
	l.must(l.command("--host", "ssh://box", "new", "Workfile", "--from-lines", "lines"))
	l.measureStatus()
	l.measureBreak(0)
}

// TestSlowConnection measures what a user of a machine far away waits for.
func TestSlowConnection(t *testing.T) {
	if !*slowConnection {
		t.Skip("measures; see make bench-host")
	}
	inSlowNetwork(t, func() {
		l := newLoopback(t, loopbackSetup{serves: slowOwn, reached: slowPeer, more: fewSessions})
		l.endDaemons()
		l.write(filepath.Join(l.far, "lines"), slowLines)
		var connects []time.Duration
		for range 20 {
			began := time.Now()
			conn, err := net.Dial("tcp", net.JoinHostPort(slowPeer, strconv.Itoa(l.port)))
			if err != nil {
				t.Fatal(err)
			}
			connects = append(connects, time.Since(began))
			conn.Close()
		}
		t.Log("a round trip (TCP connect):", quantiles(connects))
		l.measureLogin()
		began := time.Now()
		l.must(l.command("--host", "ssh://box", "new", "Workfile", "--from-lines", "lines"))
		t.Log("first command, with the login:", time.Since(began).Round(time.Millisecond))
		l.must(l.command("--host", "ssh://box", "status"))
		l.measureStatus()
		l.measureMany()
		l.measureBreak(roundTrip)
		l.measureSilence()
		l.measureKeys()
	})
}

// measureLogin measures ssh without wf: connecting again cannot be faster.
func (l *loopback) measureLogin() {
	var logins []time.Duration
	for range 7 {
		ssh := l.command()
		ssh.Path, ssh.Args = filepath.Join(filepath.Dir(l.far), "bin/ssh"), []string{"ssh", "box", "true"}
		began := time.Now()
		l.must(ssh)
		logins = append(logins, time.Since(began))
	}
	l.t.Log("ssh box true:", quantiles(logins))
}

func (l *loopback) measureStatus() {
	var all, near []time.Duration
	for range 50 {
		began := time.Now()
		l.must(l.command("--host", "ssh://box", "status"))
		all = append(all, time.Since(began))
	}
	for range 20 {
		cmd := l.command("status")
		cmd.Dir = l.far
		cmd.Env = append(slices.Clone(cmd.Env), "WF_RUNTIME_DIR="+l.far+"/run", "WF_STATE_DIR="+l.far+"/state", "HOME="+l.far)
		began := time.Now()
		l.must(cmd)
		near = append(near, time.Since(began))
	}
	l.t.Log("warm status:", quantiles(all))
	l.t.Log("the same on the machine itself:", quantiles(near))
}

func (l *loopback) measureMany() {
	before := len(l.pids())
	began := time.Now()
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			if out, err := l.command("--host", "ssh://box", "status").CombinedOutput(); err != nil {
				l.t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	l.t.Logf("100 commands at once: %v, %d new processes of ssh", time.Since(began).Round(time.Millisecond), len(l.pids())-before)
	if len(l.pids()) != before {
		l.t.Error("more than one ssh")
	}
}

// ticks is how many lines the watched run writes.
const ticks = 400

// A watchedRun is a run whose output wf shows.
type watchedRun struct {
	t   *testing.T
	l   *loopback
	cmd *exec.Cmd
	out lockedBuffer
}

func (l *loopback) watchRun() *watchedRun {
	w := &watchedRun{t: l.t, l: l, cmd: l.command("--host", "ssh://box", "run", "--output", "stream", "-j", "0")}
	w.cmd.Stdout = &w.out
	if err := w.cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	w.next()
	return w
}

// next waits for the next line, and returns how long that took.
func (w *watchedRun) next() time.Duration {
	count := func() int { return strings.Count(w.out.String(), "tick ") }
	began, before := time.Now(), count()
	if !await(func() bool { return count() > before }) {
		w.t.Fatal("no further output")
	}
	return time.Since(began)
}

// end waits for the end of the run, and checks that every line arrived once.
func (w *watchedRun) end() {
	if err := w.cmd.Wait(); err != nil {
		w.t.Error(err)
	}
	for i := range ticks {
		if tick := fmt.Sprintf("tick %d\n", i+1); strings.Count(w.out.String(), tick) != 1 {
			w.t.Errorf("%q arrived %d times", tick, strings.Count(w.out.String(), tick))
		}
	}
}

// ssh returns the latest ssh process.
func (l *loopback) ssh() (pid int) {
	all := l.pids()
	fmt.Sscan(all[len(all)-1], &pid)
	return pid
}

// measureBreak kills ssh again and again during a watched run.
func (l *loopback) measureBreak(roundTrip time.Duration) {
	w := l.watchRun()
	var again []time.Duration
	for range 9 {
		for worked := time.Now(); time.Since(worked) < 1500*time.Millisecond; { // shorter ones are replaced after a pause
			w.next()
		}
		_ = syscall.Kill(l.ssh(), syscall.SIGKILL)
		time.Sleep(roundTrip) // what is on its way still arrives
		again = append(again, roundTrip+w.next())
	}
	w.end()
	l.t.Log("watching again after the end of ssh:", quantiles(again))
}

// measureSilence stops ssh, and then its keeper, for longer than the keeper waits for an answer.
func (l *loopback) measureSilence() {
	w := l.watchRun()
	_ = syscall.Kill(l.ssh(), syscall.SIGSTOP)
	time.Sleep(roundTrip)
	l.t.Log("watching again after a silent connection:", w.next().Round(time.Millisecond))
	keeper := parentOf(l.t, l.ssh())
	_ = syscall.Kill(keeper, syscall.SIGSTOP)
	time.Sleep(probePatience)
	_ = syscall.Kill(keeper, syscall.SIGCONT)
	l.t.Log("watching again after the keeper was stopped:", w.next().Round(time.Millisecond))
	w.end()
}

// probePatience is longer than a keeper waits for an answer.
const probePatience = 12 * time.Second

// parentOf returns the parent of a process.
func parentOf(t *testing.T, pid int) (parent int) {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	fmt.Sscanf(rest, "%c %d", new(rune), &parent)
	return parent
}

// measureKeys presses keys in the terminal interface.
func (l *loopback) measureKeys() {
	t := l.t
	cmd := l.command("--host", "ssh://box")
	cmd.Env = append(slices.Clone(cmd.Env), "TERM=xterm-256color", "LANG=C.UTF-8")
	began := time.Now()
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 30, Cols: 110})
	if err != nil {
		t.Fatal(err)
	}
	screen := newEmulator(110, 30)
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 65536)
		for {
			n, err := tty.Read(buf)
			screen.Write(buf[:n])
			if err != nil {
				return
			}
		}
	}()
	if !await(func() bool { return strings.Contains(screen.text(), "● live") }) {
		t.Fatalf("no interface:\n%s", screen.text())
	}
	t.Log("the terminal interface is there after", time.Since(began).Round(time.Millisecond))
	var all []time.Duration
	for i := range 60 {
		key := "j"
		if i%20 >= 10 {
			key = "k"
		}
		before, began := screen.text(), time.Now()
		_, _ = tty.WriteString(key)
		for screen.text() == before && time.Since(began) < patience {
			time.Sleep(time.Millisecond)
		}
		all = append(all, time.Since(began))
		time.Sleep(50 * time.Millisecond)
	}
	t.Log("keys of the terminal interface:", quantiles(all))
	_, _ = tty.WriteString("q")
	_ = cmd.Wait()
	tty.Close()
	<-done
}
