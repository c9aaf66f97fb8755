package client

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"wf/api"
)

func TestConnectFindsTheDaemon(t *testing.T) {
	dir := t.TempDir()
	newFake(t, dir).start()
	var starts int
	c := mustConnect(t, Options{Runtime: dir, Version: "v1", Start: starter(nil, &starts)})
	if starts != 0 || c.Version().PID != 4121 || !strings.HasPrefix(c.ID(), "c") {
		t.Errorf("starts %d, version %+v, id %q", starts, c.Version(), c.ID())
	}
}

func TestConnectStartsADaemon(t *testing.T) {
	for _, left := range []string{"nothing", "a dead daemon's files", "a damaged registry"} {
		t.Run(left, func(t *testing.T) {
			dir := t.TempDir()
			switch left {
			case "a dead daemon's files":
				writeRegistry(t, dir, api.Registry{PID: 1, Socket: filepath.Join(dir, api.FileSocket)}, 0o600)
			case "a damaged registry":
				os.WriteFile(filepath.Join(dir, api.FileRegistry), []byte("{"), 0o600)
			}
			var starts int
			var notes []string
			mustConnect(t, Options{Runtime: dir, Version: "v1", Start: starter(newFake(t, dir), &starts),
				Note: func(s string) { notes = append(notes, s) }})
			if want := []string{"started daemon (pid 4121)"}; starts != 1 || !reflect.DeepEqual(notes, want) {
				t.Errorf("starts %d, notes %q", starts, notes)
			}
		})
	}
}

// TestConnectToADyingDaemon checks that a daemon that accepts a connection and dies before its answer counts as missing.
func TestConnectToADyingDaemon(t *testing.T) {
	for name, sent := range map[string]string{"silent": "", "in the middle": "HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			socket := filepath.Join(dir, api.FileSocket)
			l, err := net.Listen("unix", socket)
			if err != nil {
				t.Fatal(err)
			}
			l.(*net.UnixListener).SetUnlinkOnClose(false) // the next daemon may be there already
			died := make(chan struct{})
			go func() {
				defer close(died)
				conn, err := l.Accept()
				if err != nil {
					return
				}
				if sent != "" {
					conn.Read(make([]byte, 4096)) // an answer comes after the request
				}
				io.WriteString(conn, sent)
				conn.Close()
				l.Close()
			}()
			writeRegistry(t, dir, api.Registry{PID: 1, Socket: socket}, 0o600)
			var starts int
			mustConnect(t, Options{Runtime: dir, Start: starter(newFake(t, dir), &starts)})
			l.Close()
			if <-died; starts != 1 {
				t.Errorf("%d starts", starts)
			}
		})
	}
}

func TestConnectWithoutStart(t *testing.T) {
	_, err := connect(t, Options{Runtime: t.TempDir(), NoStart: true,
		Start: func(context.Context) (<-chan error, error) { t.Error("started"); return nil, nil }})
	var u *UnreachableError
	if !errors.Is(err, ErrNoDaemon) || !errors.As(err, &u) {
		t.Fatalf("got %v", err)
	}
}

func TestFailedStartQuotesTheLog(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	os.WriteFile(log, []byte("from an earlier daemon\n"), 0o600)
	start := func(context.Context) (<-chan error, error) {
		f, _ := os.OpenFile(log, os.O_APPEND|os.O_WRONLY, 0)
		defer f.Close()
		f.WriteString("1\n2\n3\n4\n5\n6\n")
		ended := make(chan error, 1)
		ended <- errors.New("exit status 4")
		return ended, nil
	}
	_, err := connect(t, Options{Runtime: dir, Start: start, Log: log})
	var u *UnreachableError
	if !errors.As(err, &u) || !reflect.DeepEqual(u.Log, []string{"2", "3", "4", "5", "6"}) {
		t.Fatalf("got %v", err)
	}
	if !strings.Contains(err.Error(), "exit status 4") {
		t.Errorf("the error does not contain the reason: %v", err)
	}
	if got := tail(log, size(log)); got != nil {
		t.Errorf("nothing new was written, quoted %q", got)
	}
}

func TestWaitForADaemonThatIsComingUp(t *testing.T) {
	dir := t.TempDir()
	l := flock.New(filepath.Join(dir, api.FileLock)) // another daemon holds it, and does not answer yet
	if ok, err := l.TryLock(); !ok {
		t.Fatal(err)
	}
	defer l.Close()
	start := func(context.Context) (<-chan error, error) {
		t.Error("a second daemon was started")
		return nil, errors.New("no")
	}
	_, err := connect(t, Options{Runtime: dir, Start: start, Timeout: 50 * time.Millisecond})
	var u *UnreachableError
	if !errors.As(err, &u) {
		t.Fatalf("got %v", err)
	}
}

func TestUnsafeRegistry(t *testing.T) {
	dir := t.TempDir()
	d := newFake(t, dir).start()
	writeRegistry(t, dir, api.Registry{Socket: filepath.Join(dir, api.FileSocket)}, 0o644)
	if _, err := connect(t, Options{Runtime: dir}); err == nil || !strings.Contains(err.Error(), "0644") {
		t.Errorf("readable registry: %v", err)
	}
	path := filepath.Join(dir, api.FileRegistry)
	os.Chmod(path, 0o600)
	os.Rename(path, path+".real")
	os.Symlink(path+".real", path)
	if _, err := connect(t, Options{Runtime: dir}); err == nil {
		t.Error("a symbolic link is followed")
	}
	info, _ := os.Stat(path)
	if checkRegistry(path, info, os.Geteuid()+1) == nil {
		t.Error("the registry of another user is accepted")
	}
	if checkPeer("s", 1, 2) == nil || checkPeer("s", 1, 1) != nil {
		t.Error("the user of the peer is not checked")
	}
	if n := d.count(api.GetVersion.Path); n != 0 {
		t.Errorf("%d requests were sent nevertheless", n)
	}
}

func TestOtherVersions(t *testing.T) {
	cases := []struct {
		name      string
		old       api.VersionInfo
		noStart   bool
		want      api.Code
		wantNotes int
	}{
		{"idle: replaced", api.VersionInfo{Version: "v1", Protocol: api.Version}, false, "", 2},
		{"idle, other protocol: replaced", api.VersionInfo{Version: "v1", Protocol: "v0"}, false, "", 2},
		{"with runs: used", api.VersionInfo{Version: "v1", Protocol: api.Version, Runs: 1}, false, "", 0},
		{"with runs, other protocol: refused", api.VersionInfo{Version: "v1", Protocol: "v0", Runs: 1}, false, api.CodeVersion, 0},
		{"no start: used", api.VersionInfo{Version: "v1", Protocol: api.Version}, true, "", 0},
		{"no start, other protocol: refused", api.VersionInfo{Version: "v1", Protocol: "v0"}, true, api.CodeVersion, 0},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			old, successor := newFake(t, dir), newFake(t, dir)
			old.info = tc.old
			old.info.PID = 1
			old.start()
			successor.info.Version = "v2"
			var starts int
			var notes []string
			c, err := connect(t, Options{Runtime: dir, Version: "v2", NoStart: tc.noStart,
				Start: starter(successor, &starts), Note: func(s string) { notes = append(notes, s) }})
			if code(err) != tc.want || (err == nil) != (tc.want == "") {
				t.Fatalf("got %v, want code %q", err, tc.want)
			}
			if len(notes) != tc.wantNotes {
				t.Errorf("notes %q", notes)
			}
			if replaced := err == nil && c.Version().Version == "v2"; replaced != (tc.wantNotes > 0) {
				t.Errorf("replaced: %v", replaced)
			}
		})
	}
}

func TestConnectEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	start := func(context.Context) (<-chan error, error) {
		cancel()
		return make(chan error), nil
	}
	if _, err := Connect(ctx, Options{Runtime: t.TempDir(), Start: start, Timeout: time.Hour}); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
}

func TestDetachedProcess(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	start := Detached([]string{"/bin/sh", "-c", `pwd; echo "$X"; ps -o pgid= -p $$ >/dev/null; echo bad >&2; exit 3`}, []string{"X=y"}, log)
	ended, err := start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil || err.Error() != "exit status 3" {
		t.Errorf("ended with %v", err)
	}
	if b, _ := os.ReadFile(log); string(b) != "/\ny\nbad\n" {
		t.Errorf("log %q", b)
	}
	if _, err := Detached([]string{"/nonexistent"}, nil, log)(t.Context()); err == nil {
		t.Error("a missing program starts")
	}
}

func TestStopServerWaitsForTheLock(t *testing.T) {
	dir := t.TempDir()
	newFake(t, dir).start()
	c := mustConnect(t, Options{Runtime: dir})
	if err := c.StopServer(t.Context(), api.ServerStop{}); err != nil {
		t.Fatal(err)
	}
	if Held(dir) {
		t.Error("the lock is still held")
	}
}

// TestDialDaemonThatEnds lets a daemon end after it was found, before it is dialled: another one is started.
func TestDialDaemonThatEnds(t *testing.T) {
	runtime := t.TempDir()
	first, second := newFake(t, runtime), newFake(t, runtime)
	first.mux = http.NewServeMux()
	first.mux.HandleFunc("GET "+api.GetVersion.Path, func(w http.ResponseWriter, _ *http.Request) {
		removed := errors.Join(os.Remove(filepath.Join(runtime, api.FileSocket)), os.Remove(filepath.Join(runtime, api.FileRegistry)), first.lock.Unlock())
		if removed != nil {
			t.Error(removed)
		}
		reply(w, 200, first.info)
	})
	first.start()
	started := 0
	conn, err := DialDaemon(context.Background(), Options{Runtime: runtime, Version: "v1", Start: func(context.Context) (<-chan error, error) {
		started++
		second.start()
		return make(chan error), nil
	}})
	if err != nil || started != 1 {
		t.Fatalf("%v after %d starts", err, started)
	}
	conn.Close()
}
