package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Names in the folder of a workspace and in that of a run. The executor also stores its files (out, env) in
// the folder of the run.
const (
	runsDir       = "runs"
	unstartedFile = "unstarted" // number of the newest run when a later one could not begin; absent if that never happened
	lastRunFile   = "last-run"  // highest number ever removed; absent before the first removal
	requestFile   = "run.json"
	workfileFile  = "workfile"
	journalFile   = "journal"
	resultFile    = "result.json"

	newPrefix  = ".new-"  // run during creation
	gonePrefix = ".gone-" // run during removal
)

// Errors for errors.Is.
var (
	ErrNoRun      = errors.New("no such run")
	ErrUnfinished = errors.New("the run is not over")
	ErrFinished   = errors.New("the run is over")
)

// A Store is the history of one workspace. It has no state in memory: any number of goroutines and
// processes may read, while only one at a time may create, reopen and remove runs.
type Store struct {
	dir  string
	disk Disk
}

// Open returns the history below dir on a disk. It creates the folder (mode 0700) if it is missing.
func Open(disk Disk, dir string) (*Store, error) {
	s := &Store{dir: dir, disk: disk}
	if err := os.MkdirAll(s.runs(), 0o700); err != nil {
		return nil, err
	}
	return s, nil
}

// Mend creates the folder of the history if it is missing, and then stores in it that numbers up to last
// were used. It reports whether the folder was missing.
func (s *Store) Mend(last int) (made bool, err error) {
	if _, err := os.Lstat(s.runs()); !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if err := os.MkdirAll(s.runs(), 0o700); err != nil {
		return false, err
	}
	return true, s.keepLast(last)
}

// Folder returns the folder of a workspace, which contains its history.
func Folder(state, id string) string { return filepath.Join(state, "workspaces", id) }

// At returns the history below dir for reading. It creates nothing: a missing folder is an empty history.
func At(dir string) *Store { return &Store{dir: dir, disk: LocalDisk{}} }

// Dir returns the folder of run n, whether or not it exists.
func (s *Store) Dir(n int) string { return filepath.Join(s.runs(), strconv.Itoa(n)) }

func (s *Store) runs() string { return filepath.Join(s.dir, runsDir) }

func (s *Store) file(n int, name string) string { return filepath.Join(s.Dir(n), name) }

// A Companion is an additional file in the folder of a run, which never changes.
type Companion struct {
	Name string // chosen by the caller; must not be a name that this package uses
	Data []byte
}

// Create makes the folder of a new run durably, with the request, the workfile and the companions in
// beside. The new run has the next number. req.Run is the highest number that the caller knows to be used,
// whose folder may have been removed, or 0. The folder appears under its number only when it is durable, so
// after a crash there is a complete run or none; after an error nothing is left.
func (s *Store) Create(req Request, workfile []byte, beside ...Companion) (*Run, error) {
	if _, err := s.Mend(req.Run); err != nil {
		return nil, err
	}
	numbers, err := s.Numbers()
	if err != nil {
		return nil, err
	}
	last, err := s.lastRemoved()
	if err != nil {
		return nil, err
	}
	if last = max(last, req.Run); len(numbers) > 0 {
		last = max(last, numbers[0])
	}
	req.Run, req.Nodes = last+1, len(req.Scope)
	tmp := filepath.Join(s.runs(), newPrefix+strconv.Itoa(req.Run))
	if err := s.disk.RemoveAll(tmp); err != nil { // left by a crash
		return nil, err
	}
	log, err := s.fill(tmp, req, workfile, beside)
	if err == nil {
		err = s.publish(tmp, req.Run)
	}
	if err != nil {
		if log != nil {
			err = errors.Join(err, log.Close())
		}
		return nil, errors.Join(err, s.disk.RemoveAll(tmp))
	}
	log.path = s.file(req.Run, journalFile)
	return &Run{disk: s.disk, dir: s.Dir(req.Run), req: req, log: log}, nil
}

// fill creates the folder dir with the first files of a run. All but the header of the journal is durable.
func (s *Store) fill(dir string, req Request, workfile []byte, beside []Companion) (log *Log, err error) {
	data, err := encodeRequest(req)
	if err != nil {
		return nil, err
	}
	if err := s.disk.Mkdir(dir); err != nil {
		return nil, err
	}
	syncs := []func() error{func() error { return s.disk.SyncDir(dir) }}
	for _, c := range append([]Companion{{requestFile, data}, {workfileFile, workfile}}, beside...) {
		f, openErr := writeNew(s.disk, filepath.Join(dir, c.Name), c.Data)
		if openErr != nil {
			return nil, openErr
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		syncs = append(syncs, f.Sync)
	}
	if log, err = OpenLog(s.disk, filepath.Join(dir, journalFile), func([]byte) error { return nil }); err != nil {
		return nil, err
	}
	if err = together(syncs...); err == nil {
		log.fresh = false
	}
	return log, err
}

// publish renames a complete folder to its number.
func (s *Store) publish(tmp string, n int) error {
	if err := s.disk.Rename(tmp, s.Dir(n)); err != nil {
		return err
	}
	if err := s.disk.SyncDir(s.runs()); err != nil {
		return errors.Join(err, s.disk.RemoveAll(s.Dir(n)))
	}
	return nil
}

// Numbers returns the runs that have a folder, newest first.
func (s *Store) Numbers() ([]int, error) {
	entries, err := os.ReadDir(s.runs())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var numbers []int
	for _, e := range entries {
		n, err := strconv.Atoi(e.Name())
		if err == nil && n > 0 && strconv.Itoa(n) == e.Name() && e.IsDir() {
			numbers = append(numbers, n)
		}
	}
	slices.SortFunc(numbers, func(a, b int) int { return b - a })
	return numbers, nil
}

// lastRemoved returns the highest number that was ever removed, 0 if none. No higher number was used, except
// those of existing runs.
func (s *Store) lastRemoved() (int, error) {
	path := filepath.Join(s.dir, lastRunFile)
	data, err := readSmall(s.disk, path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s: not the number of a run: %q", path, data)
	}
	return n, nil
}

// NoteUnstarted stores that a run could not begin, later than all existing ones. It does nothing if there is no history: to create
// its folder is a matter of the workspace, see Mend.
func (s *Store) NoteUnstarted() error {
	numbers, err := s.Numbers()
	if err != nil {
		return err
	}
	last, err := s.lastRemoved()
	if err != nil {
		return err
	}
	if len(numbers) > 0 {
		last = max(last, numbers[0])
	}
	err = replaceFile(s.disk, filepath.Join(s.dir, unstartedFile), fmt.Appendf(nil, "%d\n", last), false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Unstarted returns the number of the newest run when a run could not begin, the last time that this happened.
func (s *Store) Unstarted() (after int, ok bool) {
	data, err := readSmall(s.disk, filepath.Join(s.dir, unstartedFile))
	if err != nil {
		return 0, false
	}
	after, err = strconv.Atoi(strings.TrimSpace(string(data)))
	return after, err == nil
}

// Workfile returns the workfile as it was at the start of run n.
func (s *Store) Workfile(n int) ([]byte, error) {
	if err := s.exists(n); err != nil {
		return nil, err
	}
	return readFile(s.disk, s.file(n, workfileFile))
}

// LinkWorkfile makes path a hard link to the workfile of run n, which stays when the run is removed, or a
// copy if the file system has no links. It is not durable.
func (s *Store) LinkWorkfile(n int, path string) error {
	tmp := filepath.Join(filepath.Dir(path), newPrefix+filepath.Base(path))
	if err := os.Remove(tmp); err != nil && !errors.Is(err, fs.ErrNotExist) { // left by a crash
		return err
	}
	if os.Link(s.file(n, workfileFile), tmp) == nil {
		return os.Rename(tmp, path)
	}
	data, err := s.Workfile(n)
	if err != nil {
		return err
	}
	return replaceFile(s.disk, path, data, false)
}

func (s *Store) exists(n int) error {
	_, err := os.Stat(s.Dir(n))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("run %d: %w", n, ErrNoRun)
	}
	return err
}

// Settle writes the result of a run that cannot be reopened, because its request is unreadable, or its
// journal is damaged or missing. The run then counts as over.
func (s *Store) Settle(n int, res Result) error {
	if err := s.exists(n); err != nil {
		return err
	}
	// The journal does not contain this result, so the file must be durable.
	return writeResult(s.disk, s.Dir(n), res, true)
}

func writeResult(disk Disk, dir string, res Result, durable bool) error {
	data, err := json.MarshalIndent(res, "", "  ")
	if err != nil {
		return err
	}
	return replaceFile(disk, filepath.Join(dir, resultFile), append(data, '\n'), durable)
}
