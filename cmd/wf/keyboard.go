package main

import (
	"sync"

	"github.com/muesli/cancelreader"
)

// A keyboard hands over the keys that are pressed on a terminal, one by one and unseen, while it
// listens. It is the only reader of keys in this program. Its methods belong to one goroutine; the
// reading is in another one, which deafen waits for.
type keyboard struct {
	e       *env
	term    *terminal
	pressed chan byte
	reader  cancelreader.CancelReader // nil while no keys are read
	deaf    chan struct{}             // closed when no key is wanted any more
	group   sync.WaitGroup
}

// newKeyboard does not listen yet.
func newKeyboard(e *env, t *terminal) *keyboard {
	return &keyboard{e: e, term: t, pressed: make(chan byte)}
}

// listens says whether a key would be heard.
func (k *keyboard) listens() bool { return k.reader != nil }

// listen begins to read keys and says whether there are any.
func (k *keyboard) listen() bool {
	if k.listens() {
		return true
	}
	if k.term.in == nil || k.term.listen() != nil {
		return false
	}
	reader, err := cancelreader.NewReader(k.term.in)
	if err != nil {
		k.term.restore()
		return false
	}
	k.reader = reader
	k.deaf = make(chan struct{})
	k.group.Go(func() { k.e.guard(func() { k.read(reader, k.deaf) }) })
	return true
}

// read hands over single keys until it is cancelled.
func (k *keyboard) read(reader cancelreader.CancelReader, deaf <-chan struct{}) {
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
		case k.pressed <- buf[0]:
		case <-deaf:
			return
		}
	}
}

// deafen ends the reading of keys and gives the terminal its modes back.
func (k *keyboard) deafen() {
	if k.reader != nil {
		close(k.deaf)
		if k.reader.Cancel() {
			k.group.Wait()
		}
		k.reader.Close()
		k.reader = nil
	}
	k.term.restore()
}
