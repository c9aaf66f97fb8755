package link

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// carry attaches both ends to a new carrier and returns functions that break it, and that wait for its end.
func carry(a, b *Link) (cut, wait func()) {
	x, y := net.Pipe()
	var ends sync.WaitGroup
	receivedA, receivedB := a.Received(), b.Received()
	ends.Go(func() { _ = a.Attach(x, bufio.NewReader(x), receivedB) })
	ends.Go(func() { _ = b.Attach(y, bufio.NewReader(y), receivedA) })
	return func() { x.Close() }, ends.Wait
}

// TestNothingIsLostOrRepeated breaks the carrier again and again during a transfer in both directions.
func TestNothingIsLostOrRepeated(t *testing.T) {
	a, b := New(), New()
	sent := [2][]byte{make([]byte, 6<<20), make([]byte, 3<<20)}
	var got [2]bytes.Buffer
	var all sync.WaitGroup
	for i, data := range sent {
		for j := range data {
			data[j] = byte(rand.Uint32())
		}
		from, to := a, b
		if i == 1 {
			from, to = b, a
		}
		all.Go(func() {
			for rest := data; len(rest) > 0; {
				n, err := from.Write(rest[:min(len(rest), 1+rand.IntN(100_000))])
				if err != nil {
					t.Error(err)
					return
				}
				rest = rest[n:]
			}
		})
		all.Go(func() {
			if _, err := io.CopyN(&got[i], to, int64(len(data))); err != nil {
				t.Error(err)
			}
		})
	}
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	for cuts := 0; ; cuts++ {
		cut, wait := carry(a, b)
		goal := b.Received() + uint64(rand.IntN(100_000))
		for b.Received() < goal {
			select {
			case <-done:
				goal = 0
			default:
			}
		}
		select {
		case <-done:
			a.Close()
			b.Close()
			wait()
			if cuts < 3 {
				t.Errorf("only %d cuts", cuts)
			}
			for i := range sent {
				if !bytes.Equal(sent[i], got[i].Bytes()) {
					t.Errorf("direction %d: %d bytes sent, %d other ones received", i, len(sent[i]), got[i].Len())
				}
			}
			return
		default:
		}
		cut()
		wait()
	}
}

// TestSilentCarrierIsDropped has a carrier that accepts everything and answers nothing.
func TestSilentCarrierIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New()
		x, y := net.Pipe()
		go io.Copy(io.Discard, y)
		var ended sync.WaitGroup
		ended.Go(func() { _ = l.Attach(x, bufio.NewReader(x), 0) })
		synctest.Wait()
		l.Probe(5 * time.Second)
		time.Sleep(4 * time.Second)
		if !l.Connected() {
			t.Error("the carrier was dropped too early")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if l.Connected() {
			t.Error("the carrier is still there")
		}
		ended.Wait()
		y.Close()
	})
}

// TestLivingCarrierIsKept answers the ping, while nothing else happens.
func TestLivingCarrierIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := New(), New()
		_, wait := carry(a, b)
		synctest.Wait()
		a.Probe(5 * time.Second)
		time.Sleep(time.Minute)
		if !a.Connected() {
			t.Error("the carrier was dropped")
		}
		a.Close()
		wait()
	})
}

func TestDivergedEndsAreRefused(t *testing.T) {
	l := New()
	x, _ := net.Pipe()
	if err := l.Attach(x, bufio.NewReader(x), 1); !errors.Is(err, ErrDiverged) {
		t.Error(err)
	}
}

func TestClosedLink(t *testing.T) {
	l := New()
	reason := errors.New("the machine is gone")
	l.CloseWith(reason)
	if _, err := l.Read(make([]byte, 1)); !errors.Is(err, reason) {
		t.Errorf("read: %v", err)
	}
	if _, err := l.Write([]byte("x")); !errors.Is(err, reason) {
		t.Errorf("write: %v", err)
	}
	x, _ := net.Pipe()
	if err := l.Attach(x, bufio.NewReader(x), 0); !errors.Is(err, reason) {
		t.Errorf("attach: %v", err)
	}
}
