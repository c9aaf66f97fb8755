package attribute

import (
	"strconv"
	"strings"

	"wf/graph/spelling"
)

// A Flaw is what is wrong with the name of an attribute on an element: wf does not read it there, and its
// author probably thought it would.
type Flaw struct {
	// Means are the attributes that the author may have had in mind: one, or several of one name that mean
	// something on different elements.
	Means *Attribute
	// Misspelt says that the name is not that of Means. Else only the element is wrong.
	Misspelt bool
}

// Severe says that the attribute would decide what runs.
func (f *Flaw) Severe() bool { return f.Means.Role == Decides }

// Text says what is wrong with the name of an attribute on an element, and what to write.
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

// shown is a name in a message: in quotes unless it is a word.
func shown(name string) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == "" {
		return name
	}
	return strconv.Quote(name)
}

// Judge says what is wrong with an attribute of one of the elements. It returns nil if wf knows the
// attribute there, and if it belongs to another program.
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
	if foreign[strings.ToLower(name)] {
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

// meant returns the attribute of one of the elements that a name was probably meant to be, nil if there
// is none.
func meant(e Element, name string) *Attribute {
	var best *Attribute
	least := spelling.Most + 1
	bare := plain(name)
	for a := range On(e) {
		if a.Role >= Shared {
			continue
		}
		if slips := away(a, bare); slips < least {
			best, least = a, slips
		}
	}
	return best
}

// away counts the slips between an attribute and a name without case and separators. It is above
// spelling.Most if nobody would write the one for the other.
func away(a *Attribute, bare string) int {
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

// plain returns a name without what people write differently: retryDelay, Retry-Delay and "retry delay" are
// retry_delay.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '_', '-', ' ', '.', ':':
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// foreign are words that other programs use, or that people use for their own data, although they look
// like an attribute of ours.
var foreign = words("time timer timed tiles ties tires whole white then hen watt want bait gait wail wit " +
	"coin john joint untie job shelf spell smell hell shells approx param")

func words(list string) map[string]bool {
	m := map[string]bool{}
	for _, word := range strings.Fields(list) {
		m[word] = true
	}
	return m
}
