// Package fence keeps a part of the state folder for one daemon, also if several machines share the folder. It contains
// nothing about workflows, and it never waits for another daemon.
package fence

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/ownfile"
)

// A Fence allows one daemon to write to a folder, such as that of a workspace, and keeps all others out. A daemon has it under
// two conditions, because each of them alone can fail on a file system that machines share:
//
//   - The file is locked. The lock ends with the process. Some file systems keep locks on one machine only.
//   - The file names no holder on another machine. A holder that does not release the fence stays named: its runners may
//     still write, although its daemon has ended.
//
// The file is never removed: a lock on a removed file would not be visible to other processes.
type Fence struct {
	path  string
	file  *os.File // kept reachable: garbage collection would close it and release the lock
	own   Holder
	owner *owner // nil on a local disk
	named bool   // a holder was named before
	ended sync.Once
}

// A TakenError reports that another daemon has the fence.
type TakenError struct {
	Holder Holder
	Locked bool // the holder is alive; otherwise it is on another machine and perhaps gone
}

func (e *TakenError) Error() string {
	switch {
	case e.Holder.PID == 0:
		return "another daemon has it"
	case !e.Locked:
		return fmt.Sprintf("the daemon with pid %d on %s had it and has not released it", e.Holder.PID, e.Holder.Host)
	}
	return fmt.Sprintf("the daemon with pid %d on %s has it", e.Holder.PID, e.Holder.Host)
}

// volume contains the operations that depend on the file system. Tests replace them.
type volume struct {
	shared func(*os.File) bool // whether other machines may have the file system mounted
	lock   func(file *os.File, shared bool) error
	beat   time.Duration // the time between two signs of life
}

// thisVolume is the file system as it is. A sign of life is rare enough for a server with thousands of clients.
var thisVolume = volume{isShared, lock, 10 * time.Second}

// Shared reports whether other machines may have the file system of an open file or folder mounted.
func Shared(file *os.File) bool { return thisVolume.shared(file) }

// Take takes the fence at path for own. It does not wait: if another daemon has the fence, the error is a *TakenError. On a
// read-only file system an existing fence can be taken.
func Take(path string, own Holder) (*Fence, error) { return thisVolume.take(path, own) }

func (v volume) take(path string, own Holder) (*Fence, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, writable, err := open(path)
	if err != nil {
		return nil, err
	}
	f.own = own
	shared := v.shared(f.file)
	if err := v.lock(f.file, shared); err != nil {
		return nil, errors.Join(f.lockError(err), f.file.Close())
	}
	if !f.inPlace() {
		return nil, errors.Join(fmt.Errorf("%s: it was replaced meanwhile", path), f.file.Close())
	}
	before, signed := readHolder(f.file)
	if before.Elsewhere(own) {
		return nil, errors.Join(&TakenError{Holder: before}, f.file.Close())
	}
	f.named = before.PID != 0
	if !writable {
		return f, nil
	}
	if shared {
		if f.owner, err = v.claim(path+ownerSuffix, own); err != nil {
			return nil, errors.Join(err, f.file.Close())
		}
	}
	if err := f.sign(signed); err != nil && shared {
		f.Release()
		return nil, fmt.Errorf("sign %s: %w", path, err)
	}
	return f, nil
}

// open opens the file of a fence.
func open(path string) (f *Fence, writable bool, err error) {
	file, err := ownfile.Open(path, os.O_RDWR|os.O_CREATE)
	writable = err == nil
	if errors.Is(err, unix.EROFS) {
		file, err = ownfile.Open(path, os.O_RDONLY)
	}
	return &Fence{path: path, file: file}, writable, err
}

// lockError explains why the file could not be locked.
func (f *Fence) lockError(err error) error {
	switch {
	case errors.Is(err, unix.EWOULDBLOCK), errors.Is(err, unix.EACCES):
		h, _ := readHolder(f.file)
		return &TakenError{Holder: h, Locked: true}
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.ENOLCK):
		return fmt.Errorf("lock %s: the file system has no locks (%w): set WF_STATE_DIR to another disk", f.path, err)
	}
	return fmt.Errorf("lock %s: %w", f.path, err)
}

// sign writes the holder into the file. On a local disk the errors do not matter: other processes of this machine respect
// the lock. On a shared one the holder is on the disk when sign returns.
func (f *Fence) sign(signed bool) error {
	if signed {
		if err := f.file.Truncate(0); err != nil {
			return err
		}
	}
	_, err := f.file.WriteAt(f.own.encode(), 0)
	if err == nil && f.owner != nil {
		err = f.file.Sync()
	}
	return err
}

// Stands reports whether the fence still holds: the locked file is the one at its path, and no other machine has taken the
// fence over.
func (f *Fence) Stands() bool {
	if !f.inPlace() || f.owner != nil && !f.owner.stands() {
		return false
	}
	h, _ := readHolder(f.file)
	return !h.Elsewhere(f.own)
}

// inPlace reports whether the open file is still the one at its path.
func (f *Fence) inPlace() bool {
	ours, err := f.file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(f.path)
	return err == nil && os.SameFile(ours, there)
}

// Lost returns a channel that is closed when another machine has taken the fence over. It is nil on a local disk.
func (f *Fence) Lost() <-chan struct{} {
	if f.owner == nil {
		return nil
	}
	return f.owner.lost
}

// Moved sets the path of a fence whose folder was renamed.
func (f *Fence) Moved(path string) {
	f.path = path
	if f.owner != nil {
		f.owner.moved(path + ownerSuffix)
	}
}

// Release gives the fence back. Any machine can take it afterwards. A fence that another machine has taken over stays as it is.
// Only the first call of Release or Leave does something.
func (f *Fence) Release() {
	f.ended.Do(func() {
		if h, _ := readHolder(f.file); !h.Elsewhere(f.own) {
			_ = f.file.Truncate(0) // otherwise this machine stays named, which is safe
		}
		if f.owner != nil {
			f.owner.release()
		}
		f.file.Close()
	})
}

// Leave ends the use of a fence whose runs go on. Only daemons of this machine can take it afterwards.
func (f *Fence) Leave() {
	f.ended.Do(func() {
		if f.owner != nil {
			f.owner.stop()
		}
		f.file.Close()
	})
}

// GiveUp ends the use of a fence under which nothing was written. It names a holder afterwards if it did before.
func (f *Fence) GiveUp() {
	if f.named {
		f.Leave()
	} else {
		f.Release()
	}
}

// ownerSuffix ends the name of the file that names the holder on a shared file system.
const ownerSuffix = ".owner"

// owner is the second file of a fence on a shared file system. It exists while the fence is taken. Unlike a lock, the creation
// of a name is atomic for all machines on every such file system. Its modification time changes with every sign of life.
type owner struct {
	mu   sync.Mutex // guards path
	path string
	own  Holder
	quit chan struct{}
	lost chan struct{}
	done sync.WaitGroup
}

// claim creates the file of the owner. The caller has the lock, so an existing file of this machine is of a daemon that is
// gone.
func (v volume) claim(path string, own Holder) (*owner, error) {
	tmp := path + "." + own.Boot + ownfile.Unfinished
	if err := writeSynced(tmp, own.encode()); err != nil {
		return nil, err
	}
	err := os.Link(tmp, path)
	if err != nil { // it exists, or this file system has no links
		var before Holder
		if before, err = readOwner(path); err == nil && before.Elsewhere(own) {
			return nil, errors.Join(&TakenError{Holder: before}, os.Remove(tmp))
		}
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			err = os.Rename(tmp, path)
		}
	}
	if err := errors.Join(err, ownfile.Remove(tmp)); err != nil {
		return nil, err
	}
	o := &owner{path: path, own: own, quit: make(chan struct{}), lost: make(chan struct{})}
	o.done.Go(func() { o.live(v.beat) })
	return o, nil
}

// writeSynced creates a file with its content on the disk.
func writeSynced(path string, data []byte) error {
	if err := ownfile.Remove(path); err != nil {
		return err
	}
	file, err := ownfile.Open(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Sync(), file.Close())
}

// live gives signs of life until stop, or until another machine has taken the fence over.
func (o *owner) live(every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-o.quit:
			return
		case <-tick.C:
		}
		if !o.stands() {
			close(o.lost)
			return
		}
		_ = os.Chtimes(o.at(), time.Time{}, time.Now()) // without it the daemon looks dead, which only misleads people
	}
}

func (o *owner) at() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.path
}

func (o *owner) moved(path string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.path = path
}

// stands reports whether the file names this daemon. A file that cannot be read now may still do.
func (o *owner) stands() bool {
	now, err := readOwner(o.at())
	return now == o.own || err != nil && !errors.Is(err, fs.ErrNotExist)
}

func (o *owner) stop() {
	close(o.quit)
	o.done.Wait()
}

func (o *owner) release() {
	o.stop()
	if o.stands() {
		_ = os.Remove(o.at()) // otherwise this machine stays named, which is safe
	}
}
