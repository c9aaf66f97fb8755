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

// The files of a run can be removed, replaced or cut from outside while the run is going. A log with missing entries
// would say that a command was not executed although it was. Therefore:
//
//   - The runner checks that its log is in place before it starts a command, and waits if it is not.
//   - The runner keeps the number of its entries in the lock file of the run. The next runner refuses a log with fewer
//     entries, and the daemon gives up a run that has neither file: its jobs are lost and not executed again.

const (
	// guardPause is the time between two checks of the log, and between two writes of the entry count.
	guardPause = 50 * time.Millisecond
	// countLimit is how many bytes of the lock file are read.
	countLimit = 200
)

// checkFiles returns an error if the log or the environment of the run is missing. It checks at most once per guardPause
// while it finds none missing. It also closes free output files that are no longer in place.
func (r *runner) checkFiles(now time.Time) error {
	if now.Sub(r.log.checked) < guardPause {
		return nil
	}
	if err := r.log.file.Check(); err != nil {
		return logError(fmt.Errorf("%w; %s", err, missingFileRemedy))
	}
	if err := r.commands.keepEnvironment(r.closing.requested); err != nil {
		return err
	}
	r.outputs.slots.dropDamaged()
	r.log.checked = now
	return nil
}

// missingFileRemedy is what a user can do about a file of a run that was removed.
const missingFileRemedy = "put it back, or stop the run (wf stop) and go on with wf resume"

// keepEnvironment writes the environment file again if it was removed, because the next runner needs it. A runner that
// had no environment at its start looks for the file again, since a daemon may write it.
func (c *commands) keepEnvironment(closing bool) (err error) {
	path := filepath.Join(c.dir, rundir.EnvironmentFile)
	if c.env.missing {
		if c.env, err = openEnvironment(path); err != nil {
			c.env = &environment{missing: true}
			return err
		}
		if c.env.missing {
			return fmt.Errorf("the environment of the run, %s, has been removed; %s", path, missingFileRemedy)
		}
		c.marker = cmp.Or(c.marker, rundir.MarkerOf(c.env.base).Run)
		return nil
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) && !closing {
		_ = rundir.WriteEnvironment(path, c.env.base) // the next check tries again
	}
	return nil
}

// dropDamaged closes the free slots whose files were removed, moved or cut: the output of the next execution could not
// be found in them.
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

// inPlace reports whether fd is the file of that name and is not shorter than size.
func (s *slots) inPlace(number int, stream string, fd int, size int64) bool {
	var ours, there unix.Stat_t
	return unix.Fstat(fd, &ours) == nil && ours.Size >= size &&
		unix.Lstat(filepath.Join(s.folder, rundir.OutputName(number, stream)), &there) == nil &&
		ours.Dev == there.Dev && ours.Ino == there.Ino
}

// An entryCount counts the entries of the log. Written entries exist until the machine crashes, synced entries also
// after that.
type entryCount struct {
	boot            string
	appended        int
	written, synced int

	file  int       // descriptor of the lock file; 0 = none, the count is not kept
	dirty bool      // the file has an older count
	kept  time.Time // when the count was last written to the file
}

// save notes that all appended entries are written, and also synced if synced is set.
func (t *entryCount) save(synced bool) {
	t.dirty = t.dirty || t.written != t.appended || synced && t.synced != t.appended
	t.written = t.appended
	if synced {
		t.synced = t.appended
	}
}

// due returns when the count must be written to the file; any is false if it need not be.
func (t *entryCount) due() (at time.Time, any bool) {
	return t.kept.Add(guardPause), t.dirty && t.file > 0
}

// keep writes the count to the file if that is due. It does not sync: the count lies within one sector and is never
// higher than the number of entries in the log. If the write fails, the older count in the file is still true.
func (t *entryCount) keep(now time.Time) {
	at, any := t.due()
	if !any || now.Before(at) {
		return
	}
	t.kept = now
	if fault.Check(fault.OpEntryCount, rundir.LockFile) != nil {
		return
	}
	if n, err := unix.Pwrite(t.file, t.text(), 0); err == nil && n == len(t.text()) {
		t.dirty = false
	}
}

// text has the same length for all numbers, so that it overwrites an older count completely.
func (t *entryCount) text() []byte {
	return fmt.Appendf(nil, "entries %12d written, %12d synced, boot %s\n", t.written, t.synced, t.boot)
}

// check returns an error if the log, of which read entries were found, has fewer entries than the runner before has
// counted. It ignores a count that is missing or unreadable: old versions wrote none, and a crash of the machine can
// leave zeros.
func (t *entryCount) check(read int) error {
	if t.file == 0 {
		return nil
	}
	text := make([]byte, countLimit)
	n, err := unix.Pread(t.file, text, 0)
	if err != nil {
		return fmt.Errorf("lock of the run: %w", err)
	}
	if n == 0 {
		return nil // no runner has counted
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
		return &wire.GoneError{Why: fmt.Sprintf("entries are missing from the runner log: it has %d and had %d", read, want)}
	}
	return nil
}
