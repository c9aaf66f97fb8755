package graphml

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestMemoryLimits checks that Parse refuses a file before it uses too much memory, packed or not, and
// accepts a file with much text and few elements.
func TestMemoryLimits(t *testing.T) {
	many := func(n int) string {
		var b strings.Builder
		b.WriteString("<graphml><graph>")
		for i := range n {
			fmt.Fprintf(&b, `<node id="%d"/>`, i)
		}
		b.WriteString(`<edge source="0" target="1"/></graph></graphml>`)
		return b.String()
	}
	pack := func(text string) string {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		z.Write([]byte(text))
		z.Close()
		return packed.String()
	}
	long := "<graphml><graph><!--" + strings.Repeat("x", 4<<20) + "--></graph></graphml>"
	for _, c := range []struct {
		name, text string
		limits     Limits
		fits       bool
	}{
		{"few nodes", many(1000), Limits{MaxMemory: 1 << 20}, true},
		{"many nodes", many(10_000), Limits{MaxMemory: 1 << 20}, false},
		{"many nodes, packed", pack(many(10_000)), Limits{MaxMemory: 1 << 20}, false},
		{"many nodes, too much memory per byte", many(10_000), Limits{MemoryPerByte: 10, MemoryPerByteFrom: 1 << 20}, false},
		{"many nodes, below the size where memory per byte counts", many(10_000), Limits{MemoryPerByte: 10, MemoryPerByteFrom: 8 << 20}, true},
		{"many nodes, allowed", many(10_000), Limits{MaxMemory: 64 << 20}, true},
		{"much text", long, Limits{MemoryPerByte: 10, MemoryPerByteFrom: 1 << 20}, true},
		{"too much text, packed", pack(long), Limits{MaxMemory: 4 << 20}, false},
		{"no limit", many(10_000), Limits{}, true},
	} {
		_, _, _, err := Parse([]byte(c.text), c.limits)
		var memory *MemoryError
		if (err == nil) != c.fits || err != nil && !errors.As(err, &memory) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
