package executor

// A queue holds the jobs that wait for a place, in the order handed over. One that is stopped
// meanwhile stays where it is and is passed over.
//
//	taken │ intent durable │ intent recorded │ not yet in the record
//	      head             durable           intended
type queue struct {
	list     []*execution
	head     int
	durable  int
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
func (q *queue) isDurable() bool {
	return q.head < q.durable || q.head < len(q.list) && q.list[q.head].durable
}

// intend calls record for the first n who wait and have no intent in the record yet. It reports whether
// nobody is left without one.
func (q *queue) intend(n int, record func(*execution)) (all bool) {
	for q.intended = max(q.intended, q.head); q.intended < min(q.head+n, len(q.list)); q.intended++ {
		if e := q.list[q.intended]; e.waiting && !e.intended {
			record(e)
		}
	}
	return q.intended == len(q.list)
}

// synced says that everything recorded is on the disk.
func (q *queue) synced() { q.durable = q.intended }
