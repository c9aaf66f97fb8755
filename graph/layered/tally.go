package layered

import (
	"math/bits"
	"slices"
)

// A tally counts numbers. It is a complete binary tree: the leaves are the numbers, and each inner node has how many
// there are below its right child.
type tally struct {
	leaves int     // a power of two; the leaf of a number n is the node leaves+n
	right  []int32 // by node: its children are 2n and 2n+1
}

// reset empties the tally, for numbers below size.
func (t *tally) reset(size int) {
	t.leaves = 1 << bits.Len(uint(max(size-1, 0)))
	t.right = slices.Grow(t.right[:0], t.leaves)[:t.leaves]
	clear(t.right)
}

// add counts n.
func (t *tally) add(n int32) {
	for k := uint(t.leaves + int(n)); k > 1; k /= 2 {
		t.right[k/2] += int32(k % 2)
	}
}

// after returns how many of the numbers that were added are greater than n.
func (t *tally) after(n int32) int {
	sum := int32(0)
	for k := uint(t.leaves + int(n)); k > 1; k /= 2 {
		sum += t.right[k/2] * int32(1-k%2)
	}
	return int(sum)
}
