package runner

// A queue contains the jobs that wait for a place, in the order of their arrival. A job that is stopped while it waits
// stays in the list and is skipped.
//
//	taken out │ intents recorded, unless retracted │ no intent recorded
//	         head                               intended
type queue struct {
	list     []*execution
	head     int
	intended int
	waiting  int // how many in list still wait
}

// push appends e.
func (q *queue) push(e *execution) {
	if q.head == len(q.list) {
		*q = queue{list: q.list[:0]}
	}
	e.waiting = true
	q.list = append(q.list, e)
	q.waiting++
	if e.intended { // its intent was recorded while it waited at a gate
		q.intended = len(q.list)
	}
}

// first returns the next job, or nil.
func (q *queue) first() *execution {
	for ; q.head < len(q.list); q.head++ {
		if e := q.list[q.head]; e.waiting {
			return e
		}
		q.list[q.head] = nil
	}
	return nil
}

// drop marks e as no longer waiting.
func (q *queue) drop(e *execution) {
	e.waiting = false
	q.waiting--
}

// isDurable reports whether the intent of the first job is synced.
func (q *queue) isDurable() bool { return q.head < len(q.list) && q.list[q.head].durable }

// areDurable reports whether the intents of the first n jobs are synced, as far as there are so many.
func (q *queue) areDurable(n int) bool {
	for _, e := range q.list[q.head:min(q.head+n, len(q.list))] {
		if e != nil && e.waiting && !e.durable {
			return false
		}
	}
	return true
}

// intend calls record for each of the first n jobs without a recorded intent. It reports whether all jobs of the queue
// have one now.
func (q *queue) intend(n int, record func(*execution)) (all bool) {
	end := min(q.head+n, len(q.list))
	for _, e := range q.list[q.head:end] {
		if e != nil && e.waiting && !e.intended {
			record(e)
		}
	}
	q.intended = max(q.intended, end)
	return end == len(q.list)
}

// retract calls forget for each job beyond the first n whose intent is recorded.
func (q *queue) retract(n int, forget func(*execution)) {
	first := max(q.head, min(q.head+n, len(q.list)))
	for i := first; i < q.intended; i++ {
		if e := q.list[i]; e.waiting {
			forget(e)
		}
	}
	q.intended = min(q.intended, first)
}

// synced notes that all recorded intents are synced.
func (q *queue) synced() {
	for i := q.head; i < q.intended; i++ {
		if e := q.list[i]; e != nil {
			e.durable = e.intended
		}
	}
}
