package remote

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// A Terminal has what a command on another machine uses here.
type Terminal struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Raw passes all keys on and returns a function that undoes that; nil if standard input is no terminal, or the command
	// has none.
	Raw func() (restore func(), err error)
	// Size returns the size of the terminal; zeros if there is none.
	Size func() (rows, columns uint16)
	// Stop stops this process like Ctrl-Z until it is continued.
	Stop func()
}

// ErrLeft means that the user has left a command that gave no answer: three times Ctrl-C.
var ErrLeft = errors.New("left")

// leaveAfter is how many times Ctrl-C without a byte from the other machine leaves a command.
const leaveAfter = 3

// RunCommand executes wf on the machine and returns its exit status. req has the arguments, the environment and the kinds of
// the streams.
func RunCommand(ctx context.Context, opt Options, req Request, t Terminal) (status int, err error) {
	req.Kind = kindCommand
	req.Rows, req.Columns = t.Size()
	conn, in, err := Open(ctx, opt, req)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	c := &command{t: t, out: &messages{w: conn}, left: make(chan struct{})}
	var shown modes
	defer func() {
		if c.restore() && err != nil {
			_, _ = t.Stdout.Write(shown.undo())
		}
	}()
	if err := c.raw(); err != nil {
		return 0, err
	}
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGWINCH)
	defer signal.Stop(signals)
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		for {
			select {
			case s := <-signals:
				c.signal(s)
			case <-c.left:
				conn.Close()
				return
			case <-ended:
				return
			}
		}
	}()
	if c.isRaw() {
		go c.keys()
	}
	return c.follow(in, &shown, opt.Destination.Machine())
}

// follow handles the messages of the other machine until the command ends. It returns the exit status.
func (c *command) follow(in *bufio.Reader, shown *modes, machine string) (status int, err error) {
	for {
		kind, data, err := readMessage(in)
		if err != nil {
			select {
			case <-c.left:
				return 0, ErrLeft
			default:
			}
			return 0, &Error{Kind: Lost, Machine: machine}
		}
		c.answered()
		switch kind {
		case msgOut:
			shown.follow(data)
			_, err = c.t.Stdout.Write(data)
		case msgErr:
			_, _ = c.t.Stderr.Write(data)
		case msgWantsIn:
			c.wanted()
		case msgStopped:
			err = c.stop()
		case msgExit:
			if len(data) == 1 {
				return int(data[0]), nil
			}
		case msgFailed:
			return 0, fmt.Errorf("%s", data)
		}
		if err != nil {
			return 0, err // the reader of a pipe has gone
		}
	}
}

// A command is one that is executed on another machine.
type command struct {
	t    Terminal
	out  *messages
	left chan struct{} // closed when the user leaves

	credit chan struct{} // one for each message of standard input that may be sent; nil until the command reads it

	mu         sync.Mutex // guards the fields below
	undo       func()     // undoes raw; nil if the terminal is not raw
	interrupts int        // since the last message from the other machine
}

// raw makes the terminal pass on all keys.
func (c *command) raw() error {
	if c.t.Raw == nil {
		return nil
	}
	undo, err := c.t.Raw()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.undo = undo
	return err
}

func (c *command) isRaw() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.undo != nil
}

// restore undoes raw. It returns false if the terminal was not raw.
func (c *command) restore() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.undo == nil {
		return false
	}
	c.undo()
	c.undo = nil
	return true
}

// stop stops this process as the other one has stopped, and continues both.
func (c *command) stop() error {
	c.restore()
	c.t.Stop()
	if err := c.raw(); err != nil {
		return err
	}
	rows, columns := c.t.Size()
	_ = c.out.send(msgSize, sizeData(rows, columns))
	return c.out.send(msgContinue, nil)
}

// signal passes a signal on.
func (c *command) signal(s os.Signal) {
	number, ok := s.(syscall.Signal)
	switch {
	case !ok:
	case number == syscall.SIGWINCH:
		rows, columns := c.t.Size()
		_ = c.out.send(msgSize, sizeData(rows, columns))
	default:
		if number == syscall.SIGINT {
			c.interrupted()
		}
		_ = c.out.send(msgSignal, []byte{byte(number)})
	}
}

// interrupted counts a Ctrl-C. The last of several without an answer leaves the command.
func (c *command) interrupted() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.interrupts++; c.interrupts == leaveAfter {
		close(c.left)
	}
}

func (c *command) answered() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.interrupts < leaveAfter {
		c.interrupts = 0
	}
}

// keys passes on what is typed.
func (c *command) keys() {
	buf := make([]byte, 4096)
	for {
		n, err := c.t.Stdin.Read(buf)
		for _, key := range buf[:n] {
			if key == 3 {
				c.interrupted()
			}
		}
		if n > 0 && c.out.send(msgIn, buf[:n]) != nil || err != nil {
			return
		}
	}
}

// wanted starts to pass on standard input, or continues.
func (c *command) wanted() {
	if c.credit != nil {
		select {
		case c.credit <- struct{}{}:
		default:
		}
		return
	}
	c.credit = make(chan struct{}, inputCredit)
	for range inputCredit {
		c.credit <- struct{}{}
	}
	go c.input()
}

// input passes on standard input and its end.
func (c *command) input() {
	buf := make([]byte, mostData)
	for range c.credit {
		n, err := c.t.Stdin.Read(buf)
		if n > 0 && c.out.send(msgIn, buf[:n]) != nil {
			return
		}
		if err != nil {
			_ = c.out.send(msgIn, nil)
			return
		}
	}
}
