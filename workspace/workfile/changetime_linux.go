package workfile

import (
	"syscall"
	"time"
)

// changeTime is the time of the last change of the file's content or attributes. It cannot be set back.
func changeTime(st *syscall.Stat_t) time.Time { return time.Unix(st.Ctim.Unix()) }
