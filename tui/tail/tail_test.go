package tail

import (
	"slices"
	"testing"
)

func TestTextLines(t *testing.T) {
	got := Lines([]byte("first\r\n10%\r55%\r100%\n\x1b[31mlast"))
	if want := []string{"first", "100%", "last"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := Lines(nil); got != nil {
		t.Errorf("%q", got)
	}
}
