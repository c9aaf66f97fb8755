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
	outlets []int32 // of its sources, ascending
	targets []int32 // boxes, ascending
	cost    int32   // length of its line
	used    bool    // it is drawn; otherwise its arcs use the lines of their sources
	net     int32   // if it is drawn
}

// An outlet could serve all arcs from a box.
type outlet struct {
	source  int32
	targets []int32 // boxes, ascending
	buses   []int32
	cost    int32
	used    bool
	net     int32 // if it is used
}

// bundle decides which arcs share a line, and lists the nets: those of forward arcs first. An arc can use the line of
// its source or that of its target. The shortest lines that serve every arc are a minimum vertex cover; bundle finds
// one that costs at most twice as much. Arcs with a condition use the line of their source, at which the condition is
// written. An arc that leads back shares a line only with arcs to the same target from the same source.
func (l *level) bundle() {
	known := map[kind]int{}
	var coverings []covering
	for i := range l.arcs {
		a := &l.arcs[i]
		if a.back {
			continue
		}
		k, found := known[kind{a.weak, a.when}]
		if !found {
			k = len(coverings)
			known[kind{a.weak, a.when}] = k
			coverings = append(coverings, covering{level: l, kind: kind{a.weak, a.when}})
		}
		coverings[k].arcs = append(coverings[k].arcs, int32(i))
	}
	slices.SortFunc(coverings, func(a, b covering) int {
		return cmp.Or(cmp.Compare(number(a.kind.weak), number(b.kind.weak)), cmp.Compare(a.kind.when, b.kind.when))
	})
	for i := range coverings {
		coverings[i].find()
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
	kind     kind
	arcs     []int32 // ascending, and so by source and then by target
	outlets  []outlet
	buses    []bus
	outletOf []int32 // by arc of arcs
	busOf    []int32 // by arc of arcs
}

func (c *covering) find() {
	c.gatherOutlets()
	c.gatherBuses()
	c.weigh()
	if c.kind.when != "" {
		for i := range c.outlets {
			c.outlets[i].used = true
		}
	} else {
		c.cover()
	}
	first := len(c.nets)
	c.nets = slices.Grow(c.nets, len(c.outlets))
	c.fromOutlets()
	c.fromBuses()
	c.distribute(first)
}

// gatherOutlets makes an outlet for each source.
func (c *covering) gatherOutlets() {
	c.outletOf = make([]int32, len(c.arcs))
	targets, buses := make([]int32, len(c.arcs)), make([]int32, len(c.arcs))
	c.outlets = make([]outlet, 0, min(len(c.arcs), len(c.boxes)))
	first := 0
	for k, i := range c.arcs {
		a := &c.level.arcs[i]
		if k == 0 || c.outlets[len(c.outlets)-1].source != a.from {
			first = k
			c.outlets = append(c.outlets, outlet{source: a.from})
		}
		o := len(c.outlets) - 1
		targets[k] = a.to
		c.outlets[o].targets, c.outlets[o].buses = targets[first:k+1:k+1], buses[first:first:k+1]
		c.outletOf[k] = int32(o)
	}
}

// gatherBuses makes a bus for each set of sources.
func (c *covering) gatherBuses() {
	byTarget := make([]uint64, len(c.arcs)) // targets, with numbers of arcs in the lower half
	for k, i := range c.arcs {
		byTarget[k] = uint64(c.level.arcs[i].to)<<32 | uint64(k)
	}
	slices.Sort(byTarget)
	c.busOf = make([]int32, len(c.arcs))
	outlets, targets := make([]int32, len(c.arcs)), make([]int32, len(c.arcs))
	c.buses = make([]bus, 0, min(len(c.arcs), len(c.boxes)))
	known := make(map[string]int32, cap(c.buses))
	var key []byte
	for first, last := 0, 0; first < len(byTarget); first = last {
		for target := byTarget[first] >> 32; last < len(byTarget) && byTarget[last]>>32 == target; last++ {
			outlets[last] = c.outletOf[uint32(byTarget[last])]
		}
		key = appendBytes(key[:0], outlets[first:last])
		b, found := known[string(key)]
		targets[first] = int32(byTarget[first] >> 32)
		if !found {
			b = int32(len(c.buses))
			known[string(key)] = b
			c.buses = append(c.buses, bus{outlets: outlets[first:last], targets: targets[first : first+1 : first+1]})
		} else {
			c.buses[b].targets = append(c.buses[b].targets, targets[first])
		}
		for _, k := range byTarget[first:last] {
			c.busOf[uint32(k)] = b
		}
	}
}

// weigh computes the costs of all lines, and notes which outlets are necessary.
func (c *covering) weigh() {
	for i := range c.buses {
		b := &c.buses[i]
		last := int32(0)
		for _, t := range b.targets {
			last = max(last, c.rank[t])
		}
		for _, k := range b.outlets {
			o := &c.outlets[k]
			o.buses = append(o.buses, int32(i))
			o.cost, b.cost = max(o.cost, last-c.rank[o.source]), max(b.cost, last-c.rank[o.source])
			o.used = o.used || len(b.outlets) == 1
		}
	}
}

// appendBytes appends numbers to the key of a map.
func appendBytes(key []byte, numbers []int32) []byte {
	for _, n := range numbers {
		key = binary.BigEndian.AppendUint32(key, uint32(n))
	}
	return key
}

// cover decides which lines are drawn. Each arc charges both its ends until one of them has paid its cost; that end
// gets a line. Then unnecessary lines are removed, the longest first.
func (c *covering) cover() {
	for i := range c.buses {
		b := &c.buses[i]
		left := b.cost
		for _, k := range b.outlets {
			o := &c.outlets[k]
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
		b.used = slices.ContainsFunc(b.outlets, func(k int32) bool { return !c.outlets[k].used })
	}
	for k := range c.outlets {
		o := &c.outlets[k]
		o.used = o.used && slices.ContainsFunc(o.buses, func(i int32) bool { return !c.buses[i].used })
	}
}

// fromOutlets makes nets of the outlets. Those to the same targets become one, unless they have a condition.
func (c *covering) fromOutlets() {
	known := map[string]int32{}
	var key []byte
	sources := make([]int32, len(c.outlets))
	for i := range c.outlets {
		o := &c.outlets[i]
		if !o.used {
			continue
		}
		key = appendBytes(key[:0], o.targets)
		n, found := known[string(key)]
		if found && c.kind.when == "" {
			c.nets[n].sources = append(c.nets[n].sources, o.source)
		} else {
			n = int32(len(c.nets))
			known[string(key)] = n
			sources[i] = o.source
			c.nets = append(c.nets, net{sources: sources[i : i+1 : i+1], targets: o.targets, weak: c.kind.weak, when: c.kind.when})
		}
		o.net = n
	}
}

// fromBuses makes nets of the buses.
func (c *covering) fromBuses() {
	for i := range c.buses {
		b := &c.buses[i]
		if !b.used {
			continue
		}
		var joined []int32
		for _, k := range b.outlets {
			if !c.outlets[k].used {
				joined = append(joined, c.outlets[k].source)
			}
		}
		b.net = int32(len(c.nets))
		c.nets = append(c.nets, net{sources: joined, targets: b.targets, weak: c.kind.weak, when: c.kind.when})
	}
}

// distribute gives each arc to the net that joins its ends.
func (c *covering) distribute(first int) {
	of, size := make([]int32, len(c.arcs)), make([]int, len(c.nets))
	for k := range c.arcs {
		if of[k] = c.buses[c.busOf[k]].net; c.outlets[c.outletOf[k]].used {
			of[k] = c.outlets[c.outletOf[k]].net
		}
		size[of[k]]++
	}
	free := make([]int32, len(c.arcs))
	for n := first; n < len(c.nets); n++ {
		c.nets[n].arcs, free = free[:0:size[n]], free[size[n]:]
	}
	for k, i := range c.arcs {
		c.nets[of[k]].arcs = append(c.nets[of[k]].arcs, i)
	}
}
