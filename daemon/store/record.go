package store

import (
	"encoding/binary"
	"time"

	"wf/executor/checksum"
)

// A record is the entry of a key in the file: expiry, checksum of everything, value. bbolt has checksums for two of its
// pages only, so damage of a value would go unnoticed otherwise.
const (
	timeBytes  = 8
	sumBytes   = 4
	headBytes  = timeBytes + sumBytes
	noExpiry   = 0
	badRecord  = "the record of the key is too short"
	badContent = "the checksum of the value is wrong"
)

// appendTime appends milliseconds since 1970. Their bytes sort like the times.
func appendTime(b []byte, ms int64) []byte { return binary.BigEndian.AppendUint64(b, uint64(ms)) }

func readTime(b []byte) int64 { return int64(binary.BigEndian.Uint64(b)) }

func encode(key []byte, expires int64, value []byte) []byte {
	b := appendTime(make([]byte, 0, headBytes+len(value)), expires)
	b = binary.BigEndian.AppendUint32(b, sumOf(key, b, value))
	return append(b, value...)
}

func sumOf(key, expires, value []byte) uint32 {
	return checksum.Update(checksum.Update(checksum.Of(key), expires), value)
}

// decode is the inverse of encode; problem is "" if the record is intact. value is a part of b.
func decode(key, b []byte) (expires int64, value []byte, problem string) {
	if len(b) < headBytes {
		return 0, nil, badRecord
	}
	expires, value = readTime(b), b[headBytes:]
	if binary.BigEndian.Uint32(b[timeBytes:]) != sumOf(key, b[:timeBytes], value) {
		return 0, nil, badContent
	}
	return expires, value, ""
}

// expired reports whether a value with this expiry no longer exists at now.
func expired(expires, now int64) bool { return expires != noExpiry && expires <= now }

// expiryTime returns expires as a time in UTC, the zero time if the value does not expire.
func expiryTime(expires int64) time.Time {
	if expires == noExpiry {
		return time.Time{}
	}
	return time.UnixMilli(expires).UTC()
}
