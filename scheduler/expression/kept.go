package expression

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// MaxKept bounds a text that a run keeps for expressions, in bytes: what a command printed, a value of wf kv.
const MaxKept = 64 << 10

// Kept is a text that comes from outside of the workfile and that a run keeps for expressions. In JSON it is a text, or the number
// of bytes of one that is too long.
type Kept struct {
	Text  string
	Bytes int64 // of a text that is longer than MaxKept, which is then not kept; otherwise 0
}

// Keep returns a text as a run keeps it. Bytes that are not UTF-8 become U+FFFD.
func Keep(text string) *Kept {
	if len(text) > MaxKept {
		return &Kept{Bytes: int64(len(text))}
	}
	return &Kept{Text: strings.ToValidUTF8(text, "\uFFFD")}
}

// MarshalJSON implements json.Marshaler.
func (k Kept) MarshalJSON() ([]byte, error) {
	if k.Bytes > 0 {
		return json.Marshal(k.Bytes)
	}
	return json.Marshal(k.Text)
}

// UnmarshalJSON implements json.Unmarshaler.
func (k *Kept) UnmarshalJSON(data []byte) error {
	*k = Kept{}
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, &k.Text)
	}
	return json.Unmarshal(data, &k.Bytes)
}

// value returns the text for an expression, nil if there is none. what names it in an error.
func (k *Kept) value(at int, what, remedy string) any {
	switch {
	case k == nil:
		return nil
	case k.Bytes > 0:
		failWith(at, remedy, "%s is %d bytes long, and %d are the most for an expression", what, k.Bytes, MaxKept)
	}
	return k.Text
}

// ofStore compiles kv.NAME.
func (c *compiler) ofStore(at int, key string) op {
	whole := c.dashed(at, "kv")
	if strings.HasPrefix(whole, key+"-") && !strings.ContainsRune("\"'`", c.text[at]) {
		failWith(at, "write "+Member("kv", whole), "kv.%s is a subtraction", whole)
	}
	addTo(&c.names.Stored, key)
	return func(v *evaluation) any {
		if v.env.Stored == nil {
			return nil
		}
		kept, err := v.env.Stored(key)
		if err != nil {
			failWith(at, "", "%s: %v", Member("kv", key), err)
		}
		return kept.value(at, fmt.Sprintf("the value of %s in wf kv", key), "store a shorter value, or the name of a file")
	}
}

// Names are the names in a text that the run has to know values of, each once.
type Names struct {
	Nodes   []string // of nodes.NAME
	Printed []string // of nodes.NAME.stdout and previous.NAME.stdout
	// Inner are the local names of nodes in sub-flows whose stdout the text reads, as in map(nodes.align.results, #.trim.stdout);
	// "" = any.
	Inner  []string
	Stored []string // of kv.NAME
}

// addTo adds a name to a list that does not have it.
func addTo(list *[]string, name string) {
	if !slices.Contains(*list, name) {
		*list = append(*list, name)
	}
}

// merge adds the names of another text.
func (n *Names) merge(other *Names) {
	for to, from := range map[*[]string][]string{&n.Nodes: other.Nodes, &n.Printed: other.Printed, &n.Inner: other.Inner, &n.Stored: other.Stored} {
		for _, name := range from {
			addTo(to, name)
		}
	}
}

// innerStdout notes that VALUE.stdout or VALUE.NODE.stdout is read of something other than nodes.NAME.
func (c *compiler) innerStdout(n *ast.MemberNode) {
	if key, constant := n.Property.(*ast.StringNode); !constant || key.Value != "stdout" {
		return
	}
	name := ""
	if of, ok := n.Node.(*ast.MemberNode); ok {
		if key, constant := of.Property.(*ast.StringNode); constant {
			name = key.Value
		}
	}
	addTo(&c.names.Inner, name)
}
