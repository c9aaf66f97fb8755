package cluster

import (
	"sync"
	"time"
)

// A Prober is an Engine that can report the limits of its batch system.
type Prober interface {
	Engine
	// Probe returns a script whose output Probed reads.
	Probe() string
	Probed(output string) Allowed
}

// Allowed is what a batch system allows. Zero values are not known.
type Allowed struct {
	ArraySize  int  // the most tasks of an array
	Accounting bool // Final has answers
	// Sampling is how often accounting measures the memory of running tasks; 0 = never.
	Sampling time.Duration
}

// A probe asks a batch system once what it allows.
type probe struct {
	mu    sync.Mutex // guards what follows
	known bool
	Allowed
}

// allowed returns what the batch system allows, as far as it is known. If it is not, the caller must ask it.
func (p *probe) allowed() (a Allowed, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.Allowed, p.known
}

func (p *probe) set(a Allowed) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Allowed, p.known = a, true
}
