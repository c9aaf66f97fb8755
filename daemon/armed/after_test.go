package armed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"wf/api"
	"wf/workspace/history"
	"wf/workspace/workfile"
)

// otherFile is a workfile whose runs the test writes.
type otherFile struct {
	b    *bench
	path string
	id   string
}

func (b *bench) other(name string) *otherFile {
	path := b.file(name)
	id, _, err := workfile.ID(path)
	b.must(err)
	return &otherFile{b, path, id}
}

// begin begins a run, end ends one.
func (o *otherFile) begin(n int) {
	o.b.t.Helper()
	synctest.Wait() // until the keeper has noted where it begins to count
	o.b.must(os.MkdirAll(history.At(history.Folder(o.b.state, o.id)).Dir(n), 0o700))
}

func (o *otherFile) end(n int, result api.Result) {
	o.b.t.Helper()
	o.begin(n)
	text := fmt.Sprintf(`{"result":%q,"ended":%q}`, result, time.Now().Format(time.RFC3339Nano))
	o.b.must(os.WriteFile(filepath.Join(history.At(history.Folder(o.b.state, o.id)).Dir(n), "result.json"), []byte(text), 0o600))
}

// wantAfter checks the runs of the other workfile that have started runs, in order.
func (b *bench) wantAfter(want ...int) {
	b.t.Helper()
	synctest.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	var got []int
	for _, r := range b.started {
		n, err := strconv.Atoi(r.Trigger.Run)
		b.must(err)
		got = append(got, n)
	}
	if !slices.Equal(got, want) {
		b.t.Errorf("runs started after %v, want %v", got, want)
	}
}

// TestAfter checks that each fitting end of a run of another workfile starts one run, also of those that ended while no daemon ran.
func TestAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		o := b.other("other")
		path := b.file("w", "after: other failure")
		o.end(1, api.ResFailed)
		o.begin(2)
		o.end(3, api.ResFailed)
		k := b.keeper()
		b.must(b.enable(k, path))
		b.wantAfter()
		o.end(2, api.ResFailed) // it was active when the trigger was enabled
		k.Ended(o.id)
		b.wantAfter(2)
		o.end(4, api.Succeeded)
		k.Ended(o.id)
		o.begin(5)
		o.end(6, api.ResFailed)
		k.Ended(o.id)
		b.wantAfter(2, 6)
		if r := b.started[0]; r.Trigger.Name != "after: other failure" || r.OnBusy != "" {
			t.Errorf("the request is %+v", r)
		}
		k.Close()
		o.end(5, api.ResFailed)
		o.end(7, api.ResFailed)
		o.end(8, api.Cancelled)
		o.end(9, api.ResFailed)
		time.Sleep(24 * time.Hour)
		k = b.keeper()
		b.wantAfter(2, 6, 5, 7, 9)
		b.crashNext()
		o.end(10, api.ResFailed)
		k.Ended(o.id)
		synctest.Wait()
		k.Close()
		time.Sleep(time.Hour)
		k = b.keeper()
		k.Ended(o.id)
		b.wantAfter(2, 6, 5, 7, 9, 10)
		time.Sleep(time.Hour)
		b.must(b.enable(k, path))
		b.wantAfter(2, 6, 5, 7, 9, 10)
		k.Close()
		for key, n := range b.byKey {
			if n != 1 {
				t.Errorf("%d runs of %s", n, key)
			}
		}
	})
}

// TestAfterLimit checks that ends beyond the limit wait.
func TestAfterLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		o := b.other("other")
		path := b.file("w", "after: other done limit=2/h")
		k := b.keeper()
		b.must(b.enable(k, path))
		for n := range 5 {
			o.end(n+1, api.Cancelled)
		}
		k.Ended(o.id)
		b.wantAfter(1, 2)
		time.Sleep(time.Hour + mostSleep)
		b.wantAfter(1, 2, 3, 4)
		time.Sleep(time.Hour + mostSleep)
		b.wantAfter(1, 2, 3, 4, 5)
		k.Close()
	})
}

// TestAfterRefused checks which workfiles cannot be followed.
func TestAfterRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		k := b.keeper()
		for name, line := range map[string]string{"lonely": "after: nowhere", "self": "after: ../" + filepath.Base(b.state) + "/self"} {
			var e *api.Error
			if err := b.enable(k, b.file(name, line)); !errors.As(err, &e) || e.Code != api.CodeWorkfile {
				t.Errorf("%s: %v", line, err)
			}
		}
		k.Close()
	})
}

// TestAfterMoved checks that a workfile that is moved keeps what was decided.
func TestAfterMoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		o := b.other("other")
		path := b.file("w", "after: "+o.path)
		k := b.keeper()
		b.must(b.enable(k, path))
		o.end(1, api.Succeeded)
		o.begin(2)
		o.end(3, api.Succeeded)
		k.Ended(o.id)
		b.wantAfter(1, 3)
		to := b.file("moved", "after: "+o.path)
		b.must(k.Moved(context.Background(), b.files[path].ID, b.files[to].ID, to))
		k.Ended(o.id)
		b.wantAfter(1, 3)
		o.end(2, api.Succeeded)
		k.Ended(o.id)
		b.wantAfter(1, 3, 2)
		k.Close()
	})
}
