package console

import (
	"io"
	"os"
	"sync"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// A Terminal is a terminal for a Region and a Keyboard.
type Terminal struct {
	In, out *os.File // In is nil if keys cannot be read

	mu    sync.Mutex // guards saved: any goroutine may crash and restore it
	saved *unix.Termios
}

// NewTerminal returns the terminal of stderr and stdin, or nil if stderr is not a terminal.
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

// Size returns the size in columns and rows; zeros if it is unknown.
func (t *Terminal) Size() (width, height int) {
	width, height, err := term.GetSize(int(t.out.Fd()))
	if err != nil {
		return 0, 0
	}
	return width, height
}

// Foreground says whether this process is in the foreground process group of the terminal. The kernel stops other
// processes when they change the terminal, so they must not draw on it.
func (t *Terminal) Foreground() bool {
	group, err := unix.IoctlGetInt(int(t.out.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// listen turns off echo and line buffering of keys. The kernel still handles Ctrl-C and Ctrl-Z, and line ends of other
// programs. It does nothing without In.
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

// Forget keeps the modes that another program has set since listen.
func (t *Terminal) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.saved = nil
}

// HideTyping turns off the echo of a terminal, for a secret. It is called before the question is shown.
func HideTyping(terminal *os.File) (restore func(), err error) {
	fd := int(terminal.Fd())
	old, err := unix.IoctlGetTermios(fd, GetTermios)
	if err != nil {
		return nil, err
	}
	hidden := *old
	hidden.Lflag &^= unix.ECHO
	hidden.Lflag |= unix.ICANON | unix.ISIG
	hidden.Iflag |= unix.ICRNL
	if err := unix.IoctlSetTermios(fd, setTermios, &hidden); err != nil {
		return nil, err
	}
	return func() { _ = unix.IoctlSetTermios(fd, setTermios, old) }, nil
}
