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

// The files by which a daemon is found may be removed while it lives: systemd removes the runtime folder
// when the user has logged out, and people tidy up. The daemon makes them again. It lives on also while
// it cannot, because its runs do; and it ends when another daemon has taken the place that it lost.

// keepPause is the time between two looks at the files. What the kernel tells of is seen at once.
const keepPause = 2 * time.Second

// A keeper watches over lock, registry and socket. It belongs to the goroutine that serves.
type keeper struct {
	d       *daemon
	lock    *lock
	servers *servers
	tick    *time.Ticker
	watch   *fsnotify.Watcher // nil where the kernel gives none: then only the ticks count
	trouble string            // what it could not do the last time, to say it once
}

func (d *daemon) newKeeper(l *lock, s *servers) *keeper {
	k := &keeper{d: d, lock: l, servers: s, tick: time.NewTicker(keepPause)}
	if w, err := fsnotify.NewWatcher(); err == nil {
		k.watch = w
		_ = w.Add(d.cfg.Runtime) // tried again at each look
	}
	return k
}

func (k *keeper) close() {
	k.tick.Stop()
	if k.watch != nil {
		k.watch.Close()
	}
}

// news yields something when the runtime folder has changed.
func (k *keeper) news() <-chan fsnotify.Event {
	if k.watch == nil {
		return nil
	}
	return k.watch.Events
}

// faults yields something when changes may have gone unseen.
func (k *keeper) faults() <-chan error {
	if k.watch == nil {
		return nil
	}
	return k.watch.Errors
}

// concerns reports whether a change is one of our files or of the folder itself.
func (k *keeper) concerns(ev fsnotify.Event) bool {
	if !ev.Has(fsnotify.Remove) && !ev.Has(fsnotify.Rename) {
		return false
	}
	switch filepath.Base(ev.Name) {
	case api.FileLock, api.FileRegistry, api.FileSocket, filepath.Base(k.d.cfg.Runtime):
		return true
	}
	return false
}

// look makes again what is missing. ErrAlreadyRunning says that another daemon serves here by now.
func (k *keeper) look(ctx context.Context) error {
	err := k.mend(ctx)
	if errors.Is(err, ErrAlreadyRunning) || ctx.Err() != nil {
		return err
	}
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text != k.trouble {
		k.trouble = text
		k.d.cfg.Log.Warn("the files by which clients find this daemon", "runtime", k.d.cfg.Runtime, "trouble", text)
	}
	return nil
}

// mend does one look. The lock comes first: without it another daemon may be about to serve.
func (k *keeper) mend(ctx context.Context) error {
	runtime := k.d.cfg.Runtime
	if k.lock.lost() {
		if err := os.MkdirAll(runtime, 0o700); err != nil {
			return err
		}
		if err := k.lock.renew(ctx); err != nil {
			return err
		}
		k.d.cfg.Log.Warn("the lock was lost and is held again", "runtime", runtime)
	}
	if k.watch != nil {
		_ = k.watch.Add(runtime) // a folder that was made anew is another one
	}
	if !k.d.doors.inPlace() {
		if err := k.reopen(); err != nil {
			return err
		}
	}
	if reg, err := readRegistry(runtime); err != nil || reg.Socket == "" {
		return writeRegistry(runtime, k.d.registry)
	}
	return nil
}

// reopen makes the socket again. Conversations that go on keep theirs.
func (k *keeper) reopen() error {
	d := k.d.doors
	if d.folder != "" {
		// It lies where others may make files: one that is not ours is no place for a socket.
		if err := os.Mkdir(d.folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if !private(d.folder) {
			return errors.New(d.folder + " is no private folder")
		}
	}
	before := d.unix
	if err := d.listenUnix(); err != nil {
		return err
	}
	before.Close()
	k.servers.serve(0, k.d.limited(d.unix))
	k.d.cfg.Log.Warn("the socket was lost and is made again", "socket", d.socket)
	return nil
}

// private reports whether path is a folder of this user that nobody else can enter.
func private(path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return info.IsDir() && info.Mode().Perm()&0o077 == 0 && ok && int(stat.Uid) == os.Geteuid()
}
