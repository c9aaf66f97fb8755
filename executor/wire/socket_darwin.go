package wire

import "fmt"

// WithShortPath calls f with path if the kernel takes so long an address of a socket.
func WithShortPath(path string, f func(short string) error) error {
	if len(path) > socketLimit {
		return fmt.Errorf("longer than %d bytes", socketLimit)
	}
	return f(path)
}
