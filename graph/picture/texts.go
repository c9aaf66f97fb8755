package picture

import "strings"

// texts are the texts and the size of a box, in the plan's form.
type texts struct {
	name, times string
	note        int
	w, h        int
}

// text returns the texts and the size of a box.
func (p *plan) text(b *node, name string) texts {
	t := p.head(b, name)
	t.w, t.h = max(t.w, b.wide), t.h+b.rows
	return t
}

// head returns the texts and the size of a box without its rows.
func (p *plan) head(b *node, name string) texts {
	t := texts{name: name, times: b.times, note: max(p.o.Note, b.note), h: 1}
	if n := len(b.members); n > 1 {
		t.note = countWidth(n)
	} else if p.form == Tag {
		t.note = b.note
	}
	if p.form == Dot {
		if len(b.members) == 1 {
			return texts{w: 1, h: 1}
		}
		return texts{times: b.times, note: t.note, w: 2 + b.after + t.note, h: 1}
	}
	line := 2 + p.o.Measure(t.name)  // the sign comes before
	if p.form == Tag && t.note > 0 { // the counts replace the number of nodes
		t.note = max(t.note, b.after)
	} else if b.after > 0 {
		line += 1 + b.after
	}
	switch {
	case p.form == Card:
		t.w, t.h = max(line, t.note)+4, 4
	case t.note > 0:
		t.w = line + 1 + t.note + 2
	default:
		t.w = line + 2
	}
	return t
}

// countWidth is the width of the counts of a stage with n nodes: "12/16 ✗3".
func countWidth(n int) int {
	digits := 1
	for ; n >= 10; n /= 10 {
		digits++
	}
	return 3*digits + 3
}

// names returns the name of each box, shortened to at most width cells. Names that would become equal keep the part in
// which they differ.
func (l *level) names(width int) []string {
	names := make([]string, len(l.boxes))
	alike := map[string][]int{}
	for i := range l.boxes {
		names[i] = l.boxes[i].name
		if l.boxes[i].width > width {
			names[i] = shorten(l.boxes[i].name, width, l.o.Measure)
			alike[names[i]] = append(alike[names[i]], i)
		}
	}
	for i := range l.boxes {
		if list := alike[names[i]]; len(list) > 0 && list[0] != i && l.boxes[i].width <= width {
			alike[names[i]] = append(list, i)
		}
	}
	for _, list := range alike {
		if len(list) > 1 {
			l.tellApart(names, list, width)
		}
	}
	return names
}

// tellApart shortens names that begin alike to their first letters and what comes after the common beginning.
func (l *level) tellApart(names []string, boxes []int, width int) {
	common := l.boxes[boxes[0]].name
	for _, b := range boxes[1:] {
		for !strings.HasPrefix(l.boxes[b].name, common) {
			common = cutEnd(common)
		}
	}
	if i := strings.LastIndexAny(common, pathEnds+"_- "); i >= 0 && len(common)-i <= width/3 {
		common = common[:i+1] // the whole word, if what differs still has room
	}
	const letters = 3
	for _, b := range boxes {
		if l.boxes[b].width <= width {
			continue
		}
		rest := []rune(l.boxes[b].name[len(common):])
		head := ""
		if first := []rune(common); len(first) > letters {
			head = string(first[:letters]) + "…"
		} else {
			head = common
		}
		text := head + string(rest)
		for len(rest) > 1 && l.o.Measure(text) > width {
			rest = rest[:len(rest)-1]
			text = head + string(rest) + "…"
		}
		names[b] = text
	}
}

// cutEnd returns a text without its last rune.
func cutEnd(text string) string {
	runes := []rune(text)
	return string(runes[:len(runes)-1])
}

// shorten shortens a name: what comes before the last points, colons and slashes goes first.
func shorten(name string, width int, measure func(string) int) string {
	for rest := name; ; {
		i := strings.IndexAny(rest, pathEnds)
		if i < 0 || i == len(rest)-1 {
			return cutMiddle(rest, width, measure)
		}
		if rest = rest[i+1:]; measure(rest) <= width {
			return rest
		}
	}
}

// cutMiddle shortens a text: names often differ at their ends.
func cutMiddle(text string, width int, measure func(string) int) string {
	if measure(text) <= width {
		return text
	}
	runes := []rune(text)
	for keep := min(len(runes), width) - 1; keep > 0; keep-- {
		head := (keep + 1) / 2
		cut := string(runes[:head]) + "…" + string(runes[len(runes)-(keep-head):])
		if measure(cut) <= width {
			return cut
		}
	}
	return "…"
}
