package daemon

import (
	"cmp"
	"container/list"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"wf/api"
	"wf/executor/ownfile"
	"wf/workspace/activerun"
)

// filePools keeps the sizes of pools in the state folder.
const filePools = "pools.json"

// pools distributes units of shared resources, first come, first served: a waiter blocks its pools for the waiters behind
// it. A waiter that wants more than the size of a pool does not block others, because it would block them for ever. A pool
// without a configured size has one unit.
type pools struct {
	path   string
	broken error // the file cannot be read

	mu     sync.Mutex // guards the fields below; not held during calls of wake
	closed bool       // no units are available, because it is unknown how many the commands of an earlier daemon have
	sizes  map[string]int
	used   map[string]int
	queue  list.List // of *poolWaiter, in order of arrival
	byKey  map[string]*poolWaiter
	wanted map[string]int // pool → number of waiters whose claim fits into the sizes
}

type poolWaiter struct {
	key      string
	claim    []activerun.PoolUse
	wake     func()
	place    *list.Element // nil: it has its units and has been woken to fetch them
	possible bool          // its pools are large enough
}

// newPools reads the sizes. If the file cannot be read, every pool has one unit, so that runs do not get too many.
func newPools(state string) *pools {
	p := &pools{path: filepath.Join(state, filePools), sizes: map[string]int{}, used: map[string]int{},
		byKey: map[string]*poolWaiter{}, wanted: map[string]int{}}
	data, err := ownfile.Read(p.path, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return p
	}
	if err == nil {
		err = json.Unmarshal(data, &p.sizes)
	}
	for name, n := range p.sizes {
		if n < 0 {
			err = errors.Join(err, fmt.Errorf("the size of %q is %d", name, n))
		}
	}
	if err != nil || p.sizes == nil {
		p.sizes = map[string]int{}
	}
	if err != nil {
		p.broken = &api.Error{Code: api.CodeInternal, Message: "the sizes of pools cannot be read: each counts as 1", Where: p.path,
			Why: err.Error(), Fix: "remove the file, restart the daemon, and set them anew with wf server pools"}
	}
	return p
}

// Size is activerun.Pools.Size.
func (p *pools) Size(name string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.size(name)
}

func (p *pools) size(name string) int {
	if n, known := p.sizes[name]; known {
		return n
	}
	return 1
}

// close hands out no units until open.
func (p *pools) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
}

func (p *pools) open() {
	p.mu.Lock()
	p.closed = false
	p.serve()
}

// TryAcquire is activerun.Pools.TryAcquire.
func (p *pools) TryAcquire(key string, claim []activerun.PoolUse, wake func()) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if w := p.byKey[key]; w != nil {
		if w.place != nil {
			return false
		}
		delete(p.byKey, key)
		return true
	}
	behind := slices.ContainsFunc(claim, func(u activerun.PoolUse) bool { return p.wanted[u.Pool] > 0 })
	if !p.closed && !behind && p.fits(claim) {
		p.take(claim, 1)
		return true
	}
	w := &poolWaiter{key: key, claim: claim, wake: wake, possible: p.canFit(claim)}
	w.place = p.queue.PushBack(w)
	p.byKey[key] = w
	p.want(w, 1)
	return false
}

// canFit reports whether a claim fits into the sizes of its pools.
func (p *pools) canFit(claim []activerun.PoolUse) bool {
	return !slices.ContainsFunc(claim, func(u activerun.PoolUse) bool { return u.Units > p.size(u.Pool) })
}

func (p *pools) fits(claim []activerun.PoolUse) bool {
	return !slices.ContainsFunc(claim, func(u activerun.PoolUse) bool { return p.used[u.Pool]+u.Units > p.size(u.Pool) })
}

func (p *pools) take(claim []activerun.PoolUse, sign int) {
	for _, use := range claim {
		if p.used[use.Pool] += sign * use.Units; p.used[use.Pool] == 0 {
			delete(p.used, use.Pool)
		}
	}
}

// want adds a waiter to wanted, or with sign -1 removes it.
func (p *pools) want(w *poolWaiter, sign int) {
	if !w.possible {
		return
	}
	for _, use := range w.claim {
		if p.wanted[use.Pool] += sign; p.wanted[use.Pool] == 0 {
			delete(p.wanted, use.Pool)
		}
	}
}

func (p *pools) leave(w *poolWaiter) {
	p.queue.Remove(w.place)
	w.place = nil
	p.want(w, -1)
}

// Claim is activerun.Pools.Claim.
func (p *pools) Claim(claim []activerun.PoolUse) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.take(claim, 1)
}

// Release is activerun.Pools.Release.
func (p *pools) Release(claim []activerun.PoolUse) {
	p.mu.Lock()
	p.take(claim, -1)
	p.serve()
}

// Forget is activerun.Pools.Forget.
func (p *pools) Forget(key string) {
	p.mu.Lock()
	if w := p.byKey[key]; w != nil {
		delete(p.byKey, key)
		if w.place != nil {
			p.leave(w)
		} else {
			p.take(w.claim, -1)
		}
	}
	p.serve()
}

// serve gives free units to waiters, unlocks mu, and wakes these waiters. It stops when no later waiter can get units.
func (p *pools) serve() {
	var woken []*poolWaiter
	blocked := map[string]bool{} // pools that earlier waiters wait for
	for at := p.queue.Front(); at != nil && len(blocked) < len(p.wanted) && !p.closed; {
		w := at.Value.(*poolWaiter)
		at = at.Next()
		if !w.possible {
			continue
		}
		if p.fits(w.claim) && !slices.ContainsFunc(w.claim, func(u activerun.PoolUse) bool { return blocked[u.Pool] }) {
			p.take(w.claim, 1)
			p.leave(w)
			woken = append(woken, w)
			continue
		}
		for _, use := range w.claim {
			blocked[use.Pool] = true
		}
	}
	p.mu.Unlock()
	for _, w := range woken {
		w.wake()
	}
}

// resize sets the size of a pool, durably. Running commands keep their units.
func (p *pools) resize(name string, size int) error {
	p.mu.Lock()
	sizes := maps.Clone(p.sizes)
	sizes[name] = size
	data, err := json.MarshalIndent(sizes, "", "  ")
	if err == nil {
		err = ownfile.Replace(p.path, append(data, '\n'), true)
	}
	if err != nil {
		p.mu.Unlock()
		return err
	}
	p.sizes = sizes
	for at := p.queue.Front(); at != nil; at = at.Next() {
		w := at.Value.(*poolWaiter)
		p.want(w, -1)
		w.possible = p.canFit(w.claim)
		p.want(w, 1)
	}
	p.serve()
	return nil
}

func (p *pools) all() []api.Pool {
	p.mu.Lock()
	defer p.mu.Unlock()
	byName := map[string]*api.Pool{}
	at := func(name string) *api.Pool {
		if byName[name] == nil {
			_, set := p.sizes[name]
			byName[name] = &api.Pool{Name: name, Size: p.size(name), Set: set}
		}
		return byName[name]
	}
	for name := range p.sizes {
		at(name)
	}
	for name, n := range p.used {
		at(name).Used = n
	}
	for e := p.queue.Front(); e != nil; e = e.Next() {
		for _, use := range e.Value.(*poolWaiter).claim {
			at(use.Pool).Waiting++
		}
	}
	list := []api.Pool{}
	for _, pool := range byName {
		list = append(list, *pool)
	}
	slices.SortFunc(list, func(a, b api.Pool) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

func (d *daemon) poolList(*http.Request, api.None) (api.PoolList, error) {
	return api.PoolList{Schema: api.SchemaPools, Pools: d.cfg.pools.all()}, d.cfg.pools.broken
}

func (d *daemon) poolResize(_ *http.Request, q api.PoolSize) (api.PoolList, error) {
	if strings.TrimSpace(q.Name) == "" || strings.ContainsAny(q.Name, ":, \t\n=") {
		return api.PoolList{}, api.Invalid("%q is not a name of a pool", q.Name)
	}
	if q.Size < 0 {
		return api.PoolList{}, api.Invalid("the size of pool %s is %d: a whole number from 0 is needed", q.Name, q.Size)
	}
	if d.cfg.pools.broken != nil {
		return api.PoolList{}, d.cfg.pools.broken
	}
	if err := d.cfg.pools.resize(q.Name, q.Size); err != nil {
		return api.PoolList{}, &api.Error{Code: api.CodeInternal, Message: "the size of the pool cannot be blocked", Where: d.cfg.State, Why: err.Error()}
	}
	return d.poolList(nil, api.None{})
}
