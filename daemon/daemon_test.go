package daemon

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"wf/api"
)

func TestSecondDaemonNamesTheFirst(t *testing.T) {
	r := start(t, nil)
	cfg := r.cfg
	cfg.Port = freePort(t)
	err := run(t.Context(), cfg.withDefaults(), newOpener)
	if !errors.Is(err, ErrAlreadyRunning) || !strings.Contains(err.Error(), strconv.Itoa(os.Getpid())) {
		t.Fatalf("second daemon: %v, want ErrAlreadyRunning with pid %d", err, os.Getpid())
	}
	if e := r.ask("GET", api.GetVersion.Path, nil, nil); e != nil {
		t.Fatalf("the first daemon does not answer any more: %v", e)
	}
}

func TestFilesArePrivateAndGoneAfterwards(t *testing.T) {
	r := start(t, nil)
	for _, name := range []string{api.FileLock, api.FileRegistry, api.FileSocket} {
		info, err := os.Stat(filepath.Join(r.cfg.Runtime, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %04o, want 0600", name, info.Mode().Perm())
		}
	}
	r.cancel()
	r.wait()
	for _, name := range []string{api.FileRegistry, api.FileSocket} {
		if _, err := os.Lstat(filepath.Join(r.cfg.Runtime, name)); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", name, err)
		}
	}
}

func TestStaleRegistryIsReplaced(t *testing.T) {
	stale := map[string]api.Registry{
		"dead pid":       {PID: 1 << 22, BootID: bootID(), StartTime: 5},
		"living foreign": {PID: os.Getppid(), BootID: bootID(), StartTime: 1},
		"other boot":     {PID: os.Getpid(), BootID: "another", StartTime: startTime(os.Getpid())},
	}
	for name, reg := range stale {
		t.Run(name, func(t *testing.T) {
			if alive(reg) {
				t.Errorf("alive(%+v)", reg)
			}
			r := start(t, func(c *Config) {
				reg.Token = "old"
				if err := writeRegistry(c.Runtime, reg); err != nil {
					t.Fatal(err)
				}
				leftSocket(t, filepath.Join(c.Runtime, api.FileSocket))
			})
			got, err := readRegistry(r.cfg.Runtime)
			if err != nil || got.PID != os.Getpid() || !alive(got) || got.Token == "old" {
				t.Fatalf("registry %+v, %v", got, err)
			}
			if e := r.ask("GET", api.GetVersion.Path, nil, nil); e != nil {
				t.Fatal(e)
			}
		})
	}
}

// leftSocket creates the socket of a daemon that was killed.
func leftSocket(t *testing.T, path string) {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
}

func TestRegistryOfAnotherDaemonIsNotRemoved(t *testing.T) {
	r := start(t, nil)
	other := api.Registry{PID: 1, Token: "of a successor"}
	if err := writeRegistry(r.cfg.Runtime, other); err != nil {
		t.Fatal(err)
	}
	r.cancel()
	r.wait()
	if got, err := readRegistry(r.cfg.Runtime); err != nil || got != other {
		t.Fatalf("registry %+v, %v", got, err)
	}
}

func TestTakenPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port

	r := start(t, func(c *Config) { c.Port = port })
	if strings.HasSuffix(r.reg.URL, ":"+strconv.Itoa(port)) {
		t.Errorf("the daemon says that it listens on the taken port: %s", r.reg.URL)
	}

	cfg := Config{Runtime: t.TempDir(), State: t.TempDir(), Port: port, PortExplicit: true}
	err = run(t.Context(), cfg.withDefaults(), newOpener)
	var refused *api.Error
	if !errors.As(err, &refused) || !strings.Contains(refused.Message, strconv.Itoa(port)) {
		t.Fatalf("explicit port: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(cfg.Runtime, api.FileRegistry)); !os.IsNotExist(err) {
		t.Error("a registry was written nevertheless")
	}
}

func TestOnlyLoopback(t *testing.T) {
	for _, host := range []string{"0.0.0.0", "::", "192.0.2.1", "localhost", "example.org"} {
		if _, err := listenTCP(Config{Host: host}); err == nil {
			t.Errorf("listening on %s is allowed", host)
		}
	}
}

func TestLongRuntimePath(t *testing.T) {
	r := start(t, func(c *Config) {
		c.Runtime = filepath.Join(c.Runtime, strings.Repeat("long", 30))
		if err := os.Mkdir(c.Runtime, 0o700); err != nil {
			t.Fatal(err)
		}
	})
	if e := r.ask("GET", api.GetVersion.Path, nil, nil); e != nil {
		t.Fatal(e)
	}
	folder := filepath.Dir(r.reg.Socket)
	r.cancel()
	r.wait()
	if _, err := os.Lstat(folder); !os.IsNotExist(err) {
		t.Errorf("the socket's folder is still there: %v", err)
	}
}

func TestIdleDaemonEnds(t *testing.T) {
	r := start(t, func(c *Config) { c.IdleTimeout = time.Millisecond })
	r.wait() // no client came
}

func TestDaemonStaysUntilRecoveredRunsHaveEnded(t *testing.T) {
	earlier, _ := withRun(t)
	path := filepath.Join(earlier.dir, "w")
	earlier.cancel()
	earlier.wait()
	r := start(t, func(c *Config) {
		c.State, c.Executor = earlier.cfg.State, earlier.x
		c.IdleTimeout, c.linger = 400*time.Millisecond, shortLinger
	})
	until(t, "what an earlier daemon left is open", func() bool { return r.files.get(path) != nil })
	earlier.x.endAll()
	r.wait()
	if n := r.files.count(path); n != 1 {
		t.Errorf("opened %d times", n)
	}
	mustBe(t, r.files.get(path), false)
}

func TestLostLockEndsTheDaemon(t *testing.T) {
	dir := t.TempDir()
	l, err := acquire(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if l.lost() {
		t.Fatal("lost at once")
	}
	path := filepath.Join(dir, api.FileLock)
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	if !l.lost() {
		t.Error("a missing file is not detected")
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if !l.lost() {
		t.Error("a replaced file is not detected")
	}
}

func TestAcquireEndsWithItsContext(t *testing.T) {
	dir := t.TempDir()
	l, err := acquire(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := acquire(ctx, dir); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
}
