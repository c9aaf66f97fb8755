package armed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"wf/api"
	"wf/daemon/folders"
	"wf/trigger/arrivals"
)

// fileBench is a bench whose keepers poll folders: events of the kernel come in real time.
func fileBench(t *testing.T) *bench {
	before := newNotifier
	newNotifier = func() (*folders.Notifier, error) { return nil, errors.ErrUnsupported }
	t.Cleanup(func() { newNotifier = before })
	b := newBench(t)
	b.must(os.Mkdir(b.at("in"), 0o700))
	return b
}

func (b *bench) at(name string) string { return filepath.Join(b.state, name) }

// put writes a file whose time of change is that of the bubble.
func (b *bench) put(name string) {
	b.t.Helper()
	synctest.Wait() // until the keeper has looked at the files
	b.must(os.WriteFile(b.at(name), []byte(time.Now().String()), 0o600))
	b.must(os.Chtimes(b.at(name), time.Now(), time.Now()))
}

// batches returns the files of each run, relative to the folder of the workfile.
func (b *bench) batches() (list []string) {
	synctest.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.started {
		var names []string
		for _, path := range r.Trigger.Files {
			name, err := filepath.Rel(b.state, path)
			b.must(err)
			names = append(names, name)
		}
		list = append(list, strings.Join(names, " "))
	}
	return list
}

func (b *bench) wantFiles(want ...string) {
	b.t.Helper()
	if got := b.batches(); !slices.Equal(got, want) {
		b.t.Errorf("the runs have the files %q, want %q", got, want)
	}
}

// aWhile is more than files take to be found and to rest.
const aWhile = pollPause + 3*time.Second

// TestFiles checks that each file that arrives gets one run, also while no daemon runs, and when a daemon dies.
func TestFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := fileBench(t)
		path := b.file("w", "file: in/*.csv")
		b.put("in/old.csv")
		k := b.keeper()
		b.must(b.enable(k, path))
		b.put("in/a.csv")
		b.put("in/b.csv")
		b.put("in/c.txt")
		time.Sleep(aWhile)
		b.wantFiles("in/a.csv in/b.csv")
		if r := b.started[0]; r.Trigger.Name != "file: in/*.csv" || r.OnBusy != api.BusyQueue {
			t.Errorf("the request is %+v", r)
		}
		time.Sleep(time.Hour)
		b.must(os.Remove(b.at("in/a.csv")))
		b.put("in/b.csv")
		b.put("in/old.csv") // written anew
		time.Sleep(aWhile)
		b.wantFiles("in/a.csv in/b.csv", "in/b.csv in/old.csv")
		k.Close()
		b.put("in/d.csv")
		time.Sleep(time.Hour)
		k = b.keeper()
		time.Sleep(aWhile)
		b.wantFiles("in/a.csv in/b.csv", "in/b.csv in/old.csv", "in/d.csv")
		b.crashNext()
		b.put("in/e.csv")
		time.Sleep(aWhile)
		k.Close()
		b.put("in/a.csv")
		k = b.keeper()
		time.Sleep(2 * aWhile)
		want := []string{"in/a.csv in/b.csv", "in/b.csv in/old.csv", "in/d.csv", "in/e.csv", "in/a.csv"}
		b.wantFiles(want...)
		b.must(b.enable(k, path)) // once more
		time.Sleep(time.Hour)
		b.wantFiles(want...)
		log, err := k.LogOf(path)
		b.must(err)
		if f := log.Fires[0]; !slices.Equal(f.Files, []string{"in/a.csv", "in/b.csv"}) || f.FileCount != 2 || f.Result != api.FireStarted {
			t.Errorf("the log says %+v", f)
		}
		k.Close()
	})
}

// TestFolderComesAndGoes checks a folder that does not exist, is moved away and comes back.
func TestFolderComesAndGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := fileBench(t)
		path := b.file("w", "file: later/*/done settle=10s")
		k := b.keeper()
		b.must(b.enable(k, path))
		time.Sleep(time.Hour)
		b.must(os.MkdirAll(b.at("later/x"), 0o700))
		b.put("later/x/done")
		time.Sleep(9 * time.Second)
		b.wantFiles()
		time.Sleep(aWhile)
		b.wantFiles("later/x/done")
		b.must(os.Rename(b.at("later"), b.at("away")))
		time.Sleep(time.Hour)
		b.must(os.Mkdir(b.at("later"), 0o700)) // as an empty mount point
		time.Sleep(time.Hour)
		b.must(os.Remove(b.at("later")))
		b.must(os.Rename(b.at("away"), b.at("later")))
		time.Sleep(time.Hour)
		b.wantFiles("later/x/done")
		b.must(os.Rename(b.at("later/x/done"), b.at("done")))
		time.Sleep(aWhile) // the folder is there, so the file is gone
		b.must(os.Rename(b.at("done"), b.at("later/x/done")))
		time.Sleep(2 * aWhile)
		b.wantFiles("later/x/done", "later/x/done")
		k.Close()
	})
}

// TestBatches checks how many files runs get, that they gather while a run waits in the queue, and the limit.
func TestBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := fileBench(t)
		path := b.file("w", "file: in/* batch=3 existing=yes limit=3/h")
		for i := range 7 {
			b.put(fmt.Sprint("in/", i))
		}
		b.put("in/a\nb")
		k := b.keeper()
		b.must(b.enable(k, path))
		time.Sleep(aWhile)
		b.wantFiles("in/0 in/1 in/2", "in/3 in/4 in/5", "in/6")
		if got := b.results(k, path); !slices.Contains(got, `skipped the name "in/a\nb" has a line break or is not UTF-8, so no command can get it`) {
			t.Errorf("the log says %q", got)
		}
		b.put("in/7")
		time.Sleep(30 * time.Minute)
		b.put("in/8")
		time.Sleep(31 * time.Minute)
		b.wantFiles("in/0 in/1 in/2", "in/3 in/4 in/5", "in/6", "in/7 in/8")
		k.Close()
	})
}

// queueRuns accepts one run and queues the others until free is called.
type queueRuns struct {
	*bench
	queued bool // by the mutex of the bench
}

func (q *queueRuns) Start(ctx context.Context, path string, req api.RunRequest) (api.RunAccepted, error) {
	acc, err := q.bench.Start(ctx, path, req)
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.started) > 1 && err == nil {
		acc, q.queued = api.RunAccepted{Queued: "q1"}, true
	}
	return acc, err
}

func (q *queueRuns) FindStarted(ctx context.Context, path, key string) (api.RunAccepted, bool, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.queued {
		return api.RunAccepted{Queued: "q1"}, true, nil
	}
	return api.RunAccepted{Run: "2"}, true, nil
}

func TestGather(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := fileBench(t)
		path := b.file("w", "file: in/*")
		q := &queueRuns{bench: b}
		k := b.keeperOf(q)
		b.must(b.enable(k, path))
		for i := range 5 {
			b.put(fmt.Sprint("in/", i))
			time.Sleep(aWhile)
		}
		b.wantFiles("in/0", "in/1")
		q.mu.Lock()
		q.queued = false
		q.mu.Unlock()
		k.Ended(b.files[path].ID)
		time.Sleep(time.Second)
		b.wantFiles("in/0", "in/1", "in/2 in/3 in/4")
		k.Close()
	})
}

// TestFilesWait checks that files wait while the triggers of the workfile are changed.
func TestFilesWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := fileBench(t)
		path := b.file("w", "file: in/*")
		k := b.keeper()
		b.must(b.enable(k, path))
		time.Sleep(aWhile)
		b.file("w", "file: in/*", "every: 1h")
		b.put("in/a")
		time.Sleep(10 * aWhile)
		b.wantFiles()
		if got := b.results(k, path); len(got) != 1 || got[0] != "refused "+errChanged("").Message+"; the files wait" {
			t.Errorf("the log says %q", got)
		}
		b.must(b.enable(k, path))
		time.Sleep(aWhile)
		b.wantFiles("in/a")
		b.file("moved", "file: in/*", "every: 1h")
		b.must(k.Moved(context.Background(), b.files[path].ID, b.files[b.at("moved")].ID, b.at("moved")))
		time.Sleep(aWhile)
		b.wantFiles("in/a")
		b.put("in/b")
		time.Sleep(aWhile)
		b.wantFiles("in/a", "in/b")
		k.Close()
	})
}

// TestEnableTwice enables the triggers twice in a second: a file that came in between is not one that existed.
func TestEnableTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := fileBench(t)
		path := b.file("w", "file: in/*")
		k := b.keeper()
		b.must(b.enable(k, path))
		b.put("in/a")
		b.must(b.enable(k, path))
		time.Sleep(aWhile)
		b.wantFiles("in/a")
		k.Close()
	})
}

// TestFireFiles checks wf trigger fire, and what lists say.
func TestFireFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := fileBench(t)
		path := b.file("w", "file: in/* batch=2")
		k := b.keeper()
		b.must(b.enable(k, path))
		if _, err := k.Fire(context.Background(), api.TriggerNow{Path: path}); !api.HasCode(err, api.CodeNotFound) {
			t.Errorf("fire without files: %v", err)
		}
		b.put("in/b")
		time.Sleep(aWhile)
		for _, name := range []string{"in/a", "in/c\nd", "in/e"} {
			b.put(name)
		}
		if acc, err := k.Fire(context.Background(), api.TriggerNow{Path: path}); err != nil || acc.Run != "2" {
			t.Errorf("fire: %+v, %v", acc, err)
		}
		list, err := k.List(context.Background(), api.TriggersQuery{Path: path})
		b.must(err)
		if f := list.Workfiles[0].Triggers[0].Files; f == nil || f.Match != 4 || f.New != 3 || f.Folder != b.at("in") {
			t.Errorf("the list says %+v", f)
		}
		time.Sleep(aWhile)
		b.wantFiles("in/b", "in/a in/b", "in/a in/e")
		k.Close()
	})
}

// TestRandomFiles does anything to files and daemons. Each version of a file that stays gets one run, and none gets two.
func TestRandomFiles(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		steps := rapid.SliceOfN(rapid.IntRange(0, 99), 5, 40).Draw(r, "steps")
		synctest.Test(t, func(t *testing.T) {
			b := fileBench(t)
			path := b.file("w", "file: in/* batch=2 settle=1s")
			k := b.keeper()
			b.must(b.enable(k, path))
			open := true
			for i, step := range steps {
				name := fmt.Sprint("in/", step%4)
				switch step / 10 {
				case 0, 1, 2:
					b.put(name)
				case 3:
					os.Remove(b.at(name)) // it may not exist
				case 4:
					os.Rename(b.at(name), b.at(fmt.Sprint("in/r", i)))
				case 5:
					b.crashNext()
				case 6:
					if open {
						k.Close()
					} else {
						k = b.keeper()
					}
					open = !open
				case 7:
					time.Sleep(time.Duration(step) * 10 * time.Millisecond)
				default:
					time.Sleep(time.Duration(step) * 50 * time.Millisecond)
				}
			}
			if !open {
				k = b.keeper()
			}
			time.Sleep(10 * aWhile)
			k.Close()
			b.checkEach(r)
		})
	})
}

// checkEach checks that every file has had exactly one run since it was written, and no key two.
func (b *bench) checkEach(r *rapid.T) {
	had := map[string]int{}
	for _, req := range b.started {
		for _, path := range req.Trigger.Files {
			had[path]++
		}
	}
	for key, n := range b.byKey {
		if n != 1 {
			r.Errorf("%d runs of %s", n, key)
		}
	}
	for _, f := range folders.NewPattern(b.state, "in/*").Scan(nil).Files {
		if had[b.at(f.Name)] == 0 {
			r.Errorf("%s had no run", f.Name)
		}
	}
	seen := map[string]bool{}
	for _, key := range b.versions {
		if seen[key] {
			r.Errorf("the version %s had two runs", key)
		}
		seen[key] = true
	}
}

// noteVersions notes the versions of the files of a run when it starts.
func (b *bench) noteVersions(paths []string) {
	for _, path := range paths {
		if found, _ := folders.NewPattern("/", path).Look([]string{path}); len(found) == 1 {
			b.versions = append(b.versions, fmt.Sprint(path, arrivals.Version(found[0].Version)))
		}
	}
}
