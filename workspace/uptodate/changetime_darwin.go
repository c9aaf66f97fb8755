package uptodate

import "syscall"

// changeTime is when the contents or attributes of a file last changed, in nanoseconds since 1970. It cannot be set back.
func changeTime(st *syscall.Stat_t) int64 { return st.Ctimespec.Nano() }
