package store

import (
	"errors"
	"fmt"
	"syscall"
	"unicode"
	"unicode/utf8"

	bolt "go.etcd.io/bbolt/errors"
)

// ErrClosed says that the store was closed before it had begun what was asked for.
var ErrClosed = errors.New("the store has been closed")

// A Kind says what is wrong.
type Kind int

// The kinds.
const (
	Invalid  Kind = iota + 1 // a key or a value that is never kept
	Unfit                    // what is there is no number, or the sum would be none
	NoRun                    // the history does not have the run
	Damaged                  // the file, or a value in it; nothing was changed
	Locked                   // another program has the file
	Newer                    // the file is of a later version of the program
	Unusable                 // the system refuses to open, read or write the file
)

// An Error is a refusal. Nothing has been changed then, except that nobody can know it when the
// disk itself has failed in the middle (Unusable).
type Error struct {
	Kind Kind
	Text string // what, lower case
	Path string // the file, where it is about that
	Why  string // the obstacle
	// Value: only one value is damaged. Set and Delete without conditions mend it.
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

// damagedValue is the error about one value; the others are none the worse for it.
func (s *Store) damagedValue(key []byte, problem string) *Error {
	return &Error{Kind: Damaged, Text: fmt.Sprintf("the value of %q is damaged", key), Value: true, Path: s.path, Why: problem}
}

// damagedFile is the error about the file as a whole.
func damagedFile(path, why string) *Error {
	return &Error{Kind: Damaged, Text: "the file of the store is damaged", Path: path, Why: why}
}

// explain gives an error of the file its kind. What does not come from the system is bbolt's word
// about the contents.
func explain(path string, err error) error {
	var own *Error
	var errno syscall.Errno
	switch {
	case err == nil, errors.As(err, &own):
		return err
	case errors.Is(err, bolt.ErrTimeout):
		return &Error{Kind: Locked, Text: "another program has the file of the store open", Path: path, err: err,
			Why: fmt.Sprintf("it was waited for %v", lockTime)}
	case errors.As(err, &errno):
		return &Error{Kind: Unusable, Text: "the file of the store cannot be used", Path: path, Why: errno.Error(), err: err}
	}
	return damagedFile(path, err.Error())
}

// CheckKey refuses what is no key: nothing, too much, and what is not one line of text.
func CheckKey(key string) error {
	switch {
	case key == "":
		return refuse(Invalid, "a key must not be empty")
	case len(key) > MaxKey:
		return refuse(Invalid, "the key has %d bytes: at most %d are kept", len(key), MaxKey)
	case !utf8.ValidString(key):
		return refuse(Invalid, "the key %q is no text in UTF-8", key)
	}
	for _, r := range key {
		if unicode.IsControl(r) {
			return refuse(Invalid, "the key %q has a control character in it", key)
		}
	}
	return nil
}

// CheckValue refuses a value that is too long.
func CheckValue(value []byte) error {
	if len(value) > MaxValue {
		return refuse(Invalid, "the value has %d bytes: at most %d are kept", len(value), MaxValue)
	}
	return nil
}
