package daemon

import (
	"context"
	"errors"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wf/api"
	"wf/daemon/store"
	"wf/workspace/fence"
)

// kvWorkfile returns the scope of a new workfile with a run 1 in the history of r.
func kvWorkfile(t *testing.T, r *running) api.KVScope {
	t.Helper()
	path := filepath.Join(t.TempDir(), "Workfile")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	id, err := WorkfileID(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(r.cfg.State, "workspaces", id, "runs", "1"), 0o700); err != nil {
		t.Fatal(err)
	}
	return api.KVScope{Scope: api.KVWorkfile, Workfile: path}
}

func (r *running) kvValue(where api.KVScope, key string) (string, *api.Error) {
	r.t.Helper()
	query := url.Values{"scope": {where.Scope}, "workfile": {where.Workfile}, "run": {where.Run}, "key": {key}}
	var answer api.KVAnswer
	e := r.ask("GET", api.GetValue.Path+"?"+query.Encode(), nil, &answer)
	if e == nil && !answer.Found {
		return "<none>", nil
	}
	return string(answer.Value), e
}

func TestValuesNeedNoWorkspace(t *testing.T) {
	r := start(t, nil)
	where := kvWorkfile(t, r)
	run := api.KVScope{Scope: api.KVRun, Workfile: where.Workfile, Run: "1"}
	for i, scope := range []api.KVScope{where, run, {Scope: api.KVMachine}} {
		value := strings.Repeat("v", i+1)
		var answer api.KVAnswer
		if e := r.ask("POST", api.SetValue.Path, api.KVSet{KVScope: scope, Key: "k", Value: []byte(value)}, &answer); e != nil || !answer.Done {
			t.Fatal(e, answer)
		}
		if got, e := r.kvValue(scope, "k"); e != nil || got != value {
			t.Errorf("%+v: %q, %v", scope, got, e)
		}
	}
	var server api.ServerStatus
	if e := r.ask("GET", api.GetServer.Path, nil, &server); e != nil || len(server.Workspaces) != 0 || r.files.count(where.Workfile) != 0 {
		t.Errorf("open are %+v, %v", server.Workspaces, e)
	}
	// The values stay while the workfile is missing.
	if err := os.Remove(where.Workfile); err != nil {
		t.Fatal(err)
	}
	if got, e := r.kvValue(where, "k"); e != nil || got != "v" {
		t.Errorf("without the file: %q, %v", got, e)
	}
}

func TestValuesThatAreRefused(t *testing.T) {
	r := start(t, nil)
	where := kvWorkfile(t, r)
	run := func(number string) api.KVScope {
		return api.KVScope{Scope: api.KVRun, Workfile: where.Workfile, Run: number}
	}
	for name, tc := range map[string]struct {
		path string
		body any
		want api.Code
	}{
		"no scope":        {api.SetValue.Path, api.KVSet{Key: "k"}, api.CodeInvalid},
		"odd scope":       {api.SetValue.Path, api.KVSet{KVScope: api.KVScope{Scope: "all"}, Key: "k"}, api.CodeInvalid},
		"no workfile":     {api.SetValue.Path, api.KVSet{KVScope: api.KVScope{Scope: api.KVWorkfile}, Key: "k"}, api.CodeInvalid},
		"relative":        {api.SetValue.Path, api.KVSet{KVScope: api.KVScope{Scope: api.KVWorkfile, Workfile: "w"}, Key: "k"}, api.CodeInvalid},
		"no folder":       {api.SetValue.Path, api.KVSet{KVScope: api.KVScope{Scope: api.KVWorkfile, Workfile: "/no/such/w"}, Key: "k"}, api.CodeWorkfile},
		"no run":          {api.SetValue.Path, api.KVSet{KVScope: run(""), Key: "k"}, api.CodeInvalid},
		"odd run":         {api.SetValue.Path, api.KVSet{KVScope: run("01"), Key: "k"}, api.CodeInvalid},
		"run 0":           {api.SetValue.Path, api.KVSet{KVScope: run("0"), Key: "k"}, api.CodeInvalid},
		"no such run":     {api.SetValue.Path, api.KVSet{KVScope: run("2"), Key: "k"}, api.CodeNotFound},
		"delete there":    {api.DeleteValue.Path, api.KVDelete{KVScope: run("2"), Key: "k"}, api.CodeNotFound},
		"add there":       {api.AddToValue.Path, api.KVIncr{KVScope: run("2"), Key: "k"}, api.CodeNotFound},
		"no key":          {api.AddToValue.Path, api.KVIncr{KVScope: where}, api.CodeInvalid},
		"a long value":    {api.SetValue.Path, api.KVSet{KVScope: where, Key: "k", Value: make([]byte, api.KVValueMost+1)}, api.CodeInvalid},
		"negative expiry": {api.SetValue.Path, api.KVSet{KVScope: where, Key: "k", TTLMS: -1}, api.CodeInvalid},
		"far expiry":      {api.AddToValue.Path, api.KVIncr{KVScope: where, Key: "k", TTLMS: 1 << 62}, api.CodeInvalid},
	} {
		if e := r.ask("POST", tc.path, tc.body, nil); e == nil || e.Code != tc.want {
			t.Errorf("%s: %+v, want %s", name, e, tc.want)
		}
	}
	largest := api.KVSet{KVScope: where, Key: "k", Value: make([]byte, api.KVValueMost)}
	largest.If = &largest.Value
	if e := r.ask("POST", api.SetValue.Path, largest, nil); e != nil {
		t.Errorf("the longest value with the longest condition: %v", e)
	}
}

// TestErrorOfDamagedValuesNamesTheRemedy checks that the error names the file and its remedy.
func TestErrorOfDamagedValuesNamesTheRemedy(t *testing.T) {
	r := start(t, nil)
	path := filepath.Join(r.cfg.State, fileKV)
	if err := os.WriteFile(path, []byte(strings.Repeat("no database\n", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, e := r.kvValue(api.KVScope{Scope: api.KVMachine}, "k")
	if e == nil || e.Code != api.CodeInternal || e.Where != path || !strings.HasPrefix(e.Fix, "mv "+path+" ") {
		t.Errorf("%+v", e)
	}
}

// TestValuesDoNotKeepTheDaemon checks that a daemon that served only values ends by itself.
func TestValuesDoNotKeepTheDaemon(t *testing.T) {
	r := start(t, func(c *Config) { c.IdleTimeout = 50 * time.Millisecond })
	if _, e := r.kvValue(api.KVScope{Scope: api.KVMachine}, "k"); e != nil {
		t.Fatal(e)
	}
	r.wait() // ends by itself
}

// TestDaemonIsNotIdleDuringValueRequests checks that the daemon does not end while it serves a request for a value.
func TestDaemonIsNotIdleDuringValueRequests(t *testing.T) {
	d := newDaemon(Config{State: t.TempDir()}.withDefaults(), &listeners{}, newOpener)
	defer d.cfg.values.Close()
	defer d.workspaces.close()
	d.workspaces.allowIdle()
	request := httptest.NewRequestWithContext(t.Context(), "GET", api.GetValue.Path, nil)
	held := -1
	_, err := withStore(d, request, api.KVScope{Scope: api.KVMachine}, func(storeCall) (struct{}, error) {
		d.workspaces.mu.Lock()
		defer d.workspaces.mu.Unlock()
		held = d.workspaces.blockers
		return struct{}{}, nil
	})
	if err != nil || held != 1 || d.workspaces.blockers != 0 {
		t.Errorf("held %d, then %d, %v", held, d.workspaces.blockers, err)
	}
	d.cfg.values.Close()
	_, err = withStore(d, request, api.KVScope{Scope: api.KVMachine}, func(k storeCall) (api.KVAnswer, error) {
		return kvAnswer(k.values.Add(k.ctx, k.scope, "n", 1, 0))
	})
	if e := d.explain(err); e.Code != api.CodeGone {
		t.Errorf("after the end: %+v", e)
	}
}

// TestValuesBelongToOneMachine lets daemons of two machines use the values of one state folder.
func TestValuesBelongToOneMachine(t *testing.T) {
	state := t.TempDir()
	login1 := fence.Holder{Machine: fence.Machine{Host: "login1", Boot: "a"}, PID: 7}
	login2 := fence.Holder{Machine: fence.Machine{Host: "login2", Boot: "b"}, PID: 8}
	where := store.Machine()
	ctx := context.Background()
	s := newValues(state, login1)
	if _, err := s.Set(ctx, where, "k", []byte("v"), store.Terms{}); err != nil {
		t.Fatal(err)
	}

	// While the daemon on login1 lives, one on login2 is refused at once or after a short wait.
	_, err := claimValues(state, login2, 0)
	var refused *api.Error
	if !errors.As(err, &refused) || refused.Message != "a daemon on login1 uses the values of wf kv" ||
		refused.Fix != "use them there: wf --host ssh://login1 …; or wait until it has ended" {
		t.Errorf("%+v", err)
	}
	var own *store.Error
	if _, err := claimValues(state, fence.Holder{Machine: login1.Machine, PID: 9}, 0); !errors.As(err, &own) || own.Kind != store.Locked {
		t.Errorf("another daemon of the same machine: %v", err)
	}

	// After an orderly end the other machine can use them.
	s.Close()
	s = newValues(state, login2)
	if out, err := s.Get(ctx, where, "k"); err != nil || string(out.Value) != "v" {
		t.Errorf("%q %v", out.Value, err)
	}
	s.Close()

	// A daemon that was killed has not released them.
	f, err := fence.Take(filepath.Join(state, FileKVFence), login1)
	if err != nil {
		t.Fatal(err)
	}
	f.Leave()
	s = newValues(state, login2)
	defer s.Close()
	if _, err := s.Get(ctx, where, "k"); !errors.As(err, &refused) || refused.Message != "the values of wf kv belong to a daemon on login1" ||
		!strings.HasSuffix(refused.Fix, "if login1 is gone for good: wf server takeover --kv") {
		t.Errorf("%+v", err)
	}
	s = newValues(state, fence.Holder{Machine: fence.Machine{Host: "login1", Boot: "after a boot"}})
	defer s.Close()
	if out, err := s.Get(ctx, where, "k"); err != nil || string(out.Value) != "v" {
		t.Errorf("%q %v", out.Value, err)
	}
}
