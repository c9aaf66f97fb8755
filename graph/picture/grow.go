package picture

// longestName is the most cells of a name that there is room for.
const longestName = 40

// mostGrown is the number of boxes of a level up to which names grow.
const mostGrown = 300

// grow makes the names of each band as long as its room allows. Only positions along the band change.
func (c *part) grow(width int) {
	if width == 0 || c.down || c.form == Dot || len(c.boxes) > mostGrown {
		return
	}
	for _, b := range c.bands {
		if !c.cut(b) {
			continue
		}
		w := longestName
		for ; w > c.size.names; w-- {
			if c.rename(b, w); b.along <= width {
				break
			}
		}
		if w == c.size.names {
			c.rename(b, w)
		}
	}
}

// cut reports whether a name of a band is shortened.
func (c *part) cut(b *band) bool {
	for _, layer := range c.layers[b.first:b.last] {
		for _, q := range layer {
			if v := c.level.layers.Points[q].Vertex; v >= 0 && c.boxes[v].width > c.size.names {
				return true
			}
		}
	}
	return false
}

// rename shortens the names of a band to a width, and measures again.
func (c *part) rename(b *band, width int) {
	names := c.level.names(width)
	for _, layer := range c.layers[b.first:b.last] {
		most := 0
		for _, q := range layer {
			if v := c.level.layers.Points[q].Vertex; v >= 0 {
				c.texts[v] = c.text(&c.boxes[v], names[v])
				c.deep[q] = c.texts[v].w
				if c.boxes[v].rows == 0 {
					most = max(most, c.deep[q])
				}
			}
		}
		if c.form == Card {
			c.alike(layer, most)
		}
	}
	c.measure()
}

// alike gives the cards of a layer the same length, except those with rows.
func (p *plan) alike(layer []int32, length int) {
	for _, q := range layer {
		if v := p.level.layers.Points[q].Vertex; v >= 0 && p.boxes[v].rows == 0 {
			p.deep[q] = length
		}
	}
}
