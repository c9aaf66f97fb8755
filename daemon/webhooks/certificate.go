package webhooks

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// A certificate is read from its files again when they have changed. While they cannot be read, the one before is used.
type certificate struct {
	certFile, keyFile string
	log               *slog.Logger

	mu     sync.Mutex // guards the fields below
	loaded *tls.Certificate
	of     [2]stamp
}

// stamp identifies a state of a file.
type stamp struct {
	modified time.Time
	size     int64
}

// get returns the certificate. It fails only if there never was one.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var now [2]stamp
	var err error
	for i, path := range []string{c.certFile, c.keyFile} {
		info, statErr := os.Stat(path)
		if statErr != nil {
			err = statErr
			break
		}
		now[i] = stamp{info.ModTime(), info.Size()}
	}
	if err == nil && c.loaded != nil && now == c.of {
		return c.loaded, nil
	}
	var loaded tls.Certificate
	if err == nil {
		loaded, err = tls.LoadX509KeyPair(c.certFile, c.keyFile)
	}
	switch {
	case err == nil:
		c.loaded, c.of = &loaded, now
	case c.loaded == nil:
		return nil, fmt.Errorf("the certificate cannot be read: %w", err)
	case now != c.of: // once for each state of the files
		c.of = now
		c.log.Error("the new certificate of webhooks cannot be read; the one before is used", "err", err)
	}
	return c.loaded, nil
}
