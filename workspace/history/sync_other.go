//go:build !linux

package history

import "os"

// syncData puts f on the disk. On macOS that is F_FULLFSYNC, as fsync there stops at the drive's
// cache.
func syncData(f *os.File) error { return f.Sync() }
