package picture

// An order knows which of two wires of a channel should be further left, so that few lines cross.
type order struct {
	wires []*wire // those that have no track yet
	extra []int16 // by two wires: how many more crossings there are if the first is left of the second, and not right of it
}

// mostWeighed is the number of wires in a channel up to which they are compared, because the time is quadratic.
const mostWeighed = 120

// weigh compares all wires that have no track yet.
func (o *order) weigh(wires []*wire) {
	o.wires = o.wires[:0]
	for _, w := range wires {
		if w.cost = 0; !w.routed {
			w.index = len(o.wires)
			o.wires = append(o.wires, w)
		}
	}
	n := len(o.wires)
	if n > mostWeighed {
		o.wires = nil
		return
	}
	o.extra = make([]int16, n*n)
	for i, a := range o.wires {
		for k, b := range o.wires[i+1:] {
			if b.top > a.bottom || a.top > b.bottom {
				continue
			}
			d := crossed(a, b) - crossed(b, a)
			o.extra[i*n+i+1+k], o.extra[(i+1+k)*n+i] = int16(d), int16(-d)
			a.cost += max(0, d)
			b.cost += max(0, -d)
		}
	}
}

// settle notes the track of a wire. Those that should be right of it get tracks there.
func (o *order) settle(w *wire) {
	n := len(o.wires)
	if n == 0 {
		return
	}
	for k, other := range o.wires {
		if other.routed {
			continue
		}
		d := int(o.extra[w.index*n+k])
		if d < 0 {
			other.least = max(other.least, w.track+1)
		}
		other.cost -= max(0, -d)
	}
}

// crossed counts the crossings of two wires if a is left of b: the lines to b that pass a, and those from a that pass b.
func crossed(a, b *wire) (n int) {
	for _, e := range b.lefts {
		n += number(a.top < e.row && e.row < a.bottom)
	}
	for _, e := range a.rights {
		n += number(b.top < e.row && e.row < b.bottom)
	}
	return n
}
