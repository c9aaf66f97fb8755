package picture

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// A kind is what arcs must share to be drawn as one line.
type kind struct {
	weak bool
	when string
}

// A bus could serve all arcs to a set of boxes with the same sources.
type bus struct {
	sources, targets []int32
	cost             int32 // length of its line
	used             bool  // it is drawn; otherwise its arcs use the lines of their sources
}

// An outlet could serve all arcs from a box.
type outlet struct {
	buses []int32
	cost  int32
	used  bool
}

// bundle decides which arcs share a line, and lists the nets: those of forward arcs first. An arc can use the line of
// its source or that of its target. The shortest lines that serve every arc are a minimum vertex cover; bundle finds
// one that costs at most twice as much. Arcs with a condition use the line of their source, at which the condition is
// written. An arc that leads back shares a line only with arcs to the same target from the same source.
func (l *level) bundle() {
	byKind := map[kind][]int32{}
	var kinds []kind
	for i := range l.arcs {
		a := &l.arcs[i]
		if a.back {
			continue
		}
		k := kind{a.weak, a.when}
		if byKind[k] == nil {
			kinds = append(kinds, k)
		}
		byKind[k] = append(byKind[k], int32(i))
	}
	slices.SortFunc(kinds, func(a, b kind) int {
		return cmp.Or(cmp.Compare(number(a.weak), number(b.weak)), cmp.Compare(a.when, b.when))
	})
	for _, k := range kinds {
		c := &covering{level: l, kind: k, arcs: byKind[k]}
		c.find()
	}
	for i := range l.arcs {
		if a := &l.arcs[i]; a.back {
			l.nets = append(l.nets, net{sources: []int32{a.from}, targets: []int32{a.to}, weak: a.weak, back: true, when: a.when, arcs: []int32{int32(i)}})
		}
	}
	for i := range l.nets {
		l.nets[i].label = l.o.Measure(l.nets[i].when)
	}
}

// A covering finds the nets of the forward arcs of one kind.
type covering struct {
	*level
	kind    kind
	arcs    []int32           // ascending, and so by source
	in      map[int32][]int32 // sources by target
	buses   []bus
	outlets map[int32]*outlet
	order   []int32 // sources, ascending
}

func (c *covering) find() {
	c.gather()
	if c.kind.when != "" {
		for _, s := range c.order {
			c.outlets[s].used = true
		}
	} else {
		c.cover()
	}
	first := len(c.nets)
	c.fromOutlets()
	for i := range c.buses {
		if b := &c.buses[i]; b.used {
			joined := slices.DeleteFunc(slices.Clone(b.sources), func(s int32) bool { return c.outlets[s].used })
			c.nets = append(c.nets, net{sources: joined, targets: b.targets, weak: c.kind.weak, when: c.kind.when})
		}
	}
	c.distribute(first)
}

// distribute gives each arc to the first net that joins its ends.
func (c *covering) distribute(first int) {
	at := map[int32][]int{}
	for i := first; i < len(c.nets); i++ {
		for _, s := range c.nets[i].sources {
			at[s] = append(at[s], i)
		}
	}
	for _, i := range c.arcs {
		a := &c.level.arcs[i]
		for _, n := range at[a.from] {
			if _, found := slices.BinarySearch(c.nets[n].targets, a.to); found {
				c.nets[n].arcs = append(c.nets[n].arcs, i)
				break
			}
		}
	}
}

// gather makes a bus for each set of sources, and an outlet for each source.
func (c *covering) gather() {
	c.in, c.outlets = map[int32][]int32{}, map[int32]*outlet{}
	var targets []int32
	for _, i := range c.arcs {
		a := &c.level.arcs[i]
		if c.in[a.to] == nil {
			targets = append(targets, a.to)
		}
		c.in[a.to] = append(c.in[a.to], a.from)
	}
	slices.Sort(targets)
	known := map[string]int{}
	for _, t := range targets {
		sources := c.in[t]
		key := bytesOf(sources)
		i, found := known[key]
		if !found {
			i = len(c.buses)
			known[key] = i
			c.buses = append(c.buses, bus{sources: sources})
		}
		c.buses[i].targets = append(c.buses[i].targets, t)
	}
	for i := range c.buses {
		b := &c.buses[i]
		for _, s := range b.sources {
			o := c.outlets[s]
			if o == nil {
				o = &outlet{}
				c.outlets[s] = o
				c.order = append(c.order, s)
			}
			o.buses = append(o.buses, int32(i))
			for _, t := range b.targets {
				o.cost, b.cost = max(o.cost, c.rank[t]-c.rank[s]), max(b.cost, c.rank[t]-c.rank[s])
			}
			o.used = o.used || len(b.sources) == 1
		}
	}
	slices.Sort(c.order)
}

func bytesOf(numbers []int32) string {
	key := make([]byte, 0, 4*len(numbers))
	for _, n := range numbers {
		key = binary.BigEndian.AppendUint32(key, uint32(n))
	}
	return string(key)
}

// cover decides which lines are drawn. Each arc charges both its ends until one of them has paid its cost; that end
// gets a line. Then unnecessary lines are removed, the longest first.
func (c *covering) cover() {
	for i := range c.buses {
		b := &c.buses[i]
		left := b.cost
		for _, s := range b.sources {
			o := c.outlets[s]
			if o.used || left == 0 {
				continue
			}
			paid := min(left, o.cost)
			left -= paid
			o.cost -= paid
			o.used = o.cost == 0
		}
		b.used = left == 0
	}
	order := make([]int, len(c.buses))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(c.buses[j].cost, c.buses[i].cost) })
	for _, i := range order {
		b := &c.buses[i]
		b.used = slices.ContainsFunc(b.sources, func(s int32) bool { return !c.outlets[s].used })
	}
	for _, s := range c.order {
		o := c.outlets[s]
		o.used = o.used && slices.ContainsFunc(o.buses, func(i int32) bool { return !c.buses[i].used })
	}
}

// fromOutlets makes nets of the outlets. Those to the same targets become one.
func (c *covering) fromOutlets() {
	known := map[string]int{}
	for _, s := range c.order {
		o := c.outlets[s]
		if !o.used {
			continue
		}
		var targets []int32
		for _, i := range o.buses {
			targets = append(targets, c.buses[i].targets...)
		}
		slices.Sort(targets)
		key := bytesOf(targets)
		i, found := known[key]
		if !found || c.kind.when != "" {
			i = len(c.nets)
			known[key] = i
			c.nets = append(c.nets, net{targets: targets, weak: c.kind.weak, when: c.kind.when})
		}
		c.nets[i].sources = append(c.nets[i].sources, s)
	}
}
