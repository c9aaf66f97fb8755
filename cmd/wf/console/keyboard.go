package console

import (
	"sync"

	"github.com/muesli/cancelreader"
)

// A Keyboard reads single keys from a terminal without echo, while it listens. It is the only reader of keys of the
// command line. Its methods belong to one goroutine; another goroutine reads, and Close waits for it.
type Keyboard struct {
	e       *Console
	Term    *Terminal
	Pressed chan byte
	reader  cancelreader.CancelReader // nil while no keys are read
	done    chan struct{}             // closed by Close
	group   sync.WaitGroup
}

// NewKeyboard returns a Keyboard that does not listen yet.
func NewKeyboard(e *Console, t *Terminal) *Keyboard {
	return &Keyboard{e: e, Term: t, Pressed: make(chan byte)}
}

// Listens says whether keys are read.
func (k *Keyboard) Listens() bool { return k.reader != nil }

// Listen starts to read keys. It returns false if keys cannot be read.
func (k *Keyboard) Listen() bool {
	if k.Listens() {
		return true
	}
	if k.Term.In == nil || k.Term.listen() != nil {
		return false
	}
	reader, err := cancelreader.NewReader(k.Term.In)
	if err != nil {
		k.Term.restore()
		return false
	}
	k.reader = reader
	k.done = make(chan struct{})
	k.group.Go(func() { k.e.Guard(func() { k.read(reader, k.done) }) })
	return true
}

// read sends single keys to Pressed until it is cancelled.
func (k *Keyboard) read(reader cancelreader.CancelReader, done <-chan struct{}) {
	buf := make([]byte, 256)
	for {
		n, err := reader.Read(buf)
		if err != nil {
			return
		}
		if n != 1 {
			continue // pasted text, or a key that sends a sequence
		}
		select {
		case k.Pressed <- buf[0]:
		case <-done:
			return
		}
	}
}

// Close stops reading and restores the modes of the terminal.
func (k *Keyboard) Close() {
	if k.reader != nil {
		close(k.done)
		if k.reader.Cancel() {
			k.group.Wait()
		}
		k.reader.Close()
		k.reader = nil
	}
	k.Term.restore()
}
