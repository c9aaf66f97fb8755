package wire

import "fmt"

// WithShortPath calls f with path, or returns an error if path is too long for the address of a socket.
func WithShortPath(path string, f func(short string) error) error {
	if len(path) > socketLimit {
		return fmt.Errorf("longer than %d bytes", socketLimit)
	}
	return f(path)
}
