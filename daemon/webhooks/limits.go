package webhooks

import (
	"sync"
	"time"
)

// mostLimited bounds the keys of a limiter. Above it, those that have the most left are forgotten.
const mostLimited = 4096

// A limiter allows each key a number of uses a second, and more of them at once after a pause.
type limiter struct {
	rate, burst float64

	mu   sync.Mutex // guards keys
	keys map[string]*bucket
}

type bucket struct {
	left float64
	at   time.Time // when left was right
}

func newLimiter(rate, burst float64) *limiter {
	return &limiter{rate: rate, burst: burst, keys: map[string]*bucket{}}
}

// take uses the key once. It returns how long to wait if there is no use left, otherwise zero.
func (l *limiter) take(key string, now time.Time) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.keys[key]
	if b == nil {
		if len(l.keys) >= mostLimited {
			l.forget(now)
		}
		b = &bucket{left: l.burst, at: now}
		l.keys[key] = b
	}
	if passed := now.Sub(b.at); passed > 0 {
		b.left = min(l.burst, b.left+passed.Seconds()*l.rate)
	}
	b.at = now
	if b.left < 1 {
		return time.Duration((1 - b.left) / l.rate * float64(time.Second))
	}
	b.left--
	return 0
}

// giveBack takes a use of the key back.
func (l *limiter) giveBack(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b := l.keys[key]; b != nil {
		b.left = min(l.burst, b.left+1)
	}
}

// forget removes keys: first those that have everything left, then, if that is not enough, any half of them.
func (l *limiter) forget(now time.Time) {
	for key, b := range l.keys {
		if b.left+now.Sub(b.at).Seconds()*l.rate >= l.burst {
			delete(l.keys, key)
		}
	}
	for key := range l.keys {
		if len(l.keys) <= mostLimited/2 {
			return
		}
		delete(l.keys, key)
	}
}

// counts counts requests by result. The zero value is ready for use.
type counts struct {
	mu sync.Mutex // guards by
	by map[string]int64
}

// Results are the results of requests that are counted.
var Results = []string{"accepted", "repeated", "tested", "rejected", "failed"}

func (c *counts) add(result string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by == nil {
		c.by = map[string]int64{}
	}
	c.by[result]++
}

// Count returns how many requests had a result of Results.
func (s *Server) Count(result string) int64 {
	s.counts.mu.Lock()
	defer s.counts.mu.Unlock()
	return s.counts.by[result]
}
