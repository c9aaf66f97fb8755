package runner

// A queue holds the jobs that wait for a place, in the order handed over. One that is stopped
// meanwhile stays where it is and is passed over.
//
//	taken │ intents recorded, as far as they were not taken back │ not yet in the record
//	      head                                                   intended
type queue struct {
	list     []*execution
	head     int
	intended int
	waiting  int // those in list that are still wanted
}

// push takes e in at the end.
func (q *queue) push(e *execution) {
	if q.head == len(q.list) {
		*q = queue{list: q.list[:0]}
	}
	e.waiting = true
	q.list = append(q.list, e)
	q.waiting++
	if e.intended { // behind a gate
		q.intended = len(q.list)
	}
}

// first returns who is next, or nil.
func (q *queue) first() *execution {
	for ; q.head < len(q.list); q.head++ {
		if e := q.list[q.head]; e.waiting {
			return e
		}
		q.list[q.head] = nil
	}
	return nil
}

// drop takes e out, wherever it stands.
func (q *queue) drop(e *execution) {
	e.waiting = false
	q.waiting--
}

// isDurable reports whether the intent of the first one is on the disk.
func (q *queue) isDurable() bool { return q.head < len(q.list) && q.list[q.head].durable }

// intend calls record for those of the first n who have no intent in the record. It reports whether
// nobody is left without one.
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

// retract calls forget for all whose intent was recorded but for the first n.
func (q *queue) retract(n int, forget func(*execution)) {
	first := max(q.head, min(q.head+n, len(q.list)))
	for i := first; i < q.intended; i++ {
		if e := q.list[i]; e.waiting {
			forget(e)
		}
	}
	q.intended = min(q.intended, first)
}

// synced says that everything recorded is on the disk.
func (q *queue) synced() {
	for i := q.head; i < q.intended; i++ {
		if e := q.list[i]; e != nil {
			e.durable = e.intended
		}
	}
}
