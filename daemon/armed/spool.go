package armed

import (
	"crypto/rand"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"wf/executor/ownfile"
)

// A spool is the folder of the bodies of deliveries whose runs have not started, a file each.
type spool struct {
	dir string
	log *slog.Logger

	// The fields below belong to the loop.

	bytes int64 // of the bodies of all that arrive or wait
	swept bool  // bodies that an earlier daemon left were removed
}

// byHand begins the name of the body of a run that is started by hand.
const byHand = "fire-"

func (s *spool) path(name string) string { return filepath.Join(s.dir, name) }

// write writes a body durably.
func (s *spool) write(name string, body []byte) (err error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	f, err := ownfile.Open(s.path(name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	if _, err = f.Write(body); err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = syncFolder(s.dir)
	}
	return err
}

// keep writes the body of a run that is started by hand, and returns its name.
func (s *spool) keep(body []byte) (name string, err error) {
	name = byHand + rand.Text()
	return name, s.write(name, body)
}

// read reads a body.
func (s *spool) read(name string) ([]byte, error) {
	return ownfile.Read(s.path(name), mostWaitingBytes)
}

// remove removes a body on the loop. If that fails, the next daemon does it.
func (s *spool) remove(name string) {
	if info, err := os.Stat(s.path(name)); err == nil && !strings.HasPrefix(name, byHand) {
		s.bytes = max(0, s.bytes-info.Size())
	}
	if err := ownfile.Remove(s.path(name)); err != nil {
		s.log.Warn("the body of a delivery cannot be removed", "file", s.path(name), "err", err)
	}
}

// sweep removes the bodies that are not needed: of deliveries that an earlier daemon has not answered, or whose runs have started.
// It happens once, before a delivery arrives.
func (s *spool) sweep(needed func() map[string]bool) {
	if s.swept {
		return
	}
	s.swept = true
	entries, _ := os.ReadDir(s.dir) // without the folder there are none
	if len(entries) == 0 {
		return
	}
	names := needed()
	for _, e := range entries {
		if !names[e.Name()] {
			s.remove(e.Name())
		} else if info, err := e.Info(); err == nil {
			s.bytes += info.Size()
		}
	}
}
