package console

import "golang.org/x/sys/unix"

// The requests that read a terminal's modes, and that set them at once.
const (
	GetTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA
)
