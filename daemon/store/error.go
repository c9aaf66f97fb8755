package store

import (
	"errors"
	"fmt"
	"syscall"
	"unicode"
	"unicode/utf8"

	bolt "go.etcd.io/bbolt/errors"
)

// ErrClosed means that the store was closed before the operation started.
var ErrClosed = errors.New("the store has been closed")

// A Kind is the kind of an Error.
type Kind int

// The kinds.
const (
	Invalid  Kind = iota + 1 // a key or a value that is not allowed
	Unfit                    // the value is not a number, or the sum does not fit
	NoRun                    // the history does not have the run
	Damaged                  // the file, or a value in it; nothing was changed
	Locked                   // another program has the file
	Newer                    // the file is of a later version of the program
	Unusable                 // the system refuses to open, read or write the file
)

// An Error is a refusal. Nothing was changed, except perhaps when the disk failed during the change (Unusable).
type Error struct {
	Kind Kind
	Text string // the problem, in lower case
	Path string // the file, if the error is about it
	Why  string // the reason
	// Value is set if only one value is damaged. Set and Delete without conditions repair it.
	Value bool
	err   error
}

func (e *Error) Error() string {
	text := e.Text
	if e.Path != "" {
		text += ": " + e.Path
	}
	if e.Why != "" {
		text += ": " + e.Why
	}
	return text
}

func (e *Error) Unwrap() error { return e.err }

func refuse(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Text: fmt.Sprintf(format, args...)}
}

// damagedValue returns the error about one damaged value; the others can still be used.
func (s *Store) damagedValue(key []byte, problem string) *Error {
	return &Error{Kind: Damaged, Text: fmt.Sprintf("the value of %q is damaged", key), Value: true, Path: s.path, Why: problem}
}

// damagedFile returns the error about the file as a whole.
func damagedFile(path, why string) *Error {
	return &Error{Kind: Damaged, Text: "the file of the store is damaged", Path: path, Why: why}
}

// explain returns err as an *Error. An error that does not come from the system comes from bbolt and is about the
// contents of the file.
func explain(path string, err error) error {
	var own *Error
	var errno syscall.Errno
	switch {
	case err == nil, errors.As(err, &own):
		return err
	case errors.Is(err, bolt.ErrTimeout):
		return &Error{Kind: Locked, Text: "another program has the file of the store open", Path: path, err: err,
			Why: fmt.Sprintf("it was still locked after %v", lockTime)}
	case errors.As(err, &errno):
		return &Error{Kind: Unusable, Text: "the file of the store cannot be used", Path: path, Why: errno.Error(), err: err}
	}
	return damagedFile(path, err.Error())
}

// checkKey returns an error if key is empty, too long, or not one line of text.
func checkKey(key string) error {
	switch {
	case key == "":
		return refuse(Invalid, "a key must not be empty")
	case len(key) > maxKey:
		return refuse(Invalid, "the key has %d bytes: at most %d are kept", len(key), maxKey)
	case !utf8.ValidString(key):
		return refuse(Invalid, "the key %q is not a text in UTF-8", key)
	}
	for _, r := range key {
		if unicode.IsControl(r) {
			return refuse(Invalid, "the key %q has a control character in it", key)
		}
	}
	return nil
}

// checkValue returns an error if value is too long.
func checkValue(value []byte) error {
	if len(value) > MaxValue {
		return refuse(Invalid, "the value has %d bytes: at most %d are kept", len(value), MaxValue)
	}
	return nil
}
