package workfile

import (
	"syscall"
	"time"
)

// changeTime is when the file's content or attributes changed last: it cannot be set back.
func changeTime(st *syscall.Stat_t) time.Time { return time.Unix(st.Ctimespec.Unix()) }
