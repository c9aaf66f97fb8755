package cells

// Box draws a blank box with a border and a title in the middle of a and returns its area, which is at most as large
// as a.
func Box(a Area, width, height int, title string) Area {
	width, height = min(width, a.Width), min(height, a.Height)
	return Frame(a.Part((a.Width-width)/2, max(0, (a.Height-height)/3), width, height), title)
}

// Frame blanks b, draws a border around it, and returns b.
func Frame(b Area, title string) Area {
	width, height := b.Width, b.Height
	b.Fill(Plain)
	edge := [6]string{"┌", "┐", "└", "┘", "─", "│"}
	if b.ASCII() {
		edge = [6]string{",", ",", "`", "'", "-", "|"}
	}
	for x := 1; x < width-1; x++ {
		b.Put(x, 0, edge[4], Dimmed)
		b.Put(x, height-1, edge[4], Dimmed)
	}
	for y := 1; y < height-1; y++ {
		b.Put(0, y, edge[5], Dimmed)
		b.Put(width-1, y, edge[5], Dimmed)
	}
	b.Put(0, 0, edge[0], Dimmed)
	b.Put(width-1, 0, edge[1], Dimmed)
	b.Put(0, height-1, edge[2], Dimmed)
	b.Put(width-1, height-1, edge[3], Dimmed)
	b.Part(2, 0, width-4, 1).Put(0, 0, " "+Clip(title, width-6, b.ASCII())+" ", Strong)
	return b
}

// Rule fills an area with a character.
func Rule(a Area, sign string) {
	for y := range a.Height {
		for x := range a.Width {
			a.Put(x, y, sign, Dimmed)
		}
	}
}
