package console

import (
	"io"
	"os"
	"sync"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// A Terminal is the one that a region is drawn on and keys come from.
type Terminal struct {
	In, out *os.File // in is nil when keys cannot be read

	mu    sync.Mutex // guards saved: whoever crashes restores it
	saved *unix.Termios
}

// NewTerminal is the terminal behind stderr and stdin; nil when stderr is none.
func NewTerminal(stdin io.Reader, stderr io.Writer) *Terminal {
	out, ok := stderr.(*os.File)
	if !ok || !term.IsTerminal(int(out.Fd())) {
		return nil
	}
	t := &Terminal{out: out}
	if in, ok := stdin.(*os.File); ok && term.IsTerminal(int(in.Fd())) {
		t.In = in
	}
	return t
}

// Size is the terminal's, in columns and rows; zeros when it does not tell.
func (t *Terminal) Size() (width, height int) {
	width, height, err := term.GetSize(int(t.out.Fd()))
	if err != nil {
		return 0, 0
	}
	return width, height
}

// Foreground says whether this process belongs to the terminal's foreground process group. Others
// are stopped by the kernel when they change the terminal, and should not draw on it.
func (t *Terminal) Foreground() bool {
	group, err := unix.IoctlGetInt(int(t.out.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// Listen makes keys come one by one and unseen. Signals stay what they are: Ctrl-C and Ctrl-Z are
// the kernel's business, and line ends of other programs too. It does nothing without in.
func (t *Terminal) listen() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.In == nil || t.saved != nil {
		return nil
	}
	old, err := unix.IoctlGetTermios(int(t.In.Fd()), GetTermios)
	if err != nil {
		return err
	}
	quiet := *old
	quiet.Lflag &^= unix.ECHO | unix.ICANON
	quiet.Cc[unix.VMIN], quiet.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(int(t.In.Fd()), setTermios, &quiet); err != nil {
		return err
	}
	t.saved = old
	return nil
}

// restore undoes listen.
func (t *Terminal) restore() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.saved == nil {
		return nil
	}
	saved := t.saved
	t.saved = nil
	return unix.IoctlSetTermios(int(t.In.Fd()), setTermios, saved)
}

// Forget leaves the modes as somebody else has set them since listen.
func (t *Terminal) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.saved = nil
}
