package graph

import (
	"cmp"
	"slices"
)

// An element is a node or an edge.
type element interface {
	comparable
	key() int
	at() *position
}

// position is the index of an element in its list.
type position struct {
	pos  int32
	gone bool // removed by the current Apply, but still in the list
}

func (p *position) at() *position { return p }

// ordered is a list in the order of keys. During an Apply it records changes without moving elements;
// settle then moves each element at most once, whatever the number of changes.
type ordered[T element] struct {
	list  []T
	added map[int]T // by key: elements that are not in the list yet
	gone  int       // number of removed elements that are still in the list
	dirty int       // positions from this index on may be wrong
}

// search returns the index of a key in the list, even of a removed element, or where it would be.
func (o *ordered[T]) search(key int) (index int, found bool) {
	// Without edits keys are indexes: check this before searching.
	if key >= 0 && key < len(o.list) && o.list[key].key() == key {
		return key, true
	}
	return slices.BinarySearchFunc(o.list, key, func(x T, key int) int { return cmp.Compare(x.key(), key) })
}

// find returns the element with the key.
func (o *ordered[T]) find(key int) (x T, found bool) {
	if x, found = o.added[key]; found {
		return x, true
	}
	if i, found := o.search(key); found && !o.list[i].at().gone {
		return o.list[i], true
	}
	return x, false
}

// begin prepares for changes.
func (o *ordered[T]) begin() { o.dirty = len(o.list) }

func (o *ordered[T]) insert(x T) {
	if n := len(o.list); n == 0 || o.list[n-1].key() < x.key() {
		o.list = append(o.list, x)
		return
	}
	if o.added == nil {
		o.added = map[int]T{}
	}
	o.added[x.key()] = x
}

// restoreRemoved undoes the removal of an element in the same Apply, as when a batch fails. The same
// element returns, so that pointers to it stay valid.
func (o *ordered[T]) restoreRemoved(key int) (x T, found bool) {
	i, found := o.search(key)
	if !found || !o.list[i].at().gone {
		return x, false
	}
	o.list[i].at().gone = false
	o.gone--
	return o.list[i], true
}

func (o *ordered[T]) remove(x T) {
	if _, found := o.added[x.key()]; found {
		delete(o.added, x.key())
		return
	}
	x.at().gone = true
	o.gone++
	i, _ := o.search(x.key())
	o.dirty = min(o.dirty, i)
}

// rekey gives elements of the list other keys, which no element has. set changes the key of the i-th of them.
func (o *ordered[T]) rekey(elements []T, set func(i int)) {
	leaves, first := make(map[T]bool, len(elements)), len(o.list)
	for _, x := range elements {
		if _, found := o.added[x.key()]; found {
			delete(o.added, x.key())
			continue
		}
		i, _ := o.search(x.key())
		first, leaves[x] = min(first, i), true
	}
	o.dirty = min(o.dirty, first)
	switch len(leaves) {
	case 0:
	case 1:
		o.list = slices.Delete(o.list, first, first+1)
	default:
		tail := slices.DeleteFunc(o.list[o.dirty:], func(x T) bool { return leaves[x] })
		o.list = o.list[:o.dirty+len(tail)]
	}
	for i, x := range elements {
		set(i)
		o.insert(x)
	}
}

// sort restores the order after keys were changed without moving the elements.
func (o *ordered[T]) sort() {
	slices.SortFunc(o.list, func(a, b T) int { return cmp.Compare(a.key(), b.key()) })
	for i, x := range o.list {
		x.at().pos = int32(i)
	}
}

// settle ends the changes: it updates the list and the positions.
func (o *ordered[T]) settle() {
	if o.gone > 0 {
		tail := slices.DeleteFunc(o.list[o.dirty:], func(x T) bool { return x.at().gone })
		o.list = o.list[:o.dirty+len(tail)]
		o.gone = 0
	}
	if len(o.added) > 0 {
		o.merge()
	}
	for i := min(o.dirty, len(o.list)); i < len(o.list); i++ {
		o.list[i].at().pos = int32(i)
	}
}

// merge moves the added elements into the list, from the last to the first.
func (o *ordered[T]) merge() {
	added := make([]T, 0, len(o.added))
	for _, x := range o.added {
		added = append(added, x)
	}
	slices.SortFunc(added, func(a, b T) int { return cmp.Compare(a.key(), b.key()) })
	clear(o.added)
	from := len(o.list)
	o.list = append(o.list, added...) // to make room
	for to := len(o.list); len(added) > 0; {
		last := len(added) - 1
		to--
		if from > 0 && o.list[from-1].key() > added[last].key() {
			from--
			o.list[to] = o.list[from]
			continue
		}
		o.list[to] = added[last]
		added = added[:last]
		o.dirty = min(o.dirty, to)
	}
}
