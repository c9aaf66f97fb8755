package console

import (
	"sync"

	"github.com/muesli/cancelreader"
)

// A Keyboard hands over the keys that are pressed on a terminal, one by one and unseen, while it
// listens. It is the only reader of keys in this program. Its methods belong to one goroutine; the
// reading is in another one, which deafen waits for.
type Keyboard struct {
	e       *Console
	Term    *Terminal
	Pressed chan byte
	reader  cancelreader.CancelReader // nil while no keys are read
	deaf    chan struct{}             // closed when no key is wanted any more
	group   sync.WaitGroup
}

// NewKeyboard does not listen yet.
func NewKeyboard(e *Console, t *Terminal) *Keyboard {
	return &Keyboard{e: e, Term: t, Pressed: make(chan byte)}
}

// Listens says whether a key would be heard.
func (k *Keyboard) Listens() bool { return k.reader != nil }

// Listen begins to read keys and says whether there are any.
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
	k.deaf = make(chan struct{})
	k.group.Go(func() { k.e.Guard(func() { k.read(reader, k.deaf) }) })
	return true
}

// read hands over single keys until it is cancelled.
func (k *Keyboard) read(reader cancelreader.CancelReader, deaf <-chan struct{}) {
	buf := make([]byte, 256)
	for {
		n, err := reader.Read(buf)
		if err != nil {
			return
		}
		if n != 1 {
			continue // pasted text, or a key that sends a sequence: nothing that was meant for us
		}
		select {
		case k.Pressed <- buf[0]:
		case <-deaf:
			return
		}
	}
}

// Close ends the reading of keys and gives the terminal its modes back.
func (k *Keyboard) Close() {
	if k.reader != nil {
		close(k.deaf)
		if k.reader.Cancel() {
			k.group.Wait()
		}
		k.reader.Close()
		k.reader = nil
	}
	k.Term.restore()
}
