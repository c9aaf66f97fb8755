package client

import (
	"context"
	"errors"
	"net"
	"net/http"
	"path/filepath"
	"testing"

	"wf/api"
)

// far is another machine. Options.Dial of a client leads to the first of its daemons that has not ended.
type far struct {
	t       *testing.T
	runtime string
	daemons []*fakeDaemon // the running one, if there is one, and those that start later
	running bool
	dials   []bool // the values of start
}

// dial fails as a dial through ssh does: not before the first read.
func (f *far) dial(_ context.Context, start bool) (net.Conn, error) {
	f.dials = append(f.dials, start)
	if start && !f.running {
		f.daemons[0].start()
		f.running = true
	}
	if !f.running {
		here, there := net.Pipe()
		there.Close()
		return here, nil
	}
	return net.Dial("unix", filepath.Join(f.runtime, api.FileSocket))
}

// end makes the running daemon end with its connections.
func (f *far) end() {
	f.daemons[0].srv.Close()
	f.daemons[0].lock.Close()
	f.daemons, f.running = f.daemons[1:], false
}

func newFar(t *testing.T) *far {
	f := &far{t: t, runtime: t.TempDir()}
	f.daemons = []*fakeDaemon{newFake(t, f.runtime), newFake(t, f.runtime)}
	for _, d := range f.daemons {
		d.info.Requests = true
	}
	return f
}

// TestOneConnectionThroughDial lets the first request use the connection through which the version was asked.
func TestOneConnectionThroughDial(t *testing.T) {
	f := newFar(t)
	c := mustConnect(t, Options{Dial: f.dial})
	if _, err := c.Open(t.Context(), "/w"); err != nil || len(f.dials) != 1 || !f.dials[0] {
		t.Errorf("dials %v, %v", f.dials, err)
	}
}

// TestFarDaemonEndsBeforeTheFirstRequest ends the daemon after it has answered with its version.
func TestFarDaemonEndsBeforeTheFirstRequest(t *testing.T) {
	f := newFar(t)
	c := mustConnect(t, Options{Dial: f.dial})
	f.end()
	if _, err := c.Open(t.Context(), "/w"); err != nil || f.daemons[0].count(api.OpenWorkspace.Path) != 1 {
		t.Errorf("dials %v, %v", f.dials, err)
	}
}

// TestFarDaemonEndsInsteadOfAnAnswer ends the daemon while it is asked for its version.
func TestFarDaemonEndsInsteadOfAnAnswer(t *testing.T) {
	f := newFar(t)
	f.daemons[0].mux = http.NewServeMux()
	ended := make(chan bool)
	f.daemons[0].mux.HandleFunc("GET "+api.GetVersion.Path, func(http.ResponseWriter, *http.Request) {
		f.end()
		close(ended)
	})
	opt := Options{Dial: func(ctx context.Context, start bool) (net.Conn, error) {
		if len(f.dials) > 0 {
			<-ended
		}
		return f.dial(ctx, start)
	}}
	c := mustConnect(t, opt)
	if _, err := c.Open(t.Context(), "/w"); err != nil || len(f.dials) != 2 {
		t.Errorf("dials %v, %v", f.dials, err)
	}
}

// TestFarDaemonThatAlwaysEnds checks that Connect gives up.
func TestFarDaemonThatAlwaysEnds(t *testing.T) {
	dials := 0
	_, err := connect(t, Options{Dial: func(context.Context, bool) (net.Conn, error) {
		dials++
		here, there := net.Pipe()
		there.Close()
		return here, nil
	}})
	if !connectionBroke(err) || dials != dialAttempts {
		t.Errorf("%v after %d dials", err, dials)
	}
}

// TestMachineThatCannotBeReached checks that an error of Dial is final and stays readable.
func TestMachineThatCannotBeReached(t *testing.T) {
	gone, dials := errors.New("no route"), 0
	_, err := connect(t, Options{Dial: func(context.Context, bool) (net.Conn, error) {
		dials++
		return nil, gone
	}})
	if !errors.Is(err, gone) || dials != 1 {
		t.Errorf("%v after %d dials", err, dials)
	}
}
