package store

import (
	"context"
	"fmt"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// BenchmarkAdd adds to one number from several goroutines. Waiting additions share a transaction and its two syncs.
func BenchmarkAdd(b *testing.B) {
	for _, callers := range []int{1, 50} {
		b.Run(fmt.Sprint(callers), func(b *testing.B) {
			s := open(b, "")
			s.mustSet(b, Machine(), "n", "0", Terms{})
			before := s.transactions(b)
			b.SetParallelism(callers) // times GOMAXPROCS
			add := func() {
				if _, err := s.Add(context.Background(), Machine(), "n", 1, 0); err != nil {
					b.Error(err)
				}
			}
			b.ResetTimer()
			if callers == 1 {
				for b.Loop() {
					add()
				}
			} else {
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						add()
					}
				})
			}
			b.ReportMetric(float64(b.N)/float64(s.transactions(b)-before), "changes/transaction")
		})
	}
}

// transactions returns the number of transactions that have changed the file.
func (s *Store) transactions(b *testing.B) (n int) {
	b.Helper()
	if err := s.current.Load().view(func(tx *bolt.Tx) error { n = tx.ID(); return nil }); err != nil {
		b.Fatal(err)
	}
	return n
}
