package metrics

import (
	"slices"
	"sync"
	"time"
)

// A Distribution is a histogram of durations in memory. It counts from its creation on.
type Distribution struct {
	bounds  []float64 // in seconds
	created time.Time

	mu     sync.Mutex // guards the fields below
	counts []int64
	sum    float64
}

// NewDistribution returns a Distribution with upper bounds in seconds, in order.
func NewDistribution(bounds ...float64) *Distribution {
	return &Distribution{bounds: bounds, created: time.Now(), counts: make([]int64, len(bounds)+1)}
}

// Observe counts a duration; a negative one counts as none. It does not block.
func (d *Distribution) Observe(t time.Duration) {
	seconds := max(t, 0).Seconds()
	i, _ := slices.BinarySearch(d.bounds, seconds)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.counts[i]++
	d.sum += seconds
}

// Write adds the samples to a family of the kind Histogram.
func (d *Distribution) Write(f *Family, labels ...Label) {
	d.mu.Lock()
	counts, sum := slices.Clone(d.counts), d.sum
	d.mu.Unlock()
	f.Histogram(d.bounds, counts, sum, d.created, labels...)
}
