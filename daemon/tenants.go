package daemon

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// tenants are the clients that keep workspaces open. A client is all connections whose requests bear its id, or
// one connection whose requests bear none. What it has opened stays open until it says that it does not need it any
// more, or its last connection is gone: the next request of a slow client must not come too late.
type tenants struct {
	mu   sync.Mutex
	byID map[string]*tenant
}

// A tenant is one of them.
type tenant struct {
	id     string // "" for a connection without one
	conns  int
	leases map[*openEntry]func() // what it keeps open, and how to let go of it
}

// join notes that a connection belongs to a client.
func (t *tenants) join(s *seat, id string) *tenant {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.gone {
		return nil
	}
	for _, own := range s.tenants {
		if own.id == id {
			return own
		}
	}
	own := t.byID[id]
	if own == nil {
		own = &tenant{id: id, leases: map[*openEntry]func(){}}
		if id != "" {
			t.byID[id] = own
		}
	}
	own.conns++
	s.tenants = append(s.tenants, own)
	return own
}

// keep takes over a use of an entry, which release ends.
func (t *tenants) keep(own *tenant, e *openEntry, release func()) {
	t.mu.Lock()
	if own != nil && own.conns > 0 && own.leases[e] == nil {
		own.leases[e] = release
		release = func() {}
	}
	t.mu.Unlock()
	release()
}

// letGo ends what a tenant keeps of the workspace id. It reports whether there was something.
func (t *tenants) letGo(own *tenant, id string) bool {
	var releases []func()
	t.mu.Lock()
	if own != nil {
		for e, release := range own.leases {
			if e.id == id {
				releases = append(releases, release)
				delete(own.leases, e)
			}
		}
	}
	t.mu.Unlock()
	for _, release := range releases {
		release()
	}
	return len(releases) > 0
}

// leave is the end of a connection; with the last one a tenant goes.
func (t *tenants) leave(s *seat) {
	var releases []func()
	t.mu.Lock()
	s.gone = true
	for _, own := range s.tenants {
		if own.conns--; own.conns > 0 {
			continue
		}
		delete(t.byID, own.id)
		for _, release := range own.leases {
			releases = append(releases, release)
		}
		own.leases = nil
	}
	s.tenants = nil
	t.mu.Unlock()
	for _, release := range releases {
		release()
	}
}

type seatKey struct{}

// seatContext is the context of the requests of a connection.
func seatContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, seatKey{}, c.(interface{ place() *seat }).place())
}

// tenantOf is the client that a request comes from.
func (d *daemon) tenantOf(r *http.Request) *tenant {
	s, ok := r.Context().Value(seatKey{}).(*seat)
	if !ok {
		return nil
	}
	return d.tenants.join(s, client(r))
}
