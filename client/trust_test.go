package client

import (
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"wf/api"
)

// TestTrustedRegistry lists when the registry is enough to work with a daemon, and when the daemon is asked for its version.
func TestTrustedRegistry(t *testing.T) {
	usual := api.Registry{Version: "v1", Protocol: api.Version, Requests: true}
	for name, tc := range map[string]struct {
		trust   bool
		pid     int
		written api.Registry
		asked   int
	}{
		"usual":                            {true, os.Getpid(), usual, 0},
		"not wanted":                       {false, os.Getpid(), usual, 1},
		"another process has the socket":   {true, os.Getpid() + 1, usual, 1},
		"a daemon that writes no protocol": {true, os.Getpid(), api.Registry{Version: "v1"}, 1},
		"another protocol":                 {true, os.Getpid(), api.Registry{Version: "v1", Protocol: "v0"}, 1},
		"another version":                  {true, os.Getpid(), api.Registry{Version: "v0", Protocol: api.Version}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			d := newFake(t, dir)
			d.info.PID, d.written = tc.pid, tc.written
			d.start()
			c := mustConnect(t, Options{Runtime: dir, Version: "v1", NoStart: true, TrustRegistry: tc.trust})
			if _, err := c.Open(t.Context(), "/w"); err != nil {
				t.Fatal(err)
			}
			if n := d.count(api.GetVersion.Path); n != tc.asked {
				t.Errorf("the version is asked %d times, want %d", n, tc.asked)
			}
			if v := c.Version(); v.Version != "v1" || v.Protocol != api.Version || v.PID != tc.pid {
				t.Errorf("version %+v", v)
			}
		})
	}
}

// TestTrustedDaemonThatIsSilent checks that a daemon that answers nothing is noticed, and that a slow answer is awaited.
func TestTrustedDaemonThatIsSilent(t *testing.T) {
	for _, slow := range []bool{false, true} {
		dir := t.TempDir()
		d := newFake(t, dir)
		d.info.PID, d.written = os.Getpid(), api.Registry{Version: "v1", Protocol: api.Version}
		silence := make(chan struct{})
		d.mux = http.NewServeMux()
		d.mux.HandleFunc("POST "+api.OpenWorkspace.Path, func(w http.ResponseWriter, _ *http.Request) {
			<-silence
			reply(w, 200, api.WorkspaceInfo{ID: "id"})
		})
		d.mux.HandleFunc("GET "+api.GetVersion.Path, func(w http.ResponseWriter, _ *http.Request) {
			if !slow {
				<-silence
			}
			reply(w, 200, d.info)
		})
		d.start()
		c := mustConnect(t, Options{Runtime: dir, Version: "v1", NoStart: true, TrustRegistry: true, Timeout: 50 * time.Millisecond})
		if slow {
			time.AfterFunc(100*time.Millisecond, func() { close(silence) })
		}
		_, err := c.Open(t.Context(), "/w")
		if !slow {
			close(silence)
		}
		var unreachable *UnreachableError
		switch {
		case slow && err != nil:
			t.Errorf("a slow answer: %v", err)
		case !slow && (!errors.As(err, &unreachable) || !strings.Contains(err.Error(), "no answer within 50ms")):
			t.Errorf("no answer: %v", err)
		}
	}
}

// TestTrustedDaemonThatDies checks that the next daemon is started if a trusted one dies before its first answer.
func TestTrustedDaemonThatDies(t *testing.T) {
	dir := t.TempDir()
	d := newFake(t, dir)
	d.info.PID, d.written = os.Getpid(), api.Registry{Version: "v1", Protocol: api.Version, Requests: true}
	d.start()
	var starts int
	c := mustConnect(t, Options{Runtime: dir, Version: "v1", Start: starter(newFake(t, dir), &starts), TrustRegistry: true})
	d.stop()
	if _, err := c.Open(t.Context(), "/w"); err != nil || starts != 1 || c.Version().PID != 4121 {
		t.Errorf("%v, %d starts, version %+v", err, starts, c.Version())
	}
}
