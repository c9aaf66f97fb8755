package workspace

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"wf/api"
	"wf/executor"
	"wf/workspace/activerun"
)

// controlText makes a workfile of elements whose keys are the names of attributes.
func controlText(graph string, body ...string) string {
	var keys strings.Builder
	for _, k := range []string{"approve", "approve_timeout", "env", "foreach", "idempotent", "join", "label", "join_losers", "name", "on_failure", "parallel", "pool",
		"retries", "retry_delay", "timeout", "until", "wait"} {
		fmt.Fprintf(&keys, "<key id=%q for=\"node\" attr.name=%q attr.type=\"string\"/>\n", k, k)
	}
	return `<graphml xmlns="http://graphml.graphdrawing.org/xmlns">` + keys.String() +
		`<key id="when" for="edge" attr.name="when" attr.type="string"/>
<key id="edge_type" for="edge" attr.name="edge_type" attr.type="string"/>
<key id="on_busy" for="graph" attr.name="on_busy" attr.type="string"/>
<key id="params" for="graph" attr.name="params" attr.type="string"/>
<graph edgedefault="directed">` + graph + strings.Join(body, "\n") + "</graph></graphml>"
}

// nodeText is a node that prints its name, with attributes like "pool=db:1".
func nodeText(id string, attrs ...string) string {
	text := fmt.Sprintf("<node id=\"id-%s\"><data key=\"label\">echo %s</data>", id, id)
	for _, a := range attrs {
		key, value, _ := strings.Cut(a, "=")
		text += fmt.Sprintf("<data key=%q>%s</data>", key, value)
	}
	return text + "</node>"
}

func edgeText(from, to, when string) string {
	return fmt.Sprintf("<edge source=\"id-%s\" target=\"id-%s\"><data key=\"when\">%s</data></edge>", from, to, when)
}

// fakePools serves claims in the order of arrival.
type fakePools struct {
	mu    sync.Mutex
	sizes map[string]int // none = 1
	used  map[string]int
	line  []*fakeWaiter
	most  map[string]int // used at once, ever
}

type fakeWaiter struct {
	key   string
	claim []activerun.PoolUse
	wake  func()
	given bool
}

func newFakePools() *fakePools {
	return &fakePools{sizes: map[string]int{}, used: map[string]int{}, most: map[string]int{}}
}

func (p *fakePools) size(pool string) int {
	if n, known := p.sizes[pool]; known {
		return n
	}
	return 1
}

func (p *fakePools) Size(pool string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.size(pool)
}

func (p *fakePools) take(claim []activerun.PoolUse) bool {
	for _, u := range claim {
		if p.used[u.Pool]+u.Units > p.size(u.Pool) {
			return false
		}
	}
	p.use(claim, 1)
	return true
}

func (p *fakePools) use(claim []activerun.PoolUse, sign int) {
	for _, u := range claim {
		p.used[u.Pool] += sign * u.Units
		p.most[u.Pool] = max(p.most[u.Pool], p.used[u.Pool])
	}
}

func (p *fakePools) TryAcquire(key string, claim []activerun.PoolUse, wake func()) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := slices.IndexFunc(p.line, func(w *fakeWaiter) bool { return w.key == key })
	switch {
	case at >= 0 && p.line[at].given:
		p.line = slices.Delete(p.line, at, at+1)
		return true
	case at >= 0:
		return false
	case !slices.ContainsFunc(p.line, func(w *fakeWaiter) bool { return !w.given }) && p.take(claim):
		return true
	}
	p.line = append(p.line, &fakeWaiter{key: key, claim: claim, wake: wake})
	return false
}

func (p *fakePools) Claim(claim []activerun.PoolUse) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.use(claim, 1)
}

func (p *fakePools) Release(claim []activerun.PoolUse) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.use(claim, -1)
	p.serve()
}

func (p *fakePools) Forget(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line = slices.DeleteFunc(p.line, func(w *fakeWaiter) bool {
		if w.key == key && w.given {
			p.use(w.claim, -1)
		}
		return w.key == key
	})
	p.serve()
}

func (p *fakePools) serve() {
	for _, w := range p.line {
		if !w.given {
			if !p.take(w.claim) {
				return
			}
			w.given = true
			w.wake()
		}
	}
}

// state says how many units of db are in use and how many wait.
func (p *fakePools) state() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Sprintf("%d used, %d in line", p.used["db"], len(p.line))
}

func controlBed(t *testing.T, graph string, body ...string) (*testbed, *fakePools) {
	t.Helper()
	b := newTestbed(t)
	t.Cleanup(func() { // after the workspace: an executor that outlives it
		for _, s := range b.fake.sessions {
			s.Close(context.Background())
		}
	})
	b.write(controlText(graph, body...))
	p := newFakePools()
	b.cfg.Pools = p
	return b, p
}

// node is the status of a node as clients see it, instances by their path.
func (b *testbed) node(name string) api.NodeStatus {
	b.t.Helper()
	list, err := b.w.Select(b.t.Context(), []string{name})
	if err != nil || len(list.Nodes) != 1 {
		b.t.Fatalf("%s: %d nodes, %v", name, len(list.Nodes), err)
	}
	return list.Nodes[0]
}

// none fails the test if another job was started.
func (b *testbed) none(s *fakeSession) {
	b.t.Helper()
	select {
	case j := <-s.started:
		b.t.Errorf("%s was started", j.Command)
	default:
	}
}

// reaches waits until the events of a type are about these nodes, in this order.
func (v *viewer) reaches(t *testing.T, kind api.EventType, nodes ...string) {
	t.Helper()
	v.wait(t, fmt.Sprintf("%s of %q", kind, nodes), func(api.Event) bool {
		var got []string
		for _, e := range v.events {
			if e.Type == kind {
				got = append(got, strings.TrimPrefix(e.Node, "id-"))
			}
		}
		return slices.Equal(got, nodes)
	})
}

var succeeded = executor.Exit{}
