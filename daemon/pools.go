package daemon

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"wf/api"
	"wf/ownfile"
	"wf/workspace"
)

// filePools keeps the sizes of pools in the state folder.
const filePools = "pools.json"

// pools hands out units of what commands share, first come first served: whoever waits keeps those
// behind from the pools that it waits for. A pool that nobody has given a size has one unit.
type pools struct {
	path   string
	broken error // the file cannot be read

	mu    sync.Mutex // guards what follows; never held while waking
	sizes map[string]int
	used  map[string]int
	line  []poolWaiter
}

type poolWaiter struct {
	key   string
	claim []workspace.PoolUse
	wake  func()
}

// newPools reads the sizes. While a file cannot be read every pool has one unit: runs must not get more
// than there is.
func newPools(state string) *pools {
	p := &pools{path: filepath.Join(state, filePools), sizes: map[string]int{}, used: map[string]int{}}
	data, err := ownfile.Read(p.path, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return p
	}
	if err == nil {
		err = json.Unmarshal(data, &p.sizes)
	}
	if err != nil {
		p.broken = &api.Error{Code: api.CodeInternal, Message: "the sizes of pools cannot be read: each counts as 1", Where: p.path,
			Why: err.Error(), Fix: "remove the file, restart the daemon, and set them anew with wf server pools"}
	}
	return p
}

func (p *pools) size(name string) int {
	if n, known := p.sizes[name]; known {
		return n
	}
	return 1
}

// TryAcquire is workspace.Pools.TryAcquire.
func (p *pools) TryAcquire(key string, claim []workspace.PoolUse, wake func()) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := slices.IndexFunc(p.line, func(w poolWaiter) bool { return w.key == key })
	ahead := p.line
	if at >= 0 {
		ahead = p.line[:at]
	}
	if p.fits(claim) && !slices.ContainsFunc(ahead, func(w poolWaiter) bool { return meet(w.claim, claim) }) {
		p.take(claim, 1)
		if at >= 0 {
			p.line = slices.Delete(p.line, at, at+1)
		}
		return true
	}
	if at < 0 {
		p.line = append(p.line, poolWaiter{key, claim, wake})
	}
	return false
}

// meet says whether two claims are about the same pool.
func meet(a, b []workspace.PoolUse) bool {
	return slices.ContainsFunc(a, func(x workspace.PoolUse) bool {
		return slices.ContainsFunc(b, func(y workspace.PoolUse) bool { return x.Pool == y.Pool })
	})
}

func (p *pools) fits(claim []workspace.PoolUse) bool {
	for _, use := range claim {
		if p.used[use.Pool]+use.Units > p.size(use.Pool) {
			return false
		}
	}
	return true
}

func (p *pools) take(claim []workspace.PoolUse, sign int) {
	for _, use := range claim {
		if p.used[use.Pool] += sign * use.Units; p.used[use.Pool] == 0 {
			delete(p.used, use.Pool)
		}
	}
}

// Claim is workspace.Pools.Claim.
func (p *pools) Claim(claim []workspace.PoolUse) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.take(claim, 1)
}

// Release is workspace.Pools.Release.
func (p *pools) Release(claim []workspace.PoolUse) {
	p.mu.Lock()
	p.take(claim, -1)
	p.wakeAll()
}

// Forget is workspace.Pools.Forget.
func (p *pools) Forget(key string) {
	p.mu.Lock()
	p.line = slices.DeleteFunc(p.line, func(w poolWaiter) bool { return w.key == key })
	p.wakeAll()
}

// wakeAll unlocks, and wakes everybody in line: they try in the order in which they came.
func (p *pools) wakeAll() {
	line := slices.Clone(p.line)
	p.mu.Unlock()
	for _, w := range line {
		w.wake()
	}
}

// resize sets the size of a pool, durably. What runs keeps what it has.
func (p *pools) resize(name string, size int) error {
	p.mu.Lock()
	sizes := maps.Clone(p.sizes)
	sizes[name] = size
	data, err := json.MarshalIndent(sizes, "", "  ")
	if err == nil {
		err = replacePrivate(p.path, append(data, '\n'))
	}
	if err != nil {
		p.mu.Unlock()
		return err
	}
	p.sizes = sizes
	p.wakeAll()
	return nil
}

// replacePrivate puts a file in the place of another, or leaves that as it is.
func replacePrivate(path string, data []byte) error {
	tmp := path + ".new"
	if err := os.Remove(tmp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := ownfile.Open(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return nil
}

func (p *pools) list() []api.Pool {
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
	for _, w := range p.line {
		for _, use := range w.claim {
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

func (d *daemon) poolList(*http.Request) (api.PoolList, error) {
	return api.PoolList{Schema: api.SchemaPools, Pools: d.cfg.pools.list()}, d.cfg.pools.broken
}

func (d *daemon) poolResize(_ *http.Request, q api.PoolSize) (api.PoolList, error) {
	if strings.TrimSpace(q.Name) == "" || strings.ContainsAny(q.Name, ":, \t\n=") {
		return api.PoolList{}, invalid("%q is no name of a pool", q.Name)
	}
	if q.Size < 0 {
		return api.PoolList{}, invalid("the size of pool %s is %d: a whole number from 0 is needed", q.Name, q.Size)
	}
	if d.cfg.pools.broken != nil {
		return api.PoolList{}, d.cfg.pools.broken
	}
	if err := d.cfg.pools.resize(q.Name, q.Size); err != nil {
		return api.PoolList{}, &api.Error{Code: api.CodeInternal, Message: "the size of the pool cannot be kept", Where: d.cfg.State, Why: err.Error()}
	}
	return d.poolList(nil)
}
