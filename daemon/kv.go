package daemon

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"wf/api"
	"wf/daemon/store"
	"wf/workspace"
	"wf/workspace/fence"
	"wf/workspace/workfile"
)

// storedValues gives expressions the values of their workfile.
type storedValues struct {
	values *store.Store

	mu    sync.Mutex // guards the fields below
	err   error      // of the last attempt to read
	again time.Time  // no other attempt before that
}

// valuePatience bounds how long a run waits for a value, which only opening the file can take. After a failure other values fail at
// once for valuePause.
const (
	valuePatience = 5 * time.Second
	valuePause    = time.Second
)

// Value is runstate.Values.
func (s *storedValues) Value(workspace, key string) (value []byte, known bool, err error) {
	s.mu.Lock()
	err = s.err
	wait := err != nil && time.Now().Before(s.again)
	s.mu.Unlock()
	if wait {
		return nil, false, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), valuePatience)
	defer cancel()
	out, err := s.values.Get(ctx, store.Workfile(workspace), key)
	s.mu.Lock()
	s.err, s.again = err, time.Now().Add(valuePause)
	s.mu.Unlock()
	return out.Value, out.Found, err
}

// fileKV is the name of the file of values in the state folder.
const fileKV = "kv.db"

// FileKVFence is the name of the fence of these values, which one machine at a time uses.
const FileKVFence = "kv.fence"

// newValues returns the store of a daemon. The first request for a value opens it.
func newValues(state string, own fence.Holder) *store.Store {
	s := store.New(filepath.Join(state, fileKV), func(id string, run int) bool { return workspace.HasRun(state, id, run) })
	s.ClaimWith(func() (store.Claim, error) { return claimValues(state, own, valuesPatience) })
	return s
}

// How long an open of the values waits for another daemon, which may be about to end.
const (
	valuesPatience = 3 * time.Second
	valuesPause    = 10 * time.Millisecond
)

// claimValues takes the fence of the values. Without a writable folder there is none: then only the lock of the file counts.
func claimValues(state string, own fence.Holder, patience time.Duration) (store.Claim, error) {
	for begin := time.Now(); ; time.Sleep(valuesPause) {
		f, err := fence.Take(filepath.Join(state, FileKVFence), own)
		if err == nil {
			return f, nil
		}
		var taken *fence.TakenError
		if !errors.As(err, &taken) {
			return nil, nil
		}
		h := taken.Holder
		switch {
		case !taken.Locked:
			return nil, &api.Error{Code: api.CodeConflict, Message: "the values of wf kv belong to a daemon on " + h.Host, Why: workspace.AbandonedWhy(h, own),
				Fix: fmt.Sprintf("use them there: wf --host ssh://%s …; if %[1]s is gone for good: wf server takeover --kv", h.Host)}
		case time.Since(begin) < patience:
		case h.Host != own.Host:
			return nil, &api.Error{Code: api.CodeConflict, Message: "a daemon on " + h.Host + " uses the values of wf kv",
				Why: fmt.Sprintf("it is pid %d there, with the same state folder as on this machine (%s)", h.PID, own.Host),
				Fix: "use them there: wf --host ssh://" + h.Host + " …; or wait until it has ended"}
		default:
			return nil, &store.Error{Kind: store.Locked, Text: "another program has the file of the store open", Path: filepath.Join(state, fileKV),
				Why: fmt.Sprintf("it was still locked after %v", patience)}
		}
	}
}

// The limit in api must equal that of the store: otherwise this does not compile.
var _ = [1]struct{}{}[api.KVValueMost-store.MaxValue]

// storeCall is a request about values in terms of the store.
type storeCall struct {
	ctx    context.Context
	values *store.Store
	scope  store.Scope
}

// withStore calls f with the store and the scope of a request. The daemon does not become idle meanwhile. No workspace is
// opened.
func withStore[T any](d *daemon, r *http.Request, where api.KVScope, f func(storeCall) (T, error)) (T, error) {
	d.workspaces.preventIdle()
	defer d.workspaces.allowIdle()
	var none T
	scope, err := scopeOf(where)
	if err != nil {
		return none, err
	}
	v, err := f(storeCall{store.WithRequest(r.Context(), requestKey(r)), d.cfg.values, scope})
	if err != nil {
		return none, kvError(err)
	}
	return v, nil
}

// scopeOf returns the scope of a request.
func scopeOf(where api.KVScope) (store.Scope, error) {
	if where.Scope == api.KVMachine {
		return store.Machine(), nil
	}
	if where.Scope != api.KVWorkfile && where.Scope != api.KVRun {
		return store.Scope{}, api.Invalid("scope %q: the scopes are machine, workfile and run", where.Scope)
	}
	if !filepath.IsAbs(where.Workfile) {
		return store.Scope{}, api.Invalid("the path of a workfile must be absolute, not %q", where.Workfile)
	}
	id, err := workfile.LastingID(where.Workfile)
	if err != nil {
		return store.Scope{}, err
	}
	if where.Scope == api.KVWorkfile {
		return store.Workfile(id), nil
	}
	run, err := strconv.Atoi(where.Run)
	if err != nil || run <= 0 || strconv.Itoa(run) != where.Run {
		return store.Scope{}, api.Invalid("run %q: must be the number of a run", where.Run)
	}
	return store.Run(id, run), nil
}

func (d *daemon) kvGet(r *http.Request, q api.KVQuery) (api.KVAnswer, error) {
	return withStore(d, r, q.KVScope, func(k storeCall) (api.KVAnswer, error) {
		return kvAnswer(k.values.Get(k.ctx, k.scope, q.Key))
	})
}

func (d *daemon) kvKeys(r *http.Request, q api.KVKeysQuery) (api.KVKeys, error) {
	if q.Limit == 0 || q.Limit > api.KVPageMost {
		q.Limit = api.KVPageMost
	}
	return withStore(d, r, q.KVScope, func(k storeCall) (api.KVKeys, error) {
		keys, more, err := k.values.Keys(k.ctx, k.scope, q.Prefix, q.After, q.Limit)
		page := api.KVKeys{Keys: make([]api.KVKey, 0, len(keys)), More: more}
		for _, key := range keys {
			page.Keys = append(page.Keys, api.KVKey{Key: key.Name, Bytes: key.Size, Expires: kvTime(key.Expires)})
		}
		return page, err
	})
}

func (d *daemon) kvSet(r *http.Request, q api.KVSet) (api.KVAnswer, error) {
	ttl, err := kvTTL(q.TTLMS)
	if err != nil {
		return api.KVAnswer{}, err
	}
	return withStore(d, r, q.KVScope, func(k storeCall) (api.KVAnswer, error) {
		return kvAnswer(k.values.Set(k.ctx, k.scope, q.Key, q.Value, store.Terms{TTL: ttl, IfAbsent: q.IfAbsent, If: q.If}))
	})
}

func (d *daemon) kvDelete(r *http.Request, q api.KVDelete) (api.KVAnswer, error) {
	return withStore(d, r, q.KVScope, func(k storeCall) (api.KVAnswer, error) {
		return kvAnswer(k.values.Delete(k.ctx, k.scope, q.Key, q.If))
	})
}

func (d *daemon) kvIncr(r *http.Request, q api.KVIncr) (api.KVAnswer, error) {
	ttl, err := kvTTL(q.TTLMS)
	if err != nil {
		return api.KVAnswer{}, err
	}
	return withStore(d, r, q.KVScope, func(k storeCall) (api.KVAnswer, error) {
		return kvAnswer(k.values.Add(k.ctx, k.scope, q.Key, q.By, ttl))
	})
}

// maxTTL is the maximum time to an expiry.
const maxTTL = 100 * 365 * 24 * time.Hour

func kvTTL(ms int64) (time.Duration, error) {
	if ms < 0 || ms > maxTTL.Milliseconds() {
		return 0, api.Invalid("the time to the expiry must be from 1 ms to 100 years, not %d ms", ms)
	}
	return time.Duration(ms) * time.Millisecond, nil
}

func kvAnswer(out store.Outcome, err error) (api.KVAnswer, error) {
	return api.KVAnswer{Done: out.Done, Found: out.Found, Value: out.Value, Expires: kvTime(out.Expires)}, err
}

// kvTime returns the JSON form of a time, "" for the zero time.
func kvTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339Nano)
}

// kvError converts an error of the store to an *api.Error. CodeGone means that nothing was changed, so that clients
// repeat the request.
func kvError(err error) error {
	var own *store.Error
	switch {
	case errors.Is(err, store.ErrClosed):
		return errEnding()
	case !errors.As(err, &own):
		return err
	}
	e := &api.Error{Code: api.CodeInternal, Message: own.Text, Where: own.Path, Why: own.Why}
	switch own.Kind {
	case store.Invalid:
		e.Code = api.CodeInvalid
	case store.Unfit:
		e.Code = api.CodeConflict
	case store.NoRun:
		e.Code, e.Fix = api.CodeNotFound, "wf runs lists them"
	case store.Damaged:
		if own.Value {
			e.Fix = "wf kv set it again, or wf kv del it"
			break
		}
		e.Fix = "mv " + own.Path + " " + own.Path + ".damaged (the next value creates a new file; the old one is not changed)"
	case store.Newer:
		e.Fix = "use the wf that wrote it"
	case store.Locked:
		e.Fix = "end the program that has it open: fuser " + own.Path
	}
	return e
}
