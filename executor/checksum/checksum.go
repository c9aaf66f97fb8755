// Package checksum computes CRC-32C, which shows whether the files of this program are complete.
package checksum

import (
	"hash/crc32"
	"sync"
	"sync/atomic"
)

// few is how many bytes a process sums up with a table that is made in 2 µs. After that it uses package crc32, whose tables
// for the instructions of the processor take 0.3 ms: as long as 150 KB with the small table. Most runners sum up less.
const few = 64 << 10

var summed atomic.Int64

// Update returns the checksum of data, after other data with the checksum sum.
func Update(sum uint32, data []byte) uint32 {
	if summed.Load() > few || summed.Add(int64(len(data))) > few {
		return crc32.Update(sum, crc32.MakeTable(crc32.Castagnoli), data)
	}
	return crc32.Update(sum, smallTable(), data)
}

// Of returns the checksum of data.
func Of(data []byte) uint32 { return Update(0, data) }

// smallTable returns the checksum of each byte. It is not the table that package crc32 knows.
var smallTable = sync.OnceValue(func() *crc32.Table {
	table := new(crc32.Table)
	for i := range table {
		sum := uint32(i)
		for range 8 {
			sum = sum>>1 ^ crc32.Castagnoli*(sum&1)
		}
		table[i] = sum
	}
	return table
})
