package remote

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// Protocol is the number of the protocol between the two machines, which must be the same at both.
const Protocol = 1

// A hello is the first line that the near end sends through ssh.
type hello struct {
	Protocol int    `json:"protocol"`
	Link     string `json:"link"`     // random id of the link
	New      bool   `json:"new"`      // the link begins; otherwise it continues
	Received uint64 `json:"received"` // see link.Link.Received

	Ended string `json:"ended,omitempty"` // the link of an earlier keeper, which was killed; "" if there is none
	End   bool   `json:"end,omitempty"`   // the link itself has ended; there is no answer
}

// A welcome answers a hello; the line begins with greeting.
type welcome struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`         // of wf
	Error    string `json:"error,omitempty"` // "" if the link is carried from now on
	Received uint64 `json:"received"`
}

// greeting begins the line of a welcome. Whatever the login of the other machine prints before it is ignored.
const greeting = "wf-link "

// errNoLink is the error of a welcome for a link that does not exist any more.
const errNoLink = "no such link"

// The kinds of a Request.
const (
	kindCommand = "command" // execute wf
	kindDaemon  = "daemon"  // connect to the daemon
	kindAsk     = "ask"     // only to the keeper: ssh asks a question
	kindEnd     = "end"     // only to the keeper: close the connection
)

// The kinds of a stream of a command.
const (
	StreamTTY  = "tty"
	StreamPipe = "pipe" // read or written by another program
	StreamFile = "file" // anything else
)

// A Request is the first line of every stream. The keeper passes it on.
type Request struct {
	Kind string `json:"kind"`

	// Of a command.

	Args    []string `json:"args,omitempty"`
	Dir     string   `json:"dir,omitempty"` // see Destination
	Env     []string `json:"env,omitempty"` // KEY=VALUE, in addition to the environment of the other machine
	In      string   `json:"in,omitempty"`  // see StreamTTY
	Out     string   `json:"out,omitempty"`
	Err     string   `json:"err,omitempty"`
	Rows    uint16   `json:"rows,omitempty"` // of the terminal
	Columns uint16   `json:"columns,omitempty"`

	// Of a connection to the daemon.

	Start bool `json:"start,omitempty"` // start it if none is running

	// For the keeper.

	Interactive bool   `json:"interactive,omitempty"` // the caller can answer questions of ssh
	Prompt      string `json:"prompt,omitempty"`      // what ssh asks
	Show        bool   `json:"show,omitempty"`        // the prompt needs no answer
}

// A reply is a line from the keeper to a caller, until Ready.
type reply struct {
	Ask    string `json:"ask,omitempty"`    // a question of ssh; the caller sends an answer
	Secret bool   `json:"secret,omitempty"` // the answer is not shown
	Note   string `json:"note,omitempty"`
	Error  *Error `json:"error,omitempty"`
	Ready  bool   `json:"ready,omitempty"` // the stream follows
}

// An answer is a line from a caller to the keeper, or from the keeper to the program that asks for ssh.
type answer struct {
	Text string `json:"text"`
	OK   bool   `json:"ok"`
}

// mostLine limits a line of JSON, in bytes: the arguments of a command are in one.
const mostLine = 8 << 20

// readLine reads a line of JSON.
func readLine(in *bufio.Reader, out any) error {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if err == nil {
			return json.Unmarshal(line, out)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		if len(line) > mostLine {
			return fmt.Errorf("a line of more than %d bytes", mostLine)
		}
	}
}

// writeLine writes a line of JSON.
func writeLine(w io.Writer, value any) error {
	line, err := json.Marshal(value)
	if err == nil {
		_, err = w.Write(append(line, '\n'))
	}
	return err
}

// The kinds of messages in the stream of a command: one byte, the length in four bytes, the data.
const (
	msgIn       = 'i' // standard input; empty at its end
	msgSize     = 'w' // rows and columns, two bytes each
	msgSignal   = 's' // one byte, the number of the signal
	msgContinue = 'c' // the command may continue after msgStopped
	msgOut      = 'o' // standard output
	msgErr      = 'e' // standard error
	msgWantsIn  = 'r' // the command reads its standard input: inputCredit messages, then one for each of these
	msgStopped  = 't' // the command has stopped like after Ctrl-Z
	msgExit     = 'x' // one byte, the exit status: the last message
	msgFailed   = 'f' // a text: the command could not be started: the last message
)

// inputCredit is how many messages of standard input may be on their way, so that signals can overtake an input that the
// command does not read.
const inputCredit = 32

// mostData is the most that a message contains, in bytes.
const mostData = 32 << 10

// messages writes the messages of a command; any goroutine may.
type messages struct {
	mu sync.Mutex // makes a message one write
	w  io.Writer
}

func (m *messages) send(kind byte, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := append(make([]byte, 0, 5+len(data)), kind)
	out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
	_, err := m.w.Write(append(out, data...))
	return err
}

// copy sends everything from r as messages of one kind.
func (m *messages) copy(kind byte, r io.Reader) {
	buf := make([]byte, mostData)
	for {
		n, err := r.Read(buf)
		if n > 0 && m.send(kind, buf[:n]) != nil || err != nil {
			return
		}
	}
}

// readMessage reads a message.
func readMessage(in *bufio.Reader) (kind byte, data []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n > mostData {
		return 0, nil, fmt.Errorf("a message of %d bytes, more than %d", n, mostData)
	}
	data = make([]byte, n)
	_, err = io.ReadFull(in, data)
	return head[0], data, err
}

// sizeData encodes the size of a terminal.
func sizeData(rows, columns uint16) []byte {
	return binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, rows), columns)
}
