// Package audit keeps the audit log: who asked for what, one line of JSON for each action. The lines form a chain of
// hashes, so that a later change of the file is found. The package appends, reads and verifies. It does not decide what
// is an action, and it keeps no outputs, environments or values.
package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"
)

// An Entry is one line of the log. A line ends with the SHA-256 of everything before it, and contains, as Prev, that of
// the line before. Texts of clients are cut to the limits of package audit.
type Entry struct {
	N        int64     `json:"n"` // number of the entry in the chain, from 1
	Time     time.Time `json:"time"`
	Action   string    `json:"action"`
	Workfile string    `json:"workfile,omitempty"` // its path
	Run      string    `json:"run,omitempty"`      // number, several with commas, or the name in the queue
	Nodes    []string  `json:"nodes,omitempty"`    // as the request named them
	Detail   string    `json:"detail,omitempty"`   // for people
	Error    string    `json:"error,omitempty"`    // code of the error, if the request was refused or failed
	Again    bool      `json:"again,omitempty"`    // the client sent the request before, and got no answer
	Who      Who       `json:"who"`
	Host     string    `json:"host"` // the machine on which it happened
	PID      int       `json:"pid"`  // the process that wrote the entry
	Prev     string    `json:"prev"` // hash of the line before; Origin for the first line
	// Hash is the hash of this line. It is not a field of the hashed text.
	Hash string `json:"-"`
}

// Who describes the origin of an action.
type Who struct {
	Via string `json:"via"`           // one of the Via words
	UID *int   `json:"uid,omitempty"` // user of the process at the other end, from the kernel; nil on the port
	PID int    `json:"pid,omitempty"` // that process, from the kernel; 0 if unknown
	// Said is what the client says about itself. Nothing proves it.
	Said *Said `json:"said,omitempty"`
}

// Ways by which an action reached the log.
const (
	ViaSocket = "socket" // of the daemon
	ViaPort   = "port"   // a request to the port of the daemon, with its token
	ViaDaemon = "daemon" // the daemon itself
	ViaFiles  = "files"  // a command that works without the daemon
	// ViaTrigger is a trigger of a workfile that somebody has armed: Said names the user.
	ViaTrigger = "trigger"
)

// Said is what a client says about itself; "" = unknown.
type Said struct {
	User     string `json:"user,omitempty"`
	Command  string `json:"command,omitempty"`  // "wf run"
	SSH      string `json:"ssh,omitempty"`      // address from which its user logged in with ssh
	Host     string `json:"host,omitempty"`     // its machine, if that is another one
	Workfile string `json:"workfile,omitempty"` // it is a command of a run of this workfile
	Run      string `json:"run,omitempty"`
	Node     string `json:"node,omitempty"`
}

// Actions of the log itself.
const (
	ActionBegin   = "log-begin"   // the first line of a chain
	ActionCut     = "log-cut"     // an unfinished line was removed
	ActionMissing = "log-missing" // the end of the file is not what the daemon wrote
	ActionLost    = "log-lost"    // entries could not be written
	ActionStart   = "server-start"
	ActionEnd     = "server-end"
)

// Origin is the Prev of the first line of a chain.
var Origin = strings.Repeat("0", 2*sha256.Size)

// Limits of one entry. They keep a line shorter than mostLine.
const (
	mostNodes = 20
	mostText  = 200  // bytes of a short text
	mostLong  = 1000 // bytes of Detail
	mostPath  = 4096 // bytes
	mostLine  = 128 << 10
)

// limit cuts the texts of an entry to their limits, so that a client cannot write megabytes.
func (e *Entry) limit() {
	if n := len(e.Nodes); n > mostNodes {
		e.Nodes = append(e.Nodes[:mostNodes:mostNodes], "…")
	}
	for i := range e.Nodes {
		e.Nodes[i] = cut(e.Nodes[i], mostText)
	}
	e.Workfile, e.Detail, e.Run = cut(e.Workfile, mostPath), cut(e.Detail, mostLong), cut(e.Run, mostText)
	if s := e.Who.Said; s != nil {
		s.Workfile = cut(s.Workfile, mostPath)
		for _, text := range []*string{&s.User, &s.Command, &s.SSH, &s.Host, &s.Run, &s.Node} {
			*text = cut(*text, mostText)
		}
	}
}

// cut returns the first bytes of text, and never half a character.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

// beforeHash and afterHash surround the hash at the end of a line.
const (
	beforeHash = `,"hash":"`
	afterHash  = `"}`
)

// line returns the line of an entry with its end, and sets its hash.
func (e *Entry) line() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		panic("internal error: an audit entry cannot be encoded: " + err.Error())
	}
	body := bytes.TrimSuffix(b.Bytes(), []byte("}\n"))
	e.Hash = hashOf(body)
	return append(append(append(body, beforeHash...), e.Hash...), afterHash+"\n"...)
}

func hashOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// parse reads a line without its end. ok is false if it does not have the form of an entry; right reports whether its
// hash is the hash of its text.
func parse(line []byte) (e Entry, right, ok bool) {
	at := len(line) - len(beforeHash) - len(Origin) - len(afterHash)
	if at < 0 {
		return e, false, false
	}
	body, tail := line[:at], string(line[at:])
	hash := tail[len(beforeHash) : len(beforeHash)+len(Origin)]
	if tail != beforeHash+hash+afterHash || strings.Trim(hash, "0123456789abcdef") != "" {
		return e, false, false
	}
	right = hashOf(body) == hash
	if json.Unmarshal(append(body[:at:at], '}'), &e) != nil || e.N < 1 {
		return Entry{}, right, false
	}
	e.Hash = hash
	return e, right, true
}
