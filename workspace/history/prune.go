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

// Policy says which runs Prune removes: those that one of its limits is against.
type Policy struct {
	Keep      int              // so many of the newest may stay; 0 = any number
	None      bool             // none may stay
	Bytes     int64            // the folders of the newest may take so much together; 0 = any size. The latest run stays
	OlderThan time.Duration    // what ended longer ago than this goes; 0 = no limit of age
	Now       time.Time        // the present, for OlderThan
	Skip      func(n int) bool // runs to leave alone; nil = none
}

// Prune removes old runs and returns which, oldest first. Runs that are not over are never
// removed. With dryRun nothing is touched. An error comes with the runs that were removed before it.
func (s *Store) Prune(p Policy, dryRun bool) ([]int, error) {
	list, err := s.List()
	if err != nil {
		return nil, err
	}
	doomed := p.choose(list, s.size)
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

// choose applies the limits to a list, newest first. size is asked only where there is a limit of bytes.
func (p Policy) choose(list []Summary, size func(run int) int64) []int {
	var doomed []int
	var total int64
	for i, sum := range list {
		if p.Bytes > 0 {
			total += size(sum.Run)
		}
		if sum.Result == nil || p.Skip != nil && p.Skip(sum.Run) {
			continue
		}
		tooMany := p.None || p.Keep > 0 && i >= p.Keep
		tooOld := p.OlderThan > 0 && p.Now.Sub(sum.Result.Ended) > p.OlderThan
		tooLarge := p.Bytes > 0 && i > 0 && total > p.Bytes
		if tooMany || tooOld || tooLarge {
			doomed = append(doomed, sum.Run)
		}
	}
	slices.Reverse(doomed)
	return doomed
}

// size is how many bytes the files of run n hold. What cannot be looked at counts as nothing.
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

// Size is how many bytes the files of all runs hold.
func (s *Store) Size() (bytes int64, err error) {
	numbers, err := s.Numbers()
	for _, n := range numbers {
		bytes += s.size(n)
	}
	return bytes, err
}

// Remove removes run n. One that is not over is refused with ErrUnfinished unless force is set;
// the caller then knows that nobody is writing it.
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

// Withdraw takes back run n, which never began: nobody has been told its number, so it is given again.
// That needs no room on the disk.
func (s *Store) Withdraw(n int) error {
	gone := filepath.Join(s.runs(), gonePrefix+strconv.Itoa(n))
	if err := s.disk.Rename(s.Dir(n), gone); err != nil {
		return err
	}
	return s.disk.RemoveAll(gone)
}

// Bare reports whether the folder of run n holds nothing but what Create makes, companions of these names
// included: no executor has ever been there.
func (s *Store) Bare(n int, companions ...string) bool {
	made := append([]string{requestFile, workfileFile, journalFile}, companions...)
	entries, err := os.ReadDir(s.Dir(n))
	for _, e := range entries {
		if !slices.Contains(made, e.Name()) {
			return false
		}
	}
	return err == nil
}

// discard makes run n vanish at once: what a crash leaves is a whole run or a folder that sweep
// removes. Its number is kept first, so that it is not given again.
func (s *Store) discard(n int) error {
	if err := s.keepLast(n); err != nil {
		return err
	}
	return s.disk.Rename(s.Dir(n), filepath.Join(s.runs(), gonePrefix+strconv.Itoa(n)))
}

// keepLast notes durably that numbers up to n were given.
func (s *Store) keepLast(n int) error {
	last, err := s.lastRemoved()
	if err != nil || n <= last {
		return err
	}
	return replaceFile(s.disk, filepath.Join(s.dir, lastRunFile), fmt.Appendf(nil, "%d\n", n), true)
}

// sweep frees the space of discarded runs.
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
