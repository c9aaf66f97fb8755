package runner

import (
	"bytes"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// TestHookOutput checks that the beginning and the end of any output are kept, and that the log is bounded.
func TestHookOutput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		out, whole := &hookOutput{}, []byte{}
		for i := range rapid.IntRange(0, 12).Draw(t, "writes") {
			p := bytes.Repeat([]byte(fmt.Sprintf("%04d\n", i)), rapid.SampledFrom([]int{0, 1, 3, 100, 205, 1000, 3277}).Draw(t, "lines"))
			whole = append(whole, p...)
			if n, err := out.Write(p); n != len(p) || err != nil {
				t.Fatal(n, err)
			}
		}
		text := out.appendKept([]byte("head\n"))
		said := whole[max(0, len(whole)-mostSaid):]
		switch kept, _ := bytes.CutPrefix(text, []byte("head\n")); {
		case !bytes.Equal(out.said(), said):
			t.Fatalf("said %d bytes of %d", len(out.said()), len(whole))
		case len(whole) <= mostNodeHookOutput && !bytes.Equal(kept, whole):
			t.Fatalf("%d bytes of %d are kept", len(kept), len(whole))
		case len(kept) > mostNodeHookOutput+mostSaid+100:
			t.Fatalf("%d bytes are kept", len(kept))
		case !bytes.HasSuffix(kept, said[min(len(said), 5):]) && len(whole) > mostNodeHookOutput+mostSaid:
			t.Fatal("the end is not kept")
		case !bytes.HasPrefix(kept, whole[:min(len(whole), mostNodeHookOutput)]):
			t.Fatal("the beginning is not kept")
		}
	})
}
