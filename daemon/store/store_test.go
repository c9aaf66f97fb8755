package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	bolt "go.etcd.io/bbolt"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if where := os.Getenv(writerVariable); where != "" {
		write(where)
		return
	}
	goleak.VerifyTestMain(m)
}

// open returns a store in a new folder, or with the file at path. All runs are in the history.
func open(t testing.TB, path string) *Store {
	t.Helper()
	if path == "" {
		path = filepath.Join(t.TempDir(), "kv.db")
	}
	s := New(path, func(string, int) bool { return true })
	t.Cleanup(s.Close)
	return s
}

func (s *Store) mustSet(t testing.TB, scope Scope, key, value string, terms Terms) Outcome {
	t.Helper()
	out, err := s.Set(t.Context(), scope, key, []byte(value), terms)
	if err != nil {
		t.Fatalf("set %q: %v", key, err)
	}
	return out
}

// mustGet returns the value of key, or "<none>".
func (s *Store) mustGet(t testing.TB, scope Scope, key string) string {
	t.Helper()
	out, err := s.Get(t.Context(), scope, key)
	if err != nil {
		t.Fatalf("get %q: %v", key, err)
	}
	if !out.Found {
		return "<none>"
	}
	return string(out.Value)
}

// kindOf returns the kind of an error of the store.
func kindOf(err error) Kind {
	var own *Error
	if errors.As(err, &own) {
		return own.Kind
	}
	return 0
}

func text(s string) *[]byte {
	b := []byte(s)
	return &b
}

func TestConditions(t *testing.T) {
	s := open(t, "")
	for _, step := range []struct {
		terms Terms
		value string
		done  bool
		after string // "" = the value that was set
	}{
		{Terms{If: text("")}, "0", false, "<none>"},
		{Terms{IfAbsent: true}, "1", true, ""},
		{Terms{IfAbsent: true}, "2", false, "1"},
		{Terms{If: text("2")}, "3", false, "1"},
		{Terms{If: text("1")}, "", true, ""},
		{Terms{If: text("")}, "\x00\xff\n", true, ""},
		{Terms{}, "4", true, ""},
	} {
		out := s.mustSet(t, Machine(), "k", step.value, step.terms)
		want := step.after
		if step.done {
			want = step.value
		}
		if got := s.mustGet(t, Machine(), "k"); out.Done != step.done || got != want {
			t.Errorf("set %q %+v: done %v, then %q, want %q", step.value, step.terms, out.Done, got, want)
		}
		if found := want != "<none>"; out.Found != found || found && string(out.Value) != want {
			t.Errorf("Set %q returns %v %q, want %q", step.value, out.Found, out.Value, want)
		}
	}
	for _, step := range []struct {
		only *[]byte
		done bool
	}{{text("3"), false}, {text("4"), true}, {text("4"), false}, {nil, false}} {
		if out, err := s.Delete(t.Context(), Machine(), "k", step.only); err != nil || out.Done != step.done {
			t.Errorf("delete if %v: %+v, %v", step.only, out, err)
		}
	}
}

func TestScopesAreApart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kv.db")
	s := open(t, path)
	scopes := []Scope{Machine(), Workfile("a"), Workfile("b"), Run("a", 1), Run("a", 11), Run("b", 1)}
	for i, scope := range scopes {
		s.mustSet(t, scope, "k", fmt.Sprint(i), Terms{TTL: time.Hour})
	}
	s.Close()
	s = open(t, path)
	for i, scope := range scopes {
		if got := s.mustGet(t, scope, "k"); got != fmt.Sprint(i) {
			t.Errorf("%v has %q", scope, got)
		}
	}
}

func TestAdd(t *testing.T) {
	s := open(t, "")
	for _, step := range []struct {
		there string // "" = the result of the previous step
		by    int64
		want  string // "" = refused
	}{
		{"", 1, "1"}, {"", 41, "42"}, {"", -50, "-8"}, {" 7\n", 1, "8"},
		{fmt.Sprint(math.MaxInt64), 1, ""}, {fmt.Sprint(math.MinInt64), -1, ""},
		{fmt.Sprint(math.MinInt64), math.MaxInt64, "-1"}, {fmt.Sprint(math.MaxInt64 - 1), 1, fmt.Sprint(math.MaxInt64)},
		{"9223372036854775808", 0, ""}, {"1.5", 1, ""}, {"", 1, ""}, {"0x10", 1, ""}, {"1_000", 1, ""},
	} {
		if step.there != "" {
			s.mustSet(t, Machine(), "n", step.there, Terms{})
		}
		before := s.mustGet(t, Machine(), "n")
		out, err := s.Add(t.Context(), Machine(), "n", step.by, 0)
		after := s.mustGet(t, Machine(), "n")
		switch {
		case step.want == "" && (kindOf(err) != Unfit || after != before):
			t.Errorf("%q + %d: %v, then %q", before, step.by, err, after)
		case step.want != "" && (err != nil || string(out.Value) != step.want || after != step.want):
			t.Errorf("%q + %d: %q, %v, then %q", before, step.by, out.Value, err, after)
		}
	}
}

func TestLimits(t *testing.T) {
	s := open(t, "")
	for _, key := range []string{"", strings.Repeat("k", maxKey+1), "a\nb", "a\x00", "\xff", "\u0085"} {
		_, get := s.Get(t.Context(), Machine(), key)
		_, set := s.Set(t.Context(), Machine(), key, nil, Terms{})
		_, del := s.Delete(t.Context(), Machine(), key, nil)
		_, add := s.Add(t.Context(), Machine(), key, 1, 0)
		for _, err := range []error{get, set, del, add} {
			if kindOf(err) != Invalid {
				t.Errorf("key %.20q: %v", key, err)
			}
		}
	}
	long, large := strings.Repeat("ü", maxKey/2), strings.Repeat("v", MaxValue)
	if s.mustSet(t, Machine(), long, large, Terms{}); s.mustGet(t, Machine(), long) != large {
		t.Error("the longest key with the longest value is not kept")
	}
	if _, err := s.Set(t.Context(), Machine(), "k", append([]byte(large), 'v'), Terms{}); kindOf(err) != Invalid {
		t.Errorf("a value that is too long: %v", err)
	}
}

// TestReadingCreatesNoFile checks that reads and deletions of missing keys create no file.
func TestReadingCreatesNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kv.db")
	s := open(t, path)
	if got := s.mustGet(t, Machine(), "k"); got != "<none>" {
		t.Errorf("there is %q", got)
	}
	if keys, more, err := s.Keys(t.Context(), Machine(), "", "", 10); len(keys) > 0 || more || err != nil {
		t.Error(keys, more, err)
	}
	if out, err := s.Delete(t.Context(), Machine(), "k", nil); err != nil || out.Done {
		t.Error(out, err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a file: %v", err)
	}
	s.mustSet(t, Machine(), "k", "v", Terms{})
	if info, err := os.Lstat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestKeysComeInPages(t *testing.T) {
	s := open(t, "")
	var all []string
	for i := range 25 {
		all = append(all, fmt.Sprintf("a/%02d", i))
		s.mustSet(t, Machine(), all[i], "v", Terms{})
	}
	for _, other := range []string{"a", "a.", "b/00", "A/00"} {
		s.mustSet(t, Machine(), other, "v", Terms{})
	}
	for limit := 1; limit <= 26; limit++ {
		var got []string
		for after, more := "", true; more; {
			var keys []Key
			var err error
			keys, more, err = s.Keys(t.Context(), Machine(), "a/", after, limit)
			if err != nil || len(keys) == 0 || len(keys) > limit {
				t.Fatalf("after %q: %v, %v", after, keys, err)
			}
			for _, k := range keys {
				got = append(got, k.Name)
			}
			after = got[len(got)-1]
		}
		if !slices.Equal(got, all) {
			t.Fatalf("in pages of %d: %q", limit, got)
		}
	}
}

// TestConcurrentChanges checks that changes of many goroutines are serialized, and that each goroutine reads its own.
func TestConcurrentChanges(t *testing.T) {
	s := open(t, "")
	const each, many = 20, 50
	var all sync.WaitGroup
	seen := make([][]string, many)
	for i := range many {
		all.Go(func() {
			for range each {
				out, err := s.Add(context.Background(), Machine(), "n", 1, 0)
				if err != nil {
					t.Error(err)
				}
				seen[i] = append(seen[i], string(out.Value))
				if _, err := s.Get(context.Background(), Machine(), "n"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	unique := map[string]bool{}
	for _, list := range seen {
		for _, v := range list {
			unique[v] = true
		}
	}
	if got := s.mustGet(t, Machine(), "n"); got != fmt.Sprint(many*each) || len(unique) != many*each {
		t.Errorf("%s after %d, %d different", got, many*each, len(unique))
	}
}

// TestRefusalIsForOneChange checks that a refusal does not affect other changes in the same transaction.
func TestRefusalIsForOneChange(t *testing.T) {
	s := open(t, "")
	s.mustSet(t, Machine(), "word", "abc", Terms{})
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			key, want := fmt.Sprint("n", i), Kind(0)
			if i%2 == 0 {
				key, want = "word", Unfit
			}
			if _, err := s.Add(context.Background(), Machine(), key, 1, 0); kindOf(err) != want || want == 0 && err != nil {
				t.Errorf("%s: %v", key, err)
			}
		})
	}
	all.Wait()
	for i := 1; i < 40; i += 2 {
		if got := s.mustGet(t, Machine(), fmt.Sprint("n", i)); got != "1" {
			t.Errorf("n%d is %s", i, got)
		}
	}
}

func TestExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, "")
		s.mustSet(t, Machine(), "short", "v", Terms{TTL: time.Second})
		s.mustSet(t, Machine(), "n", "1", Terms{TTL: time.Minute})
		s.mustSet(t, Machine(), "longer", "v", Terms{TTL: time.Second})
		s.mustSet(t, Machine(), "longer", "v", Terms{TTL: time.Hour})
		s.mustSet(t, Machine(), "kept", "v", Terms{TTL: time.Second})
		s.mustSet(t, Machine(), "kept", "v", Terms{})
		if out, err := s.Add(t.Context(), Machine(), "n", 1, 0); err != nil || out.Expires.IsZero() {
			t.Errorf("adding changes the expiry: %+v, %v", out, err)
		}
		time.Sleep(time.Second)
		for key, want := range map[string]string{"short": "<none>", "n": "2", "longer": "v", "kept": "v"} {
			if got := s.mustGet(t, Machine(), key); got != want {
				t.Errorf("%s is %q, want %q", key, got, want)
			}
		}
		if out := s.mustSet(t, Machine(), "short", "again", Terms{IfAbsent: true}); !out.Done {
			t.Error("an expired value prevents a change")
		}
		time.Sleep(time.Minute)
		if out, err := s.Add(t.Context(), Machine(), "n", 1, time.Minute); err != nil || string(out.Value) != "1" || out.Expires.IsZero() {
			t.Errorf("the number starts again with %q, %v, %v", out.Value, out.Expires, err)
		}
	})
}

// TestSweep checks that expired values are removed without a request, and that no timer runs if no value expires.
func TestSweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, "")
		ticking := func() (on bool) {
			s.call(t.Context(), func() error {
				if on = s.timer.Stop(); on {
					s.timer.Reset(time.Hour + sweepDelay - 10*time.Second)
				}
				return nil
			})
			return on
		}
		lines := func() (n int) {
			err := s.current.Load().view(func(tx *bolt.Tx) error {
				n = tx.Bucket(expiryBucket).Stats().KeyN + tx.Bucket(valuesBucket).Bucket([]byte(machineName)).Stats().KeyN
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		s.mustSet(t, Machine(), "kept", "v", Terms{})
		if ticking() {
			t.Error("a timer runs although no value expires")
		}
		for i := range 100 {
			s.mustSet(t, Machine(), fmt.Sprint("k", i), "v", Terms{TTL: time.Hour})
		}
		time.Sleep(10 * time.Second)
		if !ticking() || lines() != 201 {
			t.Errorf("no clock, or %d lines", lines())
		}
		time.Sleep(time.Hour + sweepDelay)
		synctest.Wait()
		if got := lines(); got != 1 {
			t.Errorf("%d lines are left", got)
		}
		if ticking() {
			t.Error("a timer runs although no value is left to expire")
		}
	})
}

// TestChangesRemoveExpiredValues checks that a transaction also removes expired values, before the timer does.
func TestChangesRemoveExpiredValues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, "")
		for i := range 10 {
			s.mustSet(t, Workfile("w"), fmt.Sprint(i), "v", Terms{TTL: time.Second})
		}
		time.Sleep(time.Second)
		s.mustSet(t, Machine(), "k", "v", Terms{})
		err := s.current.Load().view(func(tx *bolt.Tx) error {
			if n := tx.Bucket(valuesBucket).Bucket([]byte(workfilePrefix + "w")).Stats().KeyN; n != 0 {
				t.Errorf("%d are left", n)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// TestValuesOfRemovedRuns checks that the values of removed runs are removed, at once or when the file is opened the next
// time, and cannot be set again.
func TestValuesOfRemovedRuns(t *testing.T) {
	var mu sync.Mutex // guards gone
	gone := map[int]bool{}
	path := filepath.Join(t.TempDir(), "kv.db")
	open := func() *Store {
		s := New(path, func(_ string, run int) bool {
			mu.Lock()
			defer mu.Unlock()
			return !gone[run]
		})
		t.Cleanup(s.Close)
		return s
	}
	forget := func(run int) {
		mu.Lock()
		defer mu.Unlock()
		gone[run] = true
	}
	scopes := func(s *Store) (names []string) {
		s.mustGet(t, Machine(), "k") // opens it
		err := s.current.Load().view(func(tx *bolt.Tx) error {
			return tx.Bucket(valuesBucket).ForEachBucket(func(name []byte) error {
				names = append(names, string(name))
				return nil
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	s := open()
	for run := 1; run <= 3; run++ {
		s.mustSet(t, Run("w", run), "k", "v", Terms{TTL: time.Hour})
	}
	forget(1)
	if err := s.Forget(t.Context(), "w", []int{1, 7}); err != nil {
		t.Fatal(err)
	}
	if got := scopes(s); !slices.Equal(got, []string{"run/w/2", "run/w/3"}) {
		t.Errorf("%q", got)
	}
	for name, err := range map[string]error{
		"get":    second(s.Get(t.Context(), Run("w", 1), "k")),
		"set":    second(s.Set(t.Context(), Run("w", 1), "k", nil, Terms{})),
		"add":    second(s.Add(t.Context(), Run("w", 1), "k", 1, 0)),
		"delete": second(s.Delete(t.Context(), Run("w", 1), "k", nil)),
	} {
		if kindOf(err) != NoRun {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.Close()
	forget(2)
	s = open()
	if err := s.Forget(t.Context(), "w", []int{2}); err != nil || s.started.Load() {
		t.Errorf("forgetting opens the file, or fails: %v", err)
	}
	if got := scopes(s); !slices.Equal(got, []string{"run/w/3"}) {
		t.Errorf("%q", got)
	}
}

func second[T any](_ T, err error) error { return err }

func TestClosed(t *testing.T) {
	s := open(t, "")
	s.mustSet(t, Machine(), "k", "v", Terms{})
	s.Close()
	s.Close()
	never := open(t, "")
	never.Close()
	for _, s := range []*Store{s, never} {
		if _, err := s.Set(t.Context(), Machine(), "k", nil, Terms{}); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
		if _, err := s.Get(t.Context(), Machine(), "k"); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
	}
}

// TestEndedContext checks that an operation whose context ends before its transaction changes nothing.
func TestEndedContext(t *testing.T) {
	s := open(t, "")
	hold, held := make(chan struct{}), make(chan struct{})
	go s.call(context.Background(), func() error { close(held); <-hold; return nil })
	<-held
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Set(ctx, Machine(), "k", []byte("v"), Terms{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(hold)
	if got := s.mustGet(t, Machine(), "k"); got != "<none>" {
		t.Errorf("there is %q", got)
	}
}

// TestOutcomeIsACopy checks that the result of Get does not change with the file.
func TestOutcomeIsACopy(t *testing.T) {
	s := open(t, "")
	want := strings.Repeat("a", 100)
	s.mustSet(t, Machine(), "k", want, Terms{})
	out, err := s.Get(t.Context(), Machine(), "k")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		s.mustSet(t, Machine(), "k", strings.Repeat(fmt.Sprint(i), 100), Terms{})
	}
	s.Close()
	if !bytes.Equal(out.Value, []byte(want)) {
		t.Errorf("%q", out.Value)
	}
}
