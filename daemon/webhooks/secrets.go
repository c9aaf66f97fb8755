package webhooks

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"wf/executor/ownfile"
	"wf/trigger/webhook"
)

// A Secret is the secret of a hook. The zero value is none.
type Secret struct {
	Secret string    `json:"secret"`
	Since  time.Time `json:"since"`
	// Old is the secret before, which is valid until OldUntil; "" = none.
	Old      string    `json:"old,omitempty"`
	OldUntil time.Time `json:"old_until,omitzero"`
}

// mostSecret bounds the size of the file of a secret, in bytes.
const mostSecret = 16 << 10

// Secrets are the secrets of hooks, each in a file of mode 0600.
type Secrets struct {
	dir string
	mu  sync.Mutex // held while a file is replaced
}

// NewSecrets returns the secrets in a folder, which it creates when the first secret is stored.
func NewSecrets(dir string) *Secrets { return &Secrets{dir: dir} }

func (s *Secrets) path(name string) string { return filepath.Join(s.dir, name+".secret") }

// Get returns the secret of a hook at a time, the zero value if it has none.
func (s *Secrets) Get(name string, now time.Time) (Secret, error) {
	var sec Secret
	if err := webhook.CheckName(name); err != nil {
		return sec, err
	}
	data, err := ownfile.Read(s.path(name), mostSecret)
	if errors.Is(err, fs.ErrNotExist) {
		return sec, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &sec)
	}
	if err != nil {
		return Secret{}, fmt.Errorf("the secret of %s cannot be read: %w", name, err)
	}
	if !now.Before(sec.OldUntil) {
		sec.Old, sec.OldUntil = "", time.Time{}
	}
	return sec, nil
}

// Valid returns the secrets that are valid for a hook at a time. It has none if they cannot be read.
func (s *Secrets) Valid(name string, now time.Time) (list []string) {
	sec, err := s.Get(name, now)
	if err != nil {
		return nil
	}
	for _, text := range []string{sec.Secret, sec.Old} {
		if text != "" {
			list = append(list, text)
		}
	}
	return list
}

// Make makes a random secret for a hook that has none.
func (s *Secrets) Make(name string, scheme webhook.Scheme, now time.Time) (sec Secret, made bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sec, err = s.Get(name, now); err != nil || sec.Secret != "" {
		return sec, false, err
	}
	sec = Secret{Secret: random(scheme), Since: now}
	return sec, true, s.store(name, sec)
}

// Change replaces the secret of a hook, by a random one if text is "". The one before stays valid for keep.
func (s *Secrets) Change(name string, scheme webhook.Scheme, text string, keep time.Duration, now time.Time) (Secret, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, err := s.Get(name, now)
	if err != nil {
		return Secret{}, err
	}
	sec := Secret{Secret: text, Since: now}
	if text == "" {
		sec.Secret = random(scheme)
	}
	if before.Secret == sec.Secret {
		return before, nil
	}
	if keep > 0 && before.Secret != "" {
		sec.Old, sec.OldUntil = before.Secret, now.Add(keep)
	}
	return sec, s.store(name, sec)
}

// Remove removes the secret of a hook, and reports whether there was one.
func (s *Secrets) Remove(name string, now time.Time) (removed bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := webhook.CheckName(name); err != nil {
		return false, err
	}
	if sec, err := s.Get(name, now); err == nil && sec.Secret == "" {
		return false, nil
	}
	return true, ownfile.Remove(s.path(name))
}

func random(scheme webhook.Scheme) string {
	var bytes [webhook.SecretBytes]byte
	_, _ = rand.Read(bytes[:]) // never fails
	return scheme.Secret(bytes)
}

func (s *Secrets) store(name string, sec Secret) error {
	data, err := json.Marshal(sec)
	if err == nil {
		err = os.MkdirAll(s.dir, 0o700)
	}
	if err == nil {
		err = ownfile.Replace(s.path(name), data, true)
	}
	if err == nil {
		err = syncFolder(s.dir)
	}
	return err
}

func syncFolder(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
