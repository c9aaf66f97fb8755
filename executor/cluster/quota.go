package cluster

import "time"

// A Rate is a number of calls in any period of a length. The zero value is no limit.
type Rate struct {
	Calls int
	Per   time.Duration
}

// A quota bounds what is submitted: how many jobs the batch system has at once, and how many submissions it gets. If it
// refuses more jobs, their number is halved; it grows again as submissions succeed.
type quota struct {
	most int // jobs at once, according to the configuration
	jobs int // jobs at once, at present
	rate Rate
	sent []time.Time // the latest submissions, at most rate.Calls
}

func newQuota(most int, rate Rate) *quota { return &quota{most: most, jobs: most, rate: rate} }

// submit notes a submission.
func (q *quota) submit(now time.Time) {
	if q.rate.Calls <= 0 {
		return
	}
	if len(q.sent) == q.rate.Calls {
		q.sent = q.sent[1:]
	}
	q.sent = append(q.sent, now)
}

// next returns when the rate allows another submission; zero = at any time.
func (q *quota) next() time.Time {
	if q.rate.Calls <= 0 || len(q.sent) < q.rate.Calls {
		return time.Time{}
	}
	return q.sent[0].Add(q.rate.Per)
}

// grow notes a submission that succeeded.
func (q *quota) grow() { q.jobs = min(q.most, q.jobs+max(1, q.jobs/8)) }

// shrink notes that the batch system did not take jobs because there would have been n of them.
func (q *quota) shrink(n int) { q.jobs = max(1, min(q.jobs, n)/2) }
