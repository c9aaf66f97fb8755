package attribute

import (
	"strconv"
	"strings"

	"wf/graph/spelling"
)

// A Flaw is a misspelt or misplaced attribute: wf does not read it on this element, but its author
// probably expected that.
type Flaw struct {
	// Means is the attribute that the author probably meant. Other rows may have the same name.
	Means *Attribute
	// Misspelt means that the name is wrong. Otherwise only the element is wrong.
	Misspelt bool
}

// Severe reports whether the attribute would decide what runs.
func (f *Flaw) Severe() bool { return f.Means.Role == Decides }

// Text returns a message that describes the flaw of an attribute on an element, and the correction.
func (f *Flaw) Text(on Element, name string) string {
	means, where := f.Means.Name, Element(0)
	for _, a := range byName[means] {
		where |= a.On
	}
	if on&Container != 0 {
		on |= Container // a group becomes a sub-flow by an attribute
	}
	switch {
	case f.Misspelt && where&on != 0:
		return shown(name) + " is unknown; did you mean " + means + "?"
	case f.Misspelt:
		return shown(name) + " is unknown; if " + means + " is meant, it belongs on " + where.String()
	case on&Node != 0 && where&Node == 0:
		on = Node
	}
	return name + " has no effect on " + on.String() + "; it belongs on " + where.String()
}

// shown returns a name for a message: in quotes unless it is a word.
func shown(name string) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == "" {
		return name
	}
	return strconv.Quote(name)
}

// Judge checks the name of an attribute of one of the elements. It returns nil if wf reads the attribute
// there, or if it probably belongs to another program.
func Judge(e Element, name string) *Flaw {
	if Find(e, name) != nil {
		return nil
	}
	if rows := byName[name]; rows != nil {
		if rows[0].Role >= Shared {
			return nil
		}
		return &Flaw{Means: rows[0]}
	}
	if otherWords[strings.ToLower(name)] {
		return nil
	}
	if a := meant(e, name); a != nil {
		return &Flaw{Means: a, Misspelt: true}
	}
	if a := meant(Node|Edge|Graph, name); a != nil {
		return &Flaw{Means: a, Misspelt: true}
	}
	return nil
}

// meant returns the attribute of one of the elements that is most similar to a name, or nil.
func meant(e Element, name string) *Attribute {
	var best *Attribute
	least := spelling.Most + 1
	bare := plain(name)
	for a := range On(e) {
		if a.Role >= Shared {
			continue
		}
		if slips := distance(a, bare); slips < least {
			best, least = a, slips
		}
	}
	return best
}

// distance returns the number of typing errors between an attribute and a name without case and
// separators. It is above spelling.Most if the name is no plausible misspelling.
func distance(a *Attribute, bare string) int {
	own := plain(a.Name)
	for _, other := range a.Mistaken {
		if plain(other) == bare {
			return 0
		}
	}
	slips := spelling.Slips(own, bare)
	switch {
	case slips == 0, slips == 1 && len(own) >= 4, slips <= 2 && len(own) >= 7 && own[0] == bare[0]:
		return slips
	}
	return spelling.Most + 1
}

// plain returns a name in lower case without separators, so that retryDelay, Retry-Delay and "retry delay"
// equal retry_delay.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '_', '-', ' ', '.', ':':
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// otherWords are names that other programs and users use for their own data, although they are similar to
// an attribute of wf.
var otherWords = words("time timer timed tiles ties tires whole white then hen watt want bait gait wail wit " +
	"coin john joint untie job shelf spell smell hell shells approx param")

func words(list string) map[string]bool {
	m := map[string]bool{}
	for _, word := range strings.Fields(list) {
		m[word] = true
	}
	return m
}
