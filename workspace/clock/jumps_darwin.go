package clock

import "errors"

// OnJump returns an error: the system tells nobody about changes of the clock who does not use its notification center.
func OnJump(func()) (stop func(), err error) {
	return nil, errors.New("the system does not tell of changes of the clock")
}
