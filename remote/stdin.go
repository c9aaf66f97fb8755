package remote

import (
	"io"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// asksDescriptor is where a command that was called from another machine asks for its standard input.
const asksDescriptor = 3

// AskedStdin returns the standard input of a command that was called from another machine. It is sent only after the first
// Read: otherwise a command that reads nothing would take away the input of the script that called it.
func AskedStdin() io.Reader {
	unix.CloseOnExec(asksDescriptor)
	return &askedStdin{asks: os.NewFile(asksDescriptor, "asks")}
}

type askedStdin struct {
	asks *os.File
	once sync.Once
}

func (s *askedStdin) Read(p []byte) (int, error) {
	s.once.Do(func() { // an error means that the caller is gone; then the input ends
		_, _ = s.asks.Write([]byte{1})
		s.asks.Close()
	})
	return os.Stdin.Read(p)
}
