package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"wf/api"
)

// TestRequestIsRepeatedAtNextDaemon checks that a request that an ending daemon refused is sent to the next daemon.
func TestRequestIsRepeatedAtNextDaemon(t *testing.T) {
	dir := t.TempDir()
	d := newFake(t, dir)
	d.mux.HandleFunc("POST "+api.AddToValue.Path, func(w http.ResponseWriter, _ *http.Request) {
		if d.count(api.AddToValue.Path) < 3 {
			reply(w, http.StatusGone, api.Error{Code: api.CodeGone, Message: "the daemon is ending"})
			return
		}
		reply(w, 200, api.KVAnswer{Done: true, Found: true, Value: []byte("1")})
	})
	d.start()
	c := mustConnect(t, Options{Runtime: dir, Version: "v1"})
	answer, err := c.KVIncr(t.Context(), api.KVIncr{Key: "n", By: 1})
	if err != nil || string(answer.Value) != "1" || d.count(api.AddToValue.Path) != 3 {
		t.Errorf("%+v, %v after %d", answer, err, d.count(api.AddToValue.Path))
	}
}

// TestAdditionIsNotRepeatedAfterLostAnswer checks that a daemon without keys gets an addition only once.
func TestAdditionIsNotRepeatedAfterLostAnswer(t *testing.T) {
	dir := t.TempDir()
	d := newFake(t, dir)
	d.mux.HandleFunc("POST "+api.AddToValue.Path, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	d.start()
	c := mustConnect(t, Options{Runtime: dir, Version: "v1"})
	if _, err := c.KVIncr(t.Context(), api.KVIncr{Key: "n", By: 1}); !connectionBroke(err) || d.count(api.AddToValue.Path) != 1 {
		t.Errorf("%v after %d", err, d.count(api.AddToValue.Path))
	}
}

func TestKeysOfAllPages(t *testing.T) {
	dir := t.TempDir()
	d := newFake(t, dir)
	const all, page = 25, 10
	d.mux.HandleFunc("GET "+api.ListKeys.Path, func(w http.ResponseWriter, r *http.Request) {
		q, answer := r.URL.Query(), api.KVKeys{}
		for i := range all {
			if key := fmt.Sprintf("k%02d", i); key > q.Get("after") {
				if answer.More = len(answer.Keys) == page; answer.More {
					break
				}
				answer.Keys = append(answer.Keys, api.KVKey{Key: key})
			}
		}
		if q.Get("prefix") != "k" || q.Get("scope") != api.KVRun || q.Get("run") != "7" || q.Get("workfile") != "/w" {
			t.Errorf("asked for %v", q)
		}
		reply(w, 200, answer)
	})
	d.start()
	c := mustConnect(t, Options{Runtime: dir, Version: "v1"})
	keys, err := c.KVKeys(t.Context(), api.KVScope{Scope: api.KVRun, Workfile: "/w", Run: "7"}, "k")
	if err != nil || len(keys) != all || keys[0].Key != "k00" || keys[all-1].Key != "k24" {
		t.Errorf("%d keys, %v", len(keys), err)
	}
}

// TestEmptyConditionIsSent checks that the condition "only if the value is empty" differs from no condition.
func TestEmptyConditionIsSent(t *testing.T) {
	dir := t.TempDir()
	d := newFake(t, dir)
	var got []api.KVSet
	d.mux.HandleFunc("POST "+api.SetValue.Path, func(w http.ResponseWriter, r *http.Request) {
		var q api.KVSet
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		got = append(got, q)
		reply(w, 200, api.KVAnswer{})
	})
	d.start()
	c := mustConnect(t, Options{Runtime: dir, Version: "v1"})
	for _, only := range []*[]byte{nil, {}} {
		if _, err := c.KVSet(t.Context(), api.KVSet{Key: "k", If: only}); err != nil {
			t.Fatal(err)
		}
	}
	if len(got) != 2 || got[0].If != nil || got[1].If == nil || len(*got[1].If) != 0 {
		t.Errorf("%+v", got)
	}
}
