package runner

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/fault"
	"wf/executor/rundir"
	"wf/executor/wire"
)

// The files of a run may be removed, replaced or cut by somebody while it is going. A record from
// which entries are missing says of a command that was executed that it was not, so:
//
//   - a runner looks whether its record is in its place before it starts anything, and waits if not;
//   - it keeps a tally of its entries in the file whose lock it has. The next runner refuses a record
//     with fewer, and the daemon gives up a run that has neither file: what was handed over is lost,
//     not executed again.

const (
	// guardPause is how long a look at the record counts, and how old the tally may be.
	guardPause = 50 * time.Millisecond
	// tallyLimit bounds what is read of a tally, in bytes.
	tallyLimit = 200
)

// guarded returns what has become of the record and of the environment, at most once per guardPause while
// all is well. It also gives up output files that are not in their place any more.
func (r *runner) guarded(now time.Time) error {
	if now.Sub(r.log.checked) < guardPause {
		return nil
	}
	if err := r.log.file.Check(); err != nil {
		return recordError(fmt.Errorf("%w; %s", err, putBack))
	}
	if err := r.commands.keepEnvironment(r.closing.requested); err != nil {
		return err
	}
	r.outputs.slots.dropDamaged()
	r.log.checked = now
	return nil
}

// putBack is what people can do about a file of a run that was removed.
const putBack = "put it back, or stop the run (wf stop) and go on with wf resume"

// keepEnvironment writes the environment again when its file was removed: the next runner needs it. A runner
// that has found none looks for it, since a daemon may write it again.
func (c *commands) keepEnvironment(closing bool) (err error) {
	path := filepath.Join(c.dir, rundir.EnvironmentFile)
	if c.env.missing {
		if c.env, err = openEnvironment(path); err != nil {
			c.env = &environment{missing: true}
			return err
		}
		if c.env.missing {
			return fmt.Errorf("the environment of the run, %s, has been removed; %s", path, putBack)
		}
		c.marker = cmp.Or(c.marker, rundir.MarkerOf(c.env.base).Run)
		return nil
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) && !closing {
		_ = rundir.WriteEnvironment(path, c.env.base) // tried again at the next look
	}
	return nil
}

// dropDamaged gives up the free slots whose files were removed, moved or cut: nobody would find what the
// next execution writes.
func (s *slots) dropDamaged() {
	lost := func(f *slot) bool {
		if s.inPlace(f.number, "out", f.out, f.outSize) && (f.merged || s.inPlace(f.number, "err", f.err, f.errSize)) {
			return false
		}
		f.close()
		return true
	}
	s.free, s.split = slices.DeleteFunc(s.free, lost), slices.DeleteFunc(s.split, lost)
}

// inPlace reports whether fd is the file of that name, and has the bytes that belong to others.
func (s *slots) inPlace(number int, stream string, fd int, size int64) bool {
	var ours, there unix.Stat_t
	return unix.Fstat(fd, &ours) == nil && ours.Size >= size &&
		unix.Lstat(filepath.Join(s.folder, rundir.OutputName(number, stream)), &there) == nil &&
		ours.Dev == there.Dev && ours.Ino == there.Ino
}

// A tally is how many entries the record has. What is written is there as long as the machine lives,
// what is synced also after that.
type entryCount struct {
	boot            string
	appended        int
	written, synced int

	file  int       // descriptor of the lock of the run; 0 = none, nothing is kept
	dirty bool      // it is not what was kept last
	kept  time.Time // when that was
}

// save notes that what was appended is written, or on the disk.
func (t *entryCount) save(synced bool) {
	t.dirty = t.dirty || t.written != t.appended || synced && t.synced != t.appended
	t.written = t.appended
	if synced {
		t.synced = t.appended
	}
}

// due returns when the tally is to be kept, if it is.
func (t *entryCount) due() (at time.Time, any bool) {
	return t.kept.Add(guardPause), t.dirty && t.file > 0
}

// keep writes the tally when it is due. It lies within one sector, and is not synced: it never says
// more than the record did at that moment. When it cannot be written the one before is true as well.
func (t *entryCount) keep(now time.Time) {
	at, any := t.due()
	if !any || now.Before(at) {
		return
	}
	t.kept = now
	if fault.Check(fault.OpTally, rundir.LockFile) != nil {
		return
	}
	if n, err := unix.Pwrite(t.file, t.text(), 0); err == nil && n == len(t.text()) {
		t.dirty = false
	}
}

// text has the same length for all numbers: nothing of an older one may be left behind it.
func (t *entryCount) text() []byte {
	return fmt.Appendf(nil, "entries %12d written, %12d synced, boot %s\n", t.written, t.synced, t.boot)
}

// check holds what the runner before has kept against the record, of which so many entries were read.
// A tally that is not there, or makes no sense, says nothing: the version before had none, and what a
// crash of the machine leaves of it may be zeros.
func (t *entryCount) check(read int) error {
	if t.file == 0 {
		return nil
	}
	text := make([]byte, tallyLimit)
	n, err := unix.Pread(t.file, text, 0)
	if err != nil {
		return fmt.Errorf("lock of the run: %w", err)
	}
	var before entryCount
	if n, _ := fmt.Sscanf(string(text[:n]), "entries %d written, %d synced, boot %s", &before.written, &before.synced, &before.boot); n != 3 {
		return nil
	}
	want := before.synced
	if before.boot == t.boot {
		want = before.written
	}
	if read < want {
		return &wire.GoneError{Why: fmt.Sprintf("entries are missing from the record of the run: it has %d and had %d", read, want)}
	}
	return nil
}
