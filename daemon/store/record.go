package store

import (
	"encoding/binary"
	"hash/crc32"
	"time"
)

// A record is what the file has for a key: when it expires, a checksum of all, the value. bbolt
// has checksums for two of its pages only, and a value that has rotted must not be taken for one.
const (
	timeBytes  = 8
	sumBytes   = 4
	headBytes  = timeBytes + sumBytes
	neverEnds  = 0
	badRecord  = "the record of the key is too short"
	badContent = "the checksum of the value is wrong"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// appendTime appends milliseconds since 1970 so that their bytes sort as they do.
func appendTime(b []byte, ms int64) []byte { return binary.BigEndian.AppendUint64(b, uint64(ms)) }

func readTime(b []byte) int64 { return int64(binary.BigEndian.Uint64(b)) }

func encode(key []byte, expires int64, value []byte) []byte {
	b := appendTime(make([]byte, 0, headBytes+len(value)), expires)
	b = binary.BigEndian.AppendUint32(b, checksum(key, b, value))
	return append(b, value...)
}

func checksum(key, expires, value []byte) uint32 {
	sum := crc32.Update(0, castagnoli, key)
	sum = crc32.Update(sum, castagnoli, expires)
	return crc32.Update(sum, castagnoli, value)
}

// decode returns what encode was given; problem is "" when the record is whole. value is a part of b.
func decode(key, b []byte) (expires int64, value []byte, problem string) {
	if len(b) < headBytes {
		return 0, nil, badRecord
	}
	expires, value = readTime(b), b[headBytes:]
	if binary.BigEndian.Uint32(b[timeBytes:]) != checksum(key, b[:timeBytes], value) {
		return 0, nil, badContent
	}
	return expires, value, ""
}

// expired says whether a value with this expiry is gone at now.
func expired(expires, now int64) bool { return expires != neverEnds && expires <= now }

// expiryTime is expires as the callers have it: UTC, the zero time for a value that stays.
func expiryTime(expires int64) time.Time {
	if expires == neverEnds {
		return time.Time{}
	}
	return time.UnixMilli(expires).UTC()
}
