package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// DefaultKeep is the default of Policy.Keep.
const DefaultKeep = 100

// Policy says which runs Prune removes: all that exceed one of its limits.
type Policy struct {
	Keep      int              // number of newest runs that stay; 0 = any number
	None      bool             // no run stays
	Bytes     int64            // total size of the newest runs that stay; 0 = any size. The latest run always stays
	OlderThan time.Duration    // maximum age since the end of a run; 0 = any age
	Now       time.Time        // the current time, for OlderThan
	Skip      func(n int) bool // runs that stay in any case; nil = none
	// Quick reads few files: no run counts as too old unless the oldest one is.
	Quick bool
}

// Prune removes old runs and returns their numbers, oldest first. Runs that are not over are never
// removed. With dryRun it only returns the numbers. With an error it returns the runs removed before it.
func (s *Store) Prune(p Policy, dryRun bool) ([]int, error) {
	numbers, err := s.Numbers()
	if err != nil {
		return nil, err
	}
	doomed := p.choose(numbers, func(n int) *Result { res, _ := s.result(n); return res }, s.size)
	if dryRun {
		return doomed, nil
	}
	for i, n := range doomed {
		if err := s.discard(n); err != nil {
			return doomed[:i], err
		}
	}
	return doomed, s.sweep()
}

// choose applies the limits to runs, newest first. It calls result and size, which read files, only where a limit needs
// them. The result of a run that is not over is nil.
func (p Policy) choose(runs []int, result func(run int) *Result, size func(run int) int64) []int {
	tooOld := func(r *Result) bool { return p.OlderThan > 0 && r != nil && p.Now.Sub(r.Ended) > p.OlderThan }
	checkAge := p.OlderThan > 0
	if checkAge && p.Quick && len(runs) > 0 {
		checkAge = tooOld(result(runs[len(runs)-1]))
	}
	var doomed []int
	var total int64
	for i, n := range runs {
		if p.Bytes > 0 {
			total += size(n)
		}
		tooMany := p.None || p.Keep > 0 && i >= p.Keep
		tooLarge := p.Bytes > 0 && i > 0 && total > p.Bytes
		if !tooMany && !tooLarge && !checkAge || p.Skip != nil && p.Skip(n) {
			continue
		}
		if r := result(n); r != nil && (tooMany || tooLarge || tooOld(r)) {
			doomed = append(doomed, n)
		}
	}
	slices.Reverse(doomed)
	return doomed
}

// size returns the total size of the files of run n, in bytes. Unreadable files do not count.
func (s *Store) size(n int) (bytes int64) {
	_ = filepath.WalkDir(s.Dir(n), func(_ string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil
		}
		if info, err := e.Info(); err == nil {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}

// Size returns the total size of the files of all runs, in bytes.
func (s *Store) Size() (bytes int64, err error) {
	numbers, err := s.Numbers()
	for _, n := range numbers {
		bytes += s.size(n)
	}
	return bytes, err
}

// Remove removes run n. If it is not over, Remove returns ErrUnfinished unless force is set; then the
// caller must know that no process writes it.
func (s *Store) Remove(n int, force bool) error {
	if err := s.exists(n); err != nil {
		return err
	}
	if _, over := s.result(n); !over && !force {
		return fmt.Errorf("run %d: %w", n, ErrUnfinished)
	}
	if err := s.discard(n); err != nil {
		return err
	}
	return s.sweep()
}

// Withdraw removes run n, which never started. Its number was not reported to a client and is used again.
// This needs no space on the disk.
func (s *Store) Withdraw(n int) error {
	gone := filepath.Join(s.runs(), gonePrefix+strconv.Itoa(n))
	if err := s.disk.Rename(s.Dir(n), gone); err != nil {
		return err
	}
	return s.disk.RemoveAll(gone)
}

// Bare reports whether the folder of run n contains only files that Create makes, including companions with
// these names: no runner was ever started for it.
func (s *Store) Bare(n int, companions ...string) bool {
	made := append([]string{requestFile, workfileFile, journalFile, BodyFile}, companions...)
	entries, err := os.ReadDir(s.Dir(n))
	for _, e := range entries {
		if !slices.Contains(made, e.Name()) {
			return false
		}
	}
	return err == nil
}

// discard removes run n atomically: after a crash there is a complete run or a folder that sweep removes.
// First it stores the number, so that it is not used again.
func (s *Store) discard(n int) error {
	if err := s.keepLast(n); err != nil {
		return err
	}
	return s.disk.Rename(s.Dir(n), filepath.Join(s.runs(), gonePrefix+strconv.Itoa(n)))
}

// keepLast stores durably that numbers up to n were used.
func (s *Store) keepLast(n int) error {
	last, err := s.lastRemoved()
	if err != nil || n <= last {
		return err
	}
	return replaceFile(s.disk, filepath.Join(s.dir, lastRunFile), fmt.Appendf(nil, "%d\n", n), true)
}

// sweep deletes discarded runs.
func (s *Store) sweep() error {
	gone, err := filepath.Glob(filepath.Join(s.runs(), gonePrefix+"*"))
	if err != nil {
		return err
	}
	var errs []error
	for _, dir := range gone {
		errs = append(errs, s.disk.RemoveAll(dir))
	}
	return errors.Join(errs...)
}
