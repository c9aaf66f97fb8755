//go:build !linux

package folders

import "errors"

// A Notifier receives events of the kernel, which this system does not have for closed files: everything is polled.
type Notifier struct{}

// NewNotifier returns an error.
func NewNotifier() (*Notifier, error) { return nil, errors.ErrUnsupported }

// Close does nothing.
func (n *Notifier) Close() error { return nil }

func (n *Notifier) add(string, *Watch, func(int32)) error { return errors.ErrUnsupported }

func (n *Notifier) drop(int32, *Watch) {}

// Polled reports that changes in a folder come without events.
func Polled(string) bool { return true }
