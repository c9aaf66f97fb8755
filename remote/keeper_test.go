package remote

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A far is a machine with holders in this process. Its daemon echoes.
type far struct {
	t       *testing.T
	ctx     context.Context
	refuse  string        // the kind of the error of further connections; "" for none
	slow    time.Duration // until a refusal
	mu      sync.Mutex
	dials   int
	holders map[string]chan net.Conn
	ended   map[string]time.Time
	carrier net.Conn // the latest
}

// A farPipe is a connection in place of an ssh process.
type farPipe struct {
	net.Conn
	kind string // of its failure
}

func (p farPipe) failure(machine string) *Error { return &Error{Kind: p.kind, Machine: machine} }
func (farPipe) wait()                           {}

// dial plays ssh and DialStdio.
func (f *far) dial(bool) (farProcess, error) {
	near, there := net.Pipe()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dials++
	f.carrier = near
	if f.refuse != "" {
		time.AfterFunc(f.slow, func() { there.Close() })
		go io.Copy(io.Discard, there)
		return farPipe{near, f.refuse}, nil
	}
	go f.accept(there)
	return farPipe{near, NoConnection}, nil
}

func (f *far) accept(conn net.Conn) {
	in := bufio.NewReader(conn)
	var h hello
	if readLine(in, &h) != nil {
		return
	}
	f.mu.Lock()
	to := f.holders[h.Link]
	if to == nil && h.New {
		to = make(chan net.Conn)
		f.holders[h.Link] = to
		go f.hold(h.Link, to)
	}
	f.mu.Unlock()
	if to == nil {
		_ = writeGreeting(conn, welcome{Protocol: Protocol, Error: errNoLink})
		conn.Close()
		return
	}
	end, other := net.Pipe()
	select {
	case to <- other:
	case <-time.After(time.Second): // the holder has just ended
		conn.Close()
		return
	}
	_ = writeLine(end, h)
	go splice(end, end, conn, in)
}

func (f *far) hold(id string, conns <-chan net.Conn) {
	h := Holder{Version: "v1", Daemon: func(context.Context, bool) (net.Conn, error) {
		a, b := net.Pipe()
		go func() {
			_, _ = io.Copy(b, b)
			b.Close()
		}()
		return a, nil
	}}
	if err := h.hold(f.ctx, id, conns); err != nil {
		f.t.Error(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended[id] = time.Now()
	delete(f.holders, id)
}

func (f *far) count() (dials, holders int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.dials, len(f.holders)
}

// cut breaks the latest carrier.
func (f *far) cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.carrier.Close()
}

func (f *far) setRefuse(kind string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refuse = kind
}

// A near is a keeper without a socket.
type near struct {
	*far
	k     *Keeper
	conns chan net.Conn
	ended chan struct{}
	stop  func()
}

// inFakeTime calls test in a bubble of synctest. Package yamux keeps its timers in a sync.Pool, where those of another bubble
// must not be: the garbage collector empties it.
func inFakeTime(t *testing.T, test func(t *testing.T)) {
	runtime.GC()
	runtime.GC()
	synctest.Test(t, test)
}

// withKeeper calls test with a keeper, in fake time.
func withKeeper(t *testing.T, test func(n *near)) {
	inFakeTime(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(context.Background())
		f := &far{t: t, ctx: ctx, holders: map[string]chan net.Conn{}, ended: map[string]time.Time{}}
		n := &near{far: f, k: &Keeper{Runtime: t.TempDir(), Version: "v1", dial: f.dial}, conns: make(chan net.Conn), ended: make(chan struct{}), stop: stop}
		go func() {
			n.k.keep(ctx, stop, n.conns)
			close(n.ended)
		}()
		test(n)
		stop()
		<-n.ended
		time.Sleep(2 * time.Second) // for connections that nobody accepts
		synctest.Wait()
	})
}

// open opens a stream to the daemon there.
func (n *near) open() (net.Conn, *bufio.Reader, error) {
	conn, other := net.Pipe()
	n.conns <- other
	in, err := Options{Note: func(string) {}}.request(conn, Request{Kind: kindDaemon})
	if err != nil {
		conn.Close()
		return nil, nil, err
	}
	var r reply
	return conn, in, errors.Join(readLine(in, &r))
}

// echo sends a word and waits for it.
func echo(conn net.Conn, in *bufio.Reader, word string) error {
	go fmt.Fprintln(conn, word)
	got, err := in.ReadString('\n')
	if err == nil && got != word+"\n" {
		err = fmt.Errorf("got %q, want %q", got, word)
	}
	return err
}

func TestStreamSurvivesTheLossOfItsCarrier(t *testing.T) {
	withKeeper(t, func(n *near) {
		conn, in, err := n.open()
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"one", "two", "three"} {
			if err := echo(conn, in, word); err != nil {
				t.Fatal(err)
			}
			n.cut()
		}
		if dials, holders := n.count(); dials < 3 || holders != 1 {
			t.Errorf("%d connections, %d holders", dials, holders)
		}
		conn.Close()
	})
}

func TestUnreachableMachineIsTriedAgainSlowly(t *testing.T) {
	withKeeper(t, func(n *near) {
		conn, in, err := n.open()
		if err != nil {
			t.Fatal(err)
		}
		n.setRefuse(NoAnswer)
		n.cut()
		time.Sleep(time.Hour)
		if dials, _ := n.count(); dials < 600 || dials > 730 {
			t.Errorf("%d attempts in an hour", dials)
		}
		if _, _, err := n.open(); err == nil {
			t.Error("a caller is served without a connection")
		}
		n.setRefuse("")
		if err := echo(conn, in, "again"); err != nil {
			t.Error(err)
		}
		conn.Close()
	})
}

// TestCarrierThatWorkedIsReplacedAtOnce loses a connection every two seconds.
func TestCarrierThatWorkedIsReplacedAtOnce(t *testing.T) {
	withKeeper(t, func(n *near) {
		conn, in, err := n.open()
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		for i := range 5 {
			time.Sleep(2 * time.Second)
			n.cut()
			if err := echo(conn, in, "again"); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began) - time.Duration(i+1)*2*time.Second; took != 0 {
				t.Errorf("loss %d: connected again after %v", i, took)
			}
		}
		conn.Close()
	})
}

// TestSlowRefusalIsTriedAgainSlowly has logins that fail after more than a second, as those that wait for a name server.
func TestSlowRefusalIsTriedAgainSlowly(t *testing.T) {
	withKeeper(t, func(n *near) {
		conn, _, err := n.open()
		if err != nil {
			t.Fatal(err)
		}
		n.mu.Lock()
		n.refuse, n.slow = NoAnswer, 1500*time.Millisecond
		n.mu.Unlock()
		n.cut()
		time.Sleep(time.Hour)
		if dials, _ := n.count(); dials < 500 || dials > 600 {
			t.Errorf("%d attempts in an hour", dials)
		}
		conn.Close()
	})
}

// TestRefusedLoginIsNotRepeated checks that only a caller makes another attempt: machines lock users out.
func TestRefusedLoginIsNotRepeated(t *testing.T) {
	withKeeper(t, func(n *near) {
		conn, in, err := n.open()
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		n.setRefuse(NoLogin)
		n.cut()
		time.Sleep(time.Hour)
		dials, _ := n.count()
		if dials > 3 {
			t.Errorf("%d attempts", dials)
		}
		n.setRefuse("")
		other, _, err := n.open()
		if err != nil {
			t.Fatal(err)
		}
		if err := echo(conn, in, "again"); err != nil {
			t.Error(err)
		}
		other.Close()
		conn.Close()
	})
}

func TestKeeperEndsWhenItIsIdle(t *testing.T) {
	withKeeper(t, func(n *near) {
		conn, _, err := n.open()
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(24 * time.Hour)
		select {
		case <-n.ended:
			t.Fatal("the keeper ended while a command used it")
		default:
		}
		conn.Close()
		began := time.Now()
		<-n.ended
		if took := time.Since(began); took < idleTime || took > idleTime+10*time.Second {
			t.Errorf("the keeper ended after %v", took)
		}
		synctest.Wait()
		if _, holders := n.count(); holders != 0 {
			t.Errorf("%d holders are left", holders)
		}
	})
}

// TestHolderWaitsADay loses the machine of the keeper for good.
func TestHolderWaitsADay(t *testing.T) {
	withKeeper(t, func(n *near) {
		conn, in, err := n.open()
		if err != nil {
			t.Fatal(err)
		}
		if err := echo(conn, in, "word"); err != nil {
			t.Fatal(err)
		}
		n.setRefuse(NoAnswer)
		n.cut()
		time.Sleep(resumeTime - time.Minute)
		if _, holders := n.count(); holders != 1 {
			t.Error("the holder ended too early")
		}
		time.Sleep(2 * time.Minute)
		if _, holders := n.count(); holders != 0 {
			t.Error("the holder waits for ever")
		}
		// The machine is there again, and the stream is not.
		n.setRefuse("")
		if _, err := in.ReadString('\n'); err == nil {
			t.Error("the stream continues")
		}
		if other, _, err := n.open(); err != nil {
			t.Errorf("the next command: %v", err)
		} else {
			other.Close()
		}
		conn.Close()
	})
}

// TestHolderWithoutStreamsEndsSoon has a keeper that never comes back.
func TestHolderWithoutStreamsEndsSoon(t *testing.T) {
	inFakeTime(t, func(t *testing.T) {
		h := Holder{Version: "v1"}
		began := time.Now()
		if err := h.hold(context.Background(), "0123", make(chan net.Conn)); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took != unusedTime {
			t.Errorf("it waited %v", took)
		}
	})
}

// TestQuestionGoesToTheNextCaller has a caller that ends instead of answering, one that cannot be asked, and one that answers.
func TestQuestionGoesToTheNextCaller(t *testing.T) {
	var ends []net.Conn
	k := &Keeper{}
	for i := range 3 {
		near, there := net.Pipe()
		ends = append(ends, near)
		k.waiting = append(k.waiting, &caller{conn: there, in: bufio.NewReader(there), interactive: i != 1})
	}
	ends[0].Close()
	go func() {
		in := bufio.NewReader(ends[2])
		var r reply
		if err := readLine(in, &r); err != nil || r.Ask != "password: " || !r.Secret {
			t.Errorf("%+v %v", r, err)
		}
		_ = writeLine(ends[2], answer{"secret", true})
	}()
	near, there := net.Pipe()
	go k.ask(&caller{conn: there, in: bufio.NewReader(there)}, Request{Prompt: "password: "})
	var a answer
	if err := readLine(bufio.NewReader(near), &a); err != nil || a.Text != "secret" {
		t.Errorf("%+v %v", a, err)
	}
	if k.unanswered() != "" {
		t.Error("the question counts as unanswered")
	}

	// Without a caller the question is kept for the error.
	k.waiting = nil
	near, there = net.Pipe()
	go k.ask(&caller{conn: there, in: bufio.NewReader(there)}, Request{Prompt: "password: "})
	if err := readLine(bufio.NewReader(near), &a); err != nil || a.OK {
		t.Errorf("%+v %v", a, err)
	}
	if k.unanswered() != "password: " {
		t.Error("the question is not kept")
	}
}

func TestKindOf(t *testing.T) {
	for _, c := range []struct{ kind, line string }{
		{NoName, "ssh: Could not resolve hostname nowhere: Name or service not known"},
		{NoServer, "ssh: connect to host 127.0.0.1 port 1: Connection refused"},
		{NoAnswer, "ssh: connect to host 10.255.255.1 port 22: Connection timed out"},
		{NoAnswer, "Connection to 10.255.255.1 port 22 timed out"},
		{NoAnswer, "ssh: connect to host 10.1.1.1 port 22: No route to host"},
		{NoLogin, "root@127.0.0.1: Permission denied (publickey,password,keyboard-interactive)."},
		{NoLogin, "Received disconnect from ::1 port 22:2: Too many authentication failures"},
		{UnknownKey, "Host key verification failed."},
		{ChangedKey, "Host key for box has changed and you have requested strict checking.\nHost key verification failed."},
		{NoConnection, "kex_exchange_identification: Connection closed by remote host"},
	} {
		if e := SSHError("ssh://box", c.line); e.Kind != c.kind {
			t.Errorf("%q: %s, want %s", c.line, e.Kind, c.kind)
		}
	}
}
