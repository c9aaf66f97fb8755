package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"wf/api"
	"wf/workspace/activerun"
)

// claimOf reads a claim such as "gpu:1 db:2".
func claimOf(text string) (claim []activerun.PoolUse) {
	for _, part := range strings.Fields(text) {
		var use activerun.PoolUse
		name, units, _ := strings.Cut(part, ":")
		use.Pool = name
		fmt.Sscan(units, &use.Units)
		claim = append(claim, use)
	}
	return claim
}

// poolUsers are waiters for units of pools. They record which of them was woken.
type poolUsers struct {
	t     *testing.T
	p     *pools
	woken []string
}

func newPoolUsers(t *testing.T, sizes ...string) *poolUsers {
	c := &poolUsers{t: t, p: newPools(t.TempDir())}
	for _, use := range claimOf(strings.Join(sizes, " ")) {
		if err := c.p.resize(use.Pool, use.Units); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func (c *poolUsers) try(key, claim string) bool {
	return c.p.TryAcquire(key, claimOf(claim), func() { c.woken = append(c.woken, key) })
}

// gets checks that a customer gets units, at once or after a wake-up.
func (c *poolUsers) gets(key, claim string) {
	c.t.Helper()
	if !c.try(key, claim) {
		c.t.Errorf("%s does not get %s", key, claim)
	}
}

func (c *poolUsers) waits(key, claim string) {
	c.t.Helper()
	if c.try(key, claim) {
		c.t.Errorf("%s gets %s", key, claim)
	}
}

// wakes checks which poolUsers were woken since the previous call, in order.
func (c *poolUsers) wakes(want ...string) {
	c.t.Helper()
	if !slices.Equal(c.woken, want) {
		c.t.Errorf("woken are %q, want %q", c.woken, want)
	}
	c.woken = nil
}

func TestPoolsServeInOrder(t *testing.T) {
	c := newPoolUsers(t)
	c.gets("a", "db:1")
	c.waits("b", "db:1")
	c.waits("c", "db:1")
	c.waits("b", "db:1")
	c.gets("other", "gpu:1")
	c.p.Release(claimOf("db:1"))
	c.wakes("b")
	c.waits("c", "db:1")
	c.waits("late", "db:1")
	c.gets("b", "db:1")
	c.p.Release(claimOf("db:1"))
	c.wakes("c")
	c.p.Forget("c") // it got the unit and does not want it any more
	c.wakes("late")
	c.gets("late", "db:1")
}

func TestPoolsLargeClaimIsNotStarved(t *testing.T) {
	c := newPoolUsers(t, "gpu:3")
	c.gets("a", "gpu:1")
	c.gets("b", "gpu:1")
	c.waits("all", "gpu:3")
	c.waits("small", "gpu:1") // it would fit, but then all would never get its turn
	c.p.Release(claimOf("gpu:1"))
	c.wakes()
	c.p.Release(claimOf("gpu:1"))
	c.wakes("all")
	c.gets("all", "gpu:3")
	c.p.Release(claimOf("gpu:3"))
	c.wakes("small")
}

func TestPoolsClaimOfSeveral(t *testing.T) {
	c := newPoolUsers(t, "gpu:1", "db:1", "net:1")
	c.gets("a", "gpu:1")
	c.waits("both", "gpu:1 db:1")
	c.waits("behind", "db:1 net:1") // both waits for db
	c.waits("far", "net:1")         // and behind for net
	c.p.Forget("behind")
	c.wakes("far")
	c.gets("far", "net:1")
	c.p.Release(claimOf("gpu:1"))
	c.wakes("both")
	c.gets("both", "gpu:1 db:1")
	if n := c.p.used["gpu"] + c.p.used["db"] + c.p.used["net"]; n != 3 {
		t.Errorf("%d units are used, want 3", n)
	}
}

func TestPoolsResize(t *testing.T) {
	c := newPoolUsers(t, "gpu:2")
	c.gets("a", "gpu:2")
	c.waits("b", "gpu:1")
	resize := func(size int) {
		t.Helper()
		if err := c.p.resize("gpu", size); err != nil {
			t.Fatal(err)
		}
	}
	resize(1)
	c.wakes()
	if got := c.p.all(); got[0] != (api.Pool{Name: "gpu", Size: 1, Set: true, Used: 2, Waiting: 1}) {
		t.Errorf("%+v", got)
	}
	resize(3)
	c.wakes("b")
	c.gets("b", "gpu:1")
	resize(0)
	c.waits("c", "gpu:1")
	c.p.Release(claimOf("gpu:2"))
	c.p.Release(claimOf("gpu:1"))
	c.wakes()
	resize(1)
	c.wakes("c")
	if again := newPools(filepath.Dir(c.p.path)); again.Size("gpu") != 1 || again.Size("unknown") != 1 || again.broken != nil {
		t.Errorf("gpu has %d units after a restart, %v", again.Size("gpu"), again.broken)
	}
}

// TestPoolsTooLargeClaim checks that a claim larger than the pool waits for a larger pool and blocks no other claim.
func TestPoolsTooLargeClaim(t *testing.T) {
	c := newPoolUsers(t, "gpu:2")
	c.waits("huge", "gpu:3")
	c.gets("a", "gpu:2")
	c.waits("b", "gpu:1")
	c.p.Release(claimOf("gpu:2"))
	c.wakes("b")
	c.gets("b", "gpu:1")
	if err := c.p.resize("gpu", 4); err != nil {
		t.Fatal(err)
	}
	c.wakes("huge")
	c.gets("huge", "gpu:3")
}

// TestPoolsShut checks that no units are given out before the commands of an earlier daemon are known.
func TestPoolsShut(t *testing.T) {
	c := newPoolUsers(t)
	c.p.close()
	c.waits("early", "db:1")
	c.waits("net", "net:1")
	c.p.Claim(claimOf("db:1"))
	c.wakes()
	c.p.open()
	c.wakes("net")
	c.waits("early", "db:1")
	c.p.Release(claimOf("db:1"))
	c.wakes("early")
}

func TestPoolsDamaged(t *testing.T) {
	for text, broken := range map[string]bool{`{"gpu":`: true, `[]`: true, `{"gpu":-1}`: true, "null": false, `{"gpu":4}`: false} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, filePools), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p := newPools(dir)
		if (p.broken != nil) != broken {
			t.Errorf("%s: %v", text, p.broken)
		}
		if want := map[bool]int{true: 4, false: 1}[text == `{"gpu":4}`]; p.Size("gpu") != want {
			t.Errorf("%s: gpu has %d units, want %d", text, p.Size("gpu"), want)
		}
		if !broken {
			if err := p.resize("db", 2); err != nil || p.Size("db") != 2 {
				t.Errorf("%s: db has %d units, %v", text, p.Size("db"), err)
			}
		}
	}
}

// TestPoolsAlways checks for random claims that no pool is exceeded, that no claim waits that could be served, that no later
// claim for the same pool comes first, and that all units are returned in the end.
func TestPoolsAlways(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		p := newPools(dir)
		sizes := map[string]int{"a": rapid.IntRange(0, 3).Draw(rt, "a"), "b": rapid.IntRange(1, 3).Draw(rt, "b"), "c": 1}
		p.sizes = sizes
		claims, has := map[string][]activerun.PoolUse{}, map[string]bool{}
		var arrived []string
		forget := func(key string) {
			arrived = slices.DeleteFunc(arrived, func(k string) bool { return k == key })
			delete(claims, key)
			delete(has, key)
		}
		for i := range rapid.IntRange(1, 60).Draw(rt, "steps") {
			if len(arrived) == 0 || rapid.Bool().Draw(rt, "new") {
				key := fmt.Sprint(i)
				for _, pool := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 3, rapid.ID).Draw(rt, "pools") {
					claims[key] = append(claims[key], activerun.PoolUse{Pool: pool, Units: rapid.IntRange(1, 3).Draw(rt, "units")})
				}
				arrived = append(arrived, key)
				has[key] = p.TryAcquire(key, claims[key], func() { has[key] = true })
			} else {
				key := rapid.SampledFrom(arrived).Draw(rt, "who")
				switch {
				case !has[key]:
					p.Forget(key)
				case p.byKey[key] != nil && rapid.Bool().Draw(rt, "gives up"):
					p.Forget(key)
				default:
					if p.byKey[key] != nil && !p.TryAcquire(key, nil, nil) {
						rt.Fatalf("%s was woken and gets no units", key)
					}
					p.Release(claims[key])
				}
				forget(key)
			}
			checkPools(rt, p, arrived, claims, has)
		}
		for _, key := range slices.Clone(arrived) {
			if p.byKey[key] != nil {
				p.Forget(key)
			} else {
				p.Release(claims[key])
			}
		}
		if len(p.used)+len(p.wanted)+len(p.byKey)+p.queue.Len() != 0 {
			rt.Fatalf("left over: used %v, wanted %v, %d in line", p.used, p.wanted, p.queue.Len())
		}
	})
}

// checkPools checks the pools against the claims in order of arrival and their owners.
func checkPools(rt *rapid.T, p *pools, arrived []string, claims map[string][]activerun.PoolUse, has map[string]bool) {
	used, kept := map[string]int{}, map[string]bool{}
	for _, key := range arrived {
		for _, use := range claims[key] {
			if has[key] {
				used[use.Pool] += use.Units
			}
		}
	}
	for pool, n := range used {
		if n > p.size(pool) {
			rt.Fatalf("%d of %d units of %s are used", n, p.size(pool), pool)
		}
	}
	for _, key := range arrived {
		possible, fits := true, true
		for _, use := range claims[key] {
			possible = possible && use.Units <= p.size(use.Pool)
			fits = fits && used[use.Pool]+use.Units <= p.size(use.Pool) && !kept[use.Pool]
		}
		switch {
		case has[key] || !possible:
			continue
		case fits:
			rt.Fatalf("%s waits for %v, which is free", key, claims[key])
		}
		for _, use := range claims[key] {
			kept[use.Pool] = true
		}
	}
}
