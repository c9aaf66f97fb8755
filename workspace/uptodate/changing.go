package uptodate

import (
	"path/filepath"

	"github.com/bmatcuk/doublestar/v4"
)

// Changing is a set of outputs whose contents are not known in advance, because commands that make them will be executed.
type Changing struct {
	places  map[string]bool
	folders map[string]bool // around them
}

// Add adds the outputs of a command.
func (c *Changing) Add(t Task) {
	if c.places == nil {
		c.places, c.folders = map[string]bool{}, map[string]bool{}
	}
	for _, path := range t.Outputs {
		place := within(t.Folder, literal(path))
		c.places[place] = true
		for at := filepath.Dir(place); !c.folders[at]; at = filepath.Dir(at) {
			c.folders[at] = true
		}
	}
}

// Reaches reports whether one of the outputs is one of the inputs of a command, or in it, or around it.
func (c *Changing) Reaches(t Task) bool {
	for _, path := range t.Inputs {
		if isPattern(path) {
			if c.matches(t.Folder, path) {
				return true
			}
			continue
		}
		place := within(t.Folder, literal(path))
		if c.folders[place] || c.holds(place) {
			return true
		}
	}
	return false
}

// holds reports whether a place is one of the outputs, or in one.
func (c *Changing) holds(place string) bool {
	for at := place; ; at = filepath.Dir(at) {
		if c.places[at] {
			return true
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}

// matches reports whether a pattern matches one of the outputs, or a folder around it.
func (c *Changing) matches(folder, path string) bool {
	base, pattern := doublestar.SplitPattern(path)
	base = within(folder, base)
	if c.holds(base) {
		return true
	}
	if !c.folders[base] {
		return false
	}
	for place := range c.places {
		for at := place; holds(base, at) && at != base; at = filepath.Dir(at) {
			if local, err := filepath.Rel(base, at); err == nil && doublestar.MatchUnvalidated(pattern, local) {
				return true
			}
		}
	}
	return false
}
