package daemon

import (
	"context"
	"sync"
	"time"
)

// A startGate lets starts of runs by triggers through, until the daemon is about to end: a run that begins at that moment would not
// be awaited or stopped, and the next daemon would go on with it. The zero value is open.
type startGate struct {
	mu       sync.Mutex // guards the fields below
	closed   int
	inFlight int
	quiet    chan struct{} // closed when inFlight becomes 0; nil if nobody waits
}

// gateTime bounds the wait for starts that are under way: their disks may not answer.
const gateTime = 5 * time.Second

// enter reports whether a start may begin; then the caller calls leave when it is over.
func (g *startGate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed > 0 {
		return false
	}
	g.inFlight++
	return true
}

func (g *startGate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inFlight--; g.inFlight == 0 && g.quiet != nil {
		close(g.quiet)
		g.quiet = nil
	}
}

// shut lets no more starts begin, and waits for those under way. open lets them begin again.
func (g *startGate) shut(ctx context.Context) (open func()) {
	g.mu.Lock()
	g.closed++
	if g.inFlight > 0 && g.quiet == nil {
		g.quiet = make(chan struct{})
	}
	quiet := g.quiet
	g.mu.Unlock()
	if quiet != nil {
		late := time.NewTimer(gateTime)
		defer late.Stop()
		select {
		case <-quiet:
		case <-late.C:
		case <-ctx.Done():
		}
	}
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.closed--
	}
}
