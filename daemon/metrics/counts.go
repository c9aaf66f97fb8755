package metrics

import (
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/ownfile"
	"wf/workspace/history"
)

// Times of Counts.
const (
	writePause = time.Second     // between two writes
	retryPause = 5 * time.Second // after a write that failed
)

// mostNews bounds the changes that are kept for a file that cannot be written.
const mostNews = 10_000

// Counts are the counts of runs by workfile. They are kept in a file of the state folder, which several daemons may share:
// each adds what it has seen, under a lock, and a run that two of them report is counted once. A goroutine reads and writes
// the file, so that no run waits for it.
//
// What is not in the file when the daemon is killed is found in the history when the workfile is opened the next time (Opened).
// A nil *Counts counts nothing.
type Counts struct {
	state  string
	log    *slog.Logger
	now    func() time.Time
	wake   chan struct{}
	loaded chan struct{} // closed when table is there
	end    chan struct{} // closed by Close
	done   chan struct{} // closed when the goroutine has ended

	mu      sync.Mutex      // guards the fields below; not held during reads and writes
	table   *table          // nil until the file was read
	news    []func(*table)  // what the file does not have
	checked map[string]bool // ids for which Opened was called
	failing bool
}

// OpenCounts starts the goroutine that reads and writes the counts of a state folder. The caller closes them.
func OpenCounts(state string, log *slog.Logger) *Counts {
	c := &Counts{state: state, log: log, now: time.Now, wake: make(chan struct{}, 1), loaded: make(chan struct{}),
		end: make(chan struct{}), done: make(chan struct{}), checked: map[string]bool{}}
	go c.keep()
	return c
}

// Close writes what is not in the file and returns when the goroutine has ended.
func (c *Counts) Close() {
	close(c.end)
	<-c.done
}

// Started notes that a run has begun. It does not block.
func (c *Counts) Started(id, workfile string, run int) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.table != nil && c.table.Workfiles[id] != nil && c.table.Workfiles[id].Workfile == workfile {
		return
	}
	at := c.now()
	c.change(func(t *table) { t.begin(id, workfile, run, at) })
}

// Ended counts a run. It does not block.
func (c *Counts) Ended(x End) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.change(func(t *table) { t.end(x) })
}

// change applies a change to the table, and makes the goroutine write it. The caller holds mu.
func (c *Counts) change(f func(*table)) {
	if c.table != nil {
		f(c.table)
	}
	c.news = append(c.news, f)
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Opened looks for runs of a workfile that ended and were not counted, once for each workfile. It reads the history.
func (c *Counts) Opened(id, workfile string) {
	if c == nil {
		return
	}
	<-c.loaded
	c.mu.Lock()
	e := c.table.Workfiles[id]
	known := e != nil && !c.checked[id]
	c.checked[id] = true
	c.mu.Unlock()
	if !known {
		return
	}
	store := history.At(history.Folder(c.state, id))
	numbers, err := store.Numbers()
	if err != nil {
		c.log.Warn("runs that were not counted cannot be looked for", "workfile", workfile, "err", err)
	}
	for _, n := range c.uncounted(id, numbers) {
		if sum, err := store.Summary(n); err == nil && sum.Result != nil {
			c.Ended(End{id, workfile, n, sum.Result.Result, sum.Result.Ended, time.Duration(sum.Result.DurationMS) * time.Millisecond})
		}
	}
}

// uncounted returns the numbers of runs that are not counted, the oldest first.
func (c *Counts) uncounted(id string, numbers []int) []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.table.Workfiles[id]
	if e == nil {
		return nil
	}
	list := slices.DeleteFunc(slices.Clone(numbers), e.counted)
	slices.Sort(list)
	return list
}

// Write adds the families of the counts: it is a Source.
func (c *Counts) Write(w *Writer) {
	if c == nil {
		return
	}
	<-c.loaded
	c.mu.Lock()
	defer c.mu.Unlock()
	c.table.write(w)
}

// ReadCounts returns a Source with the counts in the file of a state folder, for programs without a daemon.
func ReadCounts(state string) (Source, error) {
	t, err := readTable(state)
	return t.write, err
}

// keep reads the file, and writes changes until Close.
func (c *Counts) keep() {
	defer close(c.done)
	c.load()
	for {
		select {
		case <-c.wake:
		case <-c.end:
			c.store()
			return
		}
		pause := writePause
		if !c.store() {
			pause = retryPause
			select { // try again without news
			case c.wake <- struct{}{}:
			default:
			}
		}
		select {
		case <-time.After(pause):
		case <-c.end:
		}
	}
}

func (c *Counts) load() {
	t, err := readTable(c.state)
	if err != nil {
		c.log.Warn("counts of runs cannot be read: they begin again", "err", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.news {
		f(t)
	}
	c.table = t
	close(c.loaded)
}

// store writes the changes. It returns false if they could not be written.
func (c *Counts) store() bool {
	c.mu.Lock()
	news := c.news
	c.news = nil
	c.mu.Unlock()
	if len(news) == 0 {
		return true
	}
	merged, err := c.merge(news)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		if !c.failing {
			c.log.Error("counts of runs cannot be written: they stay in memory", "file", filepath.Join(c.state, FileCounts), "err", err)
		}
		c.failing = true
		c.news = append(news, c.news...)
		c.news = c.news[max(len(c.news)-mostNews, 0):]
		return false
	}
	c.failing = false
	for _, f := range c.news { // what came meanwhile
		f(merged)
	}
	c.table = merged
	return true
}

// merge adds changes to what the file has now, and returns the result.
func (c *Counts) merge(news []func(*table)) (*table, error) {
	release, err := lock(filepath.Join(c.state, FileCounts+".lock"))
	if err != nil {
		return nil, err
	}
	defer release()
	t, err := readTable(c.state)
	if err != nil {
		c.log.Warn("counts of runs cannot be read: they begin again", "err", err)
	}
	for _, f := range news {
		f(t)
	}
	data, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	return t, ownfile.Replace(filepath.Join(c.state, FileCounts), data, false)
}

// lock locks a file without waiting for more than an instant.
func lock(path string) (release func(), err error) {
	f, err := ownfile.Open(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	for range 50 {
		if err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); !errors.Is(err, unix.EWOULDBLOCK) {
			break
		}
		time.Sleep(2 * time.Millisecond)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}
