package scheduler

// Numbers of a run. They differ in type so that the compiler notices when one is taken for another: a
// node has one number in its layout and another one in the run. Callers see them as int, because
// journals, runners and clients store them so; exported methods convert at this border.
type (
	nodeID     int32 // of a node in the run: an index of state.nodes
	edgeID     int32 // of an edge in the run: an index of state.marks
	instanceID int32 // of an instance in the run: an index of state.instances
	localNode  int32 // of a node in its layout
	localEdge  int32 // of an edge in its layout
	component  int32 // of a strongly connected component in its layout
)

// noNode is the owner of the outer flow.
const noNode nodeID = -1

// csr is lists of numbers, one for each key, in two arrays.
type csr[K, V ~int32] struct {
	first []int32
	items []V
}

func (c csr[K, V]) of(key K) []V { return c.items[c.first[key]:c.first[key+1]] }

// group sorts the numbers below count by the key that of returns; it leaves out those without one.
func group[K, V ~int32](keys K, count V, of func(V) (key K, ok bool)) csr[K, V] {
	first := make([]int32, keys+1)
	for v := range count {
		if key, ok := of(v); ok {
			first[key+1]++
		}
	}
	for key := range keys {
		first[key+1] += first[key]
	}
	items := make([]V, first[keys])
	free := append([]int32(nil), first[:keys]...)
	for v := range count {
		if key, ok := of(v); ok {
			items[free[key]] = v
			free[key]++
		}
	}
	return csr[K, V]{first, items}
}

// grow makes a slice longer. Large ones get no spare room: most runs never grow.
func grow[T any](list []T, more int) []T {
	if len(list) == 0 {
		return make([]T, more)
	}
	return append(list, make([]T, more)...)
}
