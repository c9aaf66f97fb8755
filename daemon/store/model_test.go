package store

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// A model is a store as a map.
type model map[string]modelValue // by scope and key

type modelValue struct {
	text    string
	expires time.Time // zero = never
}

// look returns a value that has not expired.
func (m model) look(id string) (modelValue, bool) {
	v, found := m[id]
	if !found || !v.expires.IsZero() && !v.expires.After(time.Now()) {
		return modelValue{}, false
	}
	return v, true
}

// TestModel makes random operations, with the file closed and opened and with time passing in between, and compares the
// results with those of a map.
func TestModel(t *testing.T) {
	// rapid stops after 24 hours, which pass quickly in fake time.
	for range 5 {
		synctest.Test(t, checkModel)
	}
}

func checkModel(t *testing.T) {
	// Without its deadline, which is in real time.
	rapid.Check(struct{ rapid.TB }{t}, func(rt *rapid.T) {
		m := &machine{path: filepath.Join(t.TempDir(), "kv.db"), t: t, model: model{}}
		m.s = New(m.path, func(string, int) bool { return true })
		defer func() { m.s.Close() }()
		rt.Repeat(map[string]func(*rapid.T){
			"set": m.set, "delete": m.delete, "add": m.add, "keys": m.keys, "wait": m.wait, "reopen": m.reopen, "": m.same,
		})
	})
}

type machine struct {
	t     *testing.T
	s     *Store
	path  string
	model model
}

var (
	modelScopes = []Scope{Machine(), Workfile("w"), Run("w", 1), Run("w", 2)}
	modelKeys   = []string{"a", "a/b", "a/c", "n", "ü", strings.Repeat("k", maxKey)}
	modelTimes  = []time.Duration{0, 0, time.Millisecond, time.Second, time.Minute, time.Hour}
)

func modelID(scope Scope, key string) string { return scope.name + "\x00" + key }

func (m *machine) pick(rt *rapid.T) (Scope, string, string) {
	scope, key := rapid.SampledFrom(modelScopes).Draw(rt, "scope"), rapid.SampledFrom(modelKeys).Draw(rt, "key")
	return scope, key, modelID(scope, key)
}

var modelText = rapid.OneOf(rapid.SampledFrom([]string{"", "1", "-7", " 3\n", fmt.Sprint(math.MaxInt64), "x"}), rapid.StringN(0, 40, -1))

// drawText draws a value, sometimes one of many pages.
func drawText(rt *rapid.T, label string) string {
	return modelText.Draw(rt, label) + strings.Repeat("long", rapid.SampledFrom([]int{0, 0, 0, 0, 300, 20_000}).Draw(rt, "repeat"))
}

func (m *machine) terms(rt *rapid.T, there modelValue) Terms {
	terms := Terms{TTL: rapid.SampledFrom(modelTimes).Draw(rt, "ttl")}
	switch rapid.IntRange(0, 3).Draw(rt, "condition") {
	case 1:
		terms.IfAbsent = true
	case 2:
		terms.If = text(there.text)
	case 3:
		terms.If = text(drawText(rt, "if"))
	}
	return terms
}

func (m *machine) expect(rt *rapid.T, what, id string, out Outcome, done bool) {
	v, found := m.model.look(id)
	if out.Done != done || out.Found != found || found && (string(out.Value) != v.text || !out.Expires.Equal(v.expires)) {
		rt.Fatalf("%s says %v %v %.60q until %v, want %v %v %.60q until %v", what, out.Done, out.Found, out.Value, out.Expires, done, found, v.text, v.expires)
	}
}

func (m *machine) set(rt *rapid.T) {
	scope, key, id := m.pick(rt)
	value := drawText(rt, "value")
	there, found := m.model.look(id)
	terms := m.terms(rt, there)
	done := !(terms.IfAbsent && found) && (terms.If == nil || found && string(*terms.If) == there.text)
	out, err := m.s.Set(m.t.Context(), scope, key, []byte(value), terms)
	if err != nil {
		rt.Fatal(err)
	}
	if done {
		m.model[id] = modelValue{value, modelExpiry(terms.TTL)}
	}
	m.expect(rt, "set", id, out, done)
}

func modelExpiry(ttl time.Duration) time.Time {
	if ttl == 0 {
		return time.Time{}
	}
	return time.Now().Add(ttl).Truncate(time.Millisecond)
}

func (m *machine) delete(rt *rapid.T) {
	scope, key, id := m.pick(rt)
	there, found := m.model.look(id)
	only := m.terms(rt, there).If
	done := found && (only == nil || string(*only) == there.text)
	out, err := m.s.Delete(m.t.Context(), scope, key, only)
	if err != nil {
		rt.Fatal(err)
	}
	if done {
		delete(m.model, id)
	}
	m.expect(rt, "delete", id, out, done)
}

func (m *machine) add(rt *rapid.T) {
	scope, key, id := m.pick(rt)
	by := rapid.Int64().Draw(rt, "by")
	ttl := rapid.SampledFrom(modelTimes).Draw(rt, "ttl")
	there, found := m.model.look(id)
	number, err := strconv.ParseInt(strings.TrimSpace(there.text), 10, 64)
	sum := number + by
	fits := (sum > number) == (by > 0)
	out, addErr := m.s.Add(m.t.Context(), scope, key, by, ttl)
	if found && (err != nil || !fits) {
		if kindOf(addErr) != Unfit {
			rt.Fatalf("%.60q + %d: %q, %v", there.text, by, out.Value, addErr)
		}
		return
	}
	if addErr != nil {
		rt.Fatal(addErr)
	}
	next := modelValue{strconv.FormatInt(sum, 10), time.Time{}}
	if found {
		next.expires = there.expires
	}
	if ttl > 0 {
		next.expires = modelExpiry(ttl)
	}
	m.model[id] = next
	m.expect(rt, "add", id, out, true)
}

func (m *machine) keys(rt *rapid.T) {
	scope, after, _ := m.pick(rt)
	prefix := rapid.SampledFrom([]string{"", "a", "a/", "n", "zzz"}).Draw(rt, "prefix")
	limit := rapid.IntRange(1, 7).Draw(rt, "limit")
	var want []string
	for _, key := range modelKeys {
		if _, found := m.model.look(modelID(scope, key)); found && strings.HasPrefix(key, prefix) && key > after {
			want = append(want, key)
		}
	}
	slices.Sort(want)
	keys, more, err := m.s.Keys(m.t.Context(), scope, prefix, after, limit)
	if err != nil {
		rt.Fatal(err)
	}
	var got []string
	for _, k := range keys {
		got = append(got, k.Name)
		if v := m.model[modelID(scope, k.Name)]; k.Size != len(v.text) || !k.Expires.Equal(v.expires) {
			rt.Fatalf("%+v is %+v", k, v)
		}
	}
	if wantMore := len(want) > limit; more != wantMore || !slices.Equal(got, want[:min(limit, len(want))]) {
		rt.Fatalf("%q (more: %v), want %q of %d", got, more, want, limit)
	}
}

func (m *machine) wait(rt *rapid.T) {
	time.Sleep(rapid.SampledFrom(modelTimes).Draw(rt, "time"))
	synctest.Wait()
}

func (m *machine) reopen(*rapid.T) {
	m.s.Close()
	m.s = New(m.path, func(string, int) bool { return true })
}

// same compares all keys of the store and the model.
func (m *machine) same(rt *rapid.T) {
	for _, scope := range modelScopes {
		for _, key := range modelKeys {
			out, err := m.s.Get(m.t.Context(), scope, key)
			if err != nil {
				rt.Fatal(err)
			}
			m.expect(rt, "get", modelID(scope, key), out, false)
		}
	}
}
