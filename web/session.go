package web

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"sync"
	"time"

	"wf/api"
)

// The life of codes and tokens. A code is in an address, which can be read over a shoulder or from a terminal's
// scrollback: it works once, and not for long. A token is only in the memory of a tab.
const (
	CodeTime  = 10 * time.Minute
	tokenTime = 7 * 24 * time.Hour // without a request
)

// Most codes that wait, and most sessions. The oldest give way.
const (
	mostCodes    = 64
	mostSessions = 256
)

// secretBytes is the size of a code or token: nobody guesses it.
const secretBytes = 32

// A Visit is what an invitation allows.
type Visit struct {
	File     string         `json:"file,omitempty"`      // the workfile to show first, absolute; "" = the list of workfiles
	ReadOnly bool           `json:"read_only,omitempty"` // nothing can be changed; with File, nothing else can be seen
	Request  api.RunRequest `json:"request"`             // of runs that are started: environment, settings, user
}

// mayOpen reports whether the visitor may see a workfile. listed are those with a history.
func (v *Visit) mayOpen(path string, listed func() []Workfile) bool {
	switch {
	case !v.ReadOnly || path == v.File:
		return true
	case v.File != "":
		return false
	}
	for _, w := range listed() {
		if w.Path == path {
			return true
		}
	}
	return false
}

// A pass is a code or a token: its hash, so that nothing that can be printed or compared carelessly is kept.
type pass struct {
	hash  [sha256.Size]byte
	visit Visit
	until time.Time
}

// sessions are the codes that wait and the tokens in use.
type sessions struct {
	now func() time.Time

	mu     sync.Mutex // guards the others
	codes  []pass     // the oldest first
	tokens []pass     // the oldest first
}

func newSessions(now func() time.Time) *sessions { return &sessions{now: now} }

// secret returns a new code or token with its hash.
func secret() (text string, hash [sha256.Size]byte) {
	var b [secretBytes]byte
	rand.Read(b[:]) // never fails
	text = base64.RawURLEncoding.EncodeToString(b[:])
	return text, sha256.Sum256([]byte(text))
}

// add adds a pass and drops the oldest ones beyond most.
func add(list []pass, p pass, most int) []pass {
	list = append(list, p)
	return list[max(0, len(list)-most):]
}

// find returns the index of the valid pass with this secret, or -1. It compares hashes with all of them in constant time.
func find(list []pass, text string, now time.Time) int {
	hash, found := sha256.Sum256([]byte(text)), -1
	for i := range list {
		if subtle.ConstantTimeCompare(hash[:], list[i].hash[:]) == 1 && now.Before(list[i].until) {
			found = i
		}
	}
	return found
}

// invite returns a code.
func (s *sessions) invite(v Visit) string {
	text, hash := secret()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.codes = add(s.codes, pass{hash, v, s.now().Add(CodeTime)}, mostCodes)
	return text
}

// exchange returns a token for a code, which it uses up.
func (s *sessions) exchange(code string) (token string, v Visit, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := find(s.codes, code, s.now())
	if i < 0 {
		return "", Visit{}, false
	}
	v = s.codes[i].visit
	s.codes = append(s.codes[:i:i], s.codes[i+1:]...)
	token, hash := secret()
	s.tokens = add(s.tokens, pass{hash, v, s.now().Add(tokenTime)}, mostSessions)
	return token, v, true
}

// visit returns what a token allows.
func (s *sessions) visit(token string) (Visit, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := find(s.tokens, token, s.now())
	if i < 0 {
		return Visit{}, false
	}
	s.tokens[i].until = s.now().Add(tokenTime)
	return s.tokens[i].visit, true
}

// count returns the number of sessions.
func (s *sessions) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.tokens)
}

// A welcome is what the page learns about its session.
type welcome struct {
	Token    string `json:"token,omitempty"` // only in exchange for a code
	ReadOnly bool   `json:"read_only"`
	File     string `json:"file"`
	Machine  string `json:"machine"`
	Version  string `json:"version"`
	User     string `json:"user"`
}

// enter exchanges a code for a token.
func (s *Server) enter(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	var q struct {
		Code string `json:"code"`
	}
	if err := readJSON(w, r, &q); err != nil {
		refuse(w, err)
		return
	}
	token, v, ok := s.sessions.exchange(q.Code)
	if !ok {
		writeJSON(w, http.StatusUnauthorized, &api.Error{Code: api.CodeRefused, Message: "this address was used already, or is too old", Fix: "wf web prints a new one"})
		return
	}
	answer := s.greet(v)
	answer.Token = token
	writeJSON(w, http.StatusOK, answer)
}

// welcome answers a tab that has a token already.
func (s *Server) welcome(w http.ResponseWriter, _ *http.Request, v Visit) error {
	writeJSON(w, http.StatusOK, s.greet(v))
	return nil
}

func (s *Server) greet(v Visit) welcome {
	return welcome{ReadOnly: v.ReadOnly, File: v.File, Machine: s.opt.Machine, Version: s.opt.Version, User: v.Request.User}
}
