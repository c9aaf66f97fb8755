package daemon

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"wf/api"
)

// TestOnce checks that one of several requests with the same key is served and all get its answer; that a repeated
// request that this daemon does not know is refused if a second execution would do harm; and that a failed request may
// be repeated.
func TestOnce(t *testing.T) {
	r := start(t, nil)
	d := &daemon{answers: &answers{byKey: map[string]*savedAnswer{}}, base: t.Context(), cfg: r.cfg.withDefaults()}
	var served atomic.Int32
	fail := true
	h := func(lost bool) http.HandlerFunc {
		handle := d.once(func(w http.ResponseWriter, r *http.Request) error {
			n := served.Add(1)
			if strings.HasSuffix(r.URL.Path, "fails") && fail {
				return api.Invalid("no")
			}
			writeJSON(w, http.StatusOK, n)
			return nil
		}, lost)
		return func(w http.ResponseWriter, r *http.Request) {
			if err := handle(w, r); err != nil {
				writeError(w, d.explain(err))
			}
		}
	}
	ask := func(path, key string, again, lost bool) string {
		req, _ := http.NewRequest("POST", path, nil)
		req.Header.Set(api.HeaderRequest, key)
		if again {
			req.Header.Set(api.HeaderAgain, "1")
		}
		w := &answerRecorder{header: http.Header{}}
		h(lost)(w, req)
		return strings.TrimSpace(w.body.String())
	}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if got := ask("/a", "k", false, true); got != "1" {
				t.Errorf("got %s", got)
			}
		})
	}
	all.Wait()
	if got := ask("/a", "k", true, true); got != "1" || served.Load() != 1 {
		t.Errorf("again: %s, served %d times", got, served.Load())
	}
	for _, c := range []struct {
		path, key   string
		again, lost bool
		want        string
	}{
		{"/b", "k", false, true, "2"}, // another route
		{"/a", "other", false, true, "3"},
		{"/a", "", false, true, "4"},
		{"/a", "", false, true, "5"},
		{"/a", "before", true, false, "6"},
		{"/a", "before", true, false, "6"},
	} {
		if got := ask(c.path, c.key, c.again, c.lost); got != c.want {
			t.Errorf("%+v: got %s", c, got)
		}
	}
	if got := ask("/a", "unknown", true, true); !strings.Contains(got, `"code":"lost"`) {
		t.Errorf("of another daemon: %s", got)
	}
	if got := ask("/fails", "k", false, true); !strings.Contains(got, `"invalid"`) {
		t.Errorf("failure: %s", got)
	}
	fail = false
	if got := ask("/fails", "k", false, true); got != "8" {
		t.Errorf("after a failure: %s", got)
	}
}

// TestAnswersAreBounded checks that the oldest answers are dropped.
func TestAnswersAreBounded(t *testing.T) {
	a := &answers{byKey: map[string]*savedAnswer{}}
	for i := range 2 * answersKept {
		k, _ := a.claim(strconv.Itoa(i))
		a.settle(strconv.Itoa(i), k, []byte("1"))
	}
	if _, mine := a.claim(strconv.Itoa(2*answersKept - 1)); len(a.byKey) != answersKept || mine {
		t.Errorf("%d answers are kept, the latest forgotten: %v", len(a.byKey), mine)
	}
}

type answerRecorder struct {
	header http.Header
	body   strings.Builder
}

func (w *answerRecorder) Header() http.Header         { return w.header }
func (w *answerRecorder) Write(b []byte) (int, error) { return w.body.Write(b) }
func (w *answerRecorder) WriteHeader(int)             {}
