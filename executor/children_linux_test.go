package executor

import "golang.org/x/sys/unix"

// close gives the list back; a runner has one as long as it lives.
func (l *childList) close() {
	if l != nil {
		unix.Close(l.fd)
	}
}
