package exit

import (
	"errors"
	"fmt"
	"io/fs"

	"wf/api"
	"wf/client"
	"wf/tui/words"
)

// A Failure is an error of the command line in the four parts of every message: what, where, why, and the command that
// fixes it. All but What may be empty.
type Failure struct {
	Status                int
	What, Where, Why, Fix string
}

func (f *Failure) Error() string { return f.What }

// Usage returns the failure of a wrong call, with exit status 2.
func Usage(format string, args ...any) *Failure {
	return &Failure{Status: BadUsage, What: fmt.Sprintf(format, args...)}
}

// An Error ends the program with a status; everything has been printed already.
type Error int

func (e Error) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// With returns an Error with a status, or nil for status 0.
func With(status int) error {
	if status == OK {
		return nil
	}
	return Error(status)
}

// IsCode reports whether the daemon answered with code.
func IsCode(err error, code api.Code) bool {
	var refused *api.Error
	return errors.As(err, &refused) && refused.Code == code
}

// Describe returns an error as a Failure.
func Describe(err error) Failure {
	var (
		found       *Failure
		refused     *api.Error
		unreachable *client.UnreachableError
		exposed     *client.ExposedError
	)
	switch {
	case errors.As(err, &found):
		return *found
	case errors.As(err, &refused):
		return Failure{What: refused.Message, Where: refused.Where, Why: refused.Why, Fix: refused.Fix}
	case errors.As(err, &exposed):
		return Failure{What: err.Error(), Fix: "chmod 600 " + words.Quote(exposed.Path)}
	case errors.As(err, &unreachable):
		return Failure{What: err.Error(), Fix: "wf server logs"}
	}
	return Failure{What: err.Error()}
}

// Obstacle returns the text of a file error without the path.
func Obstacle(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}
