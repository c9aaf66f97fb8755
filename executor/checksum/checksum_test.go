package checksum

import (
	"hash/crc32"
	"math/rand/v2"
	"testing"
)

// TestOf compares both ways to sum up with package crc32.
func TestOf(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for summed.Load() < 2*few {
		data := make([]byte, random.IntN(2000))
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		if got, want := Of(data), crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)); got != want {
			t.Fatalf("after %d bytes: %08x, want %08x", summed.Load(), got, want)
		}
		half := len(data) / 2
		if got := Update(Of(data[:half]), data[half:]); got != Of(data) {
			t.Fatalf("in two parts: %08x, want %08x", got, Of(data))
		}
		if summed.Load() > few {
			summed.Add(2000) // it does not count any more
		}
	}
}

func BenchmarkFirst(b *testing.B) {
	for b.Loop() {
		summed.Store(0)
		Of(make([]byte, 2000))
	}
}
