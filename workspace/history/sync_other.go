//go:build !linux

package history

import "os"

// syncData makes f durable. On macOS this is F_FULLFSYNC, because fsync there stops at the drive's cache.
func syncData(f *os.File) error { return f.Sync() }
