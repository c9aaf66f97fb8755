package layered

import (
	"testing"

	"pgregory.net/rapid"
)

// TestTally compares with counting one by one, also after a tally was used for other numbers.
func TestTally(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tally tally
		for range 2 {
			size := rapid.IntRange(1, 40).Draw(t, "size")
			tally.reset(size)
			var added []int32
			for _, n := range rapid.SliceOfN(rapid.Int32Range(0, int32(size)-1), 0, 60).Draw(t, "numbers") {
				greater := 0
				for _, a := range added {
					if a > n {
						greater++
					}
				}
				if got := tally.after(n); got != greater {
					t.Fatalf("after(%d) of %v is %d, not %d", n, added, got, greater)
				}
				tally.add(n)
				added = append(added, n)
			}
		}
	})
}
