package daemon

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"

	"wf/api"
)

// The runtime files of a daemon may be removed while it runs: systemd removes the runtime folder when the user logs out,
// and users clean up. The daemon creates them again. It keeps running while it cannot, because its runs continue. It
// ends when another daemon has taken the lock.

// checkPause is the time between two checks of the files. Changes that the kernel reports are checked at once.
const checkPause = 2 * time.Second

// runtimeFiles restores lock, registry and socket. It belongs to the goroutine that serves.
type runtimeFiles struct {
	d       *daemon
	lock    *lock
	servers *servers
	tick    *time.Ticker
	watch   *fsnotify.Watcher // nil if the kernel has none: then only the ticks count
	problem string            // the latest failure, which is logged once
}

func (d *daemon) newRuntimeFiles(l *lock, s *servers) *runtimeFiles {
	k := &runtimeFiles{d: d, lock: l, servers: s, tick: time.NewTicker(checkPause)}
	if w, err := fsnotify.NewWatcher(); err == nil {
		k.watch = w
		_ = w.Add(d.cfg.Runtime) // repeated at each check
	}
	return k
}

func (k *runtimeFiles) close() {
	k.tick.Stop()
	if k.watch != nil {
		k.watch.Close()
	}
}

// changes yields something when the runtime folder has changed.
func (k *runtimeFiles) changes() <-chan fsnotify.Event {
	if k.watch == nil {
		return nil
	}
	return k.watch.Events
}

// errors yields something when changes may have been missed.
func (k *runtimeFiles) errors() <-chan error {
	if k.watch == nil {
		return nil
	}
	return k.watch.Errors
}

// concerns reports whether a change is about a runtime file or the folder itself.
func (k *runtimeFiles) concerns(ev fsnotify.Event) bool {
	if !ev.Has(fsnotify.Remove) && !ev.Has(fsnotify.Rename) {
		return false
	}
	switch filepath.Base(ev.Name) {
	case api.FileLock, api.FileRegistry, api.FileSocket, filepath.Base(k.d.cfg.Runtime):
		return true
	}
	return false
}

// check creates missing files again. ErrAlreadyRunning means that another daemon serves here.
func (k *runtimeFiles) check(ctx context.Context) error {
	err := k.restore(ctx)
	if errors.Is(err, ErrAlreadyRunning) || ctx.Err() != nil {
		return err
	}
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text != k.problem {
		k.problem = text
		k.d.cfg.Log.Warn("clients cannot find this daemon: its runtime files are missing", "runtime", k.d.cfg.Runtime, "err", text)
	}
	return nil
}

// restore creates missing files. The lock comes first: without it another daemon may be about to serve.
func (k *runtimeFiles) restore(ctx context.Context) error {
	runtime := k.d.cfg.Runtime
	if k.lock.lost() {
		if err := os.MkdirAll(runtime, 0o700); err != nil {
			return err
		}
		if err := k.lock.renew(ctx); err != nil {
			return err
		}
		k.d.cfg.Log.Warn("the lock was lost and has been taken again", "runtime", runtime)
	}
	if k.watch != nil {
		_ = k.watch.Add(runtime) // the folder may be a new one
	}
	if !k.d.listeners.inPlace() {
		if err := k.reopen(); err != nil {
			return err
		}
	}
	if reg, err := readRegistry(runtime); err != nil || reg.Socket == "" {
		return writeRegistry(runtime, k.d.registry)
	}
	return nil
}

// reopen creates the socket again. Open connections keep the old one.
func (k *runtimeFiles) reopen() error {
	d := k.d.listeners
	if d.folder != "" {
		// Other users may create files next to it, so check the owner.
		if err := os.Mkdir(d.folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if !private(d.folder) {
			return errors.New(d.folder + " is not a private folder")
		}
	}
	before := d.unix
	if err := d.listenUnix(); err != nil {
		return err
	}
	before.Close()
	k.servers.serve(0, k.d.limited(d.unix))
	k.d.cfg.Log.Warn("the socket was lost and has been created again", "socket", d.socket)
	return nil
}

// private reports whether path is a folder that only this user can access.
func private(path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return info.IsDir() && info.Mode().Perm()&0o077 == 0 && ok && int(stat.Uid) == os.Geteuid()
}
