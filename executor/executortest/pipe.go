package executortest

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A Pipe is a named pipe through which commands and test send each other lines. The test has both ends open, so that
// opening it never blocks.
type Pipe struct {
	path string
	file *os.File
	in   *bufio.Reader
}

// String returns the path, so that a pipe can be printed into a command.
func (p *Pipe) String() string { return p.path }

// Pipe creates a named pipe in the working directory of the commands.
func (h *Harness) Pipe(name string) *Pipe {
	h.Helper()
	path := h.File(name)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		h.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() { file.Close() })
	return &Pipe{path: path, file: file, in: bufio.NewReader(file)}
}

// AwaitLine waits for a line that a command writes into the pipe.
func (h *Harness) AwaitLine(p *Pipe) string {
	h.Helper()
	if err := p.file.SetReadDeadline(time.Now().Add(Timeout)); err != nil {
		h.Fatal(err)
	}
	line, err := p.in.ReadString('\n')
	if err != nil {
		h.Fatalf("nothing came through %s: %v", p, err)
	}
	return strings.TrimSpace(line)
}

// AwaitPID waits for a line with a pid.
func (h *Harness) AwaitPID(p *Pipe) int {
	h.Helper()
	text := h.AwaitLine(p)
	pid, err := strconv.Atoi(text)
	if err != nil {
		h.Fatalf("%q is no pid", text)
	}
	return pid
}

// Release writes a line into the pipe, so that a command that reads it goes on.
func (h *Harness) Release(p *Pipe) {
	h.Helper()
	if _, err := p.file.WriteString("go\n"); err != nil {
		h.Fatal(err)
	}
}
