// Package checksum computes CRC-32C, which shows whether the files of this program are complete.
package checksum

import (
	"hash/crc32"
	"sync"
	"sync/atomic"
)

// few is the number of bytes for which a process uses the small table, which is computed in 2 µs. After that it uses the tables
// of package crc32. They are faster, but computing them takes 0.3 ms, the time that the small table needs for 150 KB. Most
// runners compute checksums of fewer bytes.
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
