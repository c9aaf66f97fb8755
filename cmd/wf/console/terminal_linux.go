package console

import "golang.org/x/sys/unix"

// The ioctl requests that read and set the modes of a terminal.
const (
	GetTermios = unix.TCGETS
	setTermios = unix.TCSETS
)
