package audit

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"wf/executor/ownfile"
)

// A Problem is a place where the chain is broken.
type Problem struct {
	Line int64  `json:"line"` // from 1
	Kind Kind   `json:"kind"`
	Text string `json:"text"` // what is wrong and its possible causes, as a sentence
}

// Kind is the kind of a Problem.
type Kind string

// The kinds of problems.
const (
	Changed    Kind = "changed"    // the line is not as it was written
	Removed    Kind = "removed"    // lines before this one are missing
	Rewritten  Kind = "rewritten"  // the line before is not the one that this line continues
	Order      Kind = "order"      // lines were inserted, repeated or exchanged
	Restarted  Kind = "restarted"  // a second chain begins in the file
	Unfinished Kind = "unfinished" // the last line has no end
	Empty      Kind = "empty"      // there is no line
)

// A Report is what the logs of a state folder prove.
type Report struct {
	OK   bool      `json:"ok"`
	Logs []Summary `json:"logs"`
	// NoHead is set if a head was wanted and no log contains it: why, for people.
	NoHead string `json:"no_head,omitempty"`
}

// Verify verifies logs. head is the hash of a line that one of them had once, "" for none.
func Verify(paths []string, head string) (Report, error) {
	rep := Report{OK: true, Logs: []Summary{}}
	found := head == ""
	for _, path := range paths {
		sum, err := read(path, head, func(Entry) {})
		if err != nil {
			return rep, err
		}
		rep.Logs = append(rep.Logs, sum)
		rep.OK = rep.OK && sum.OK
		found = found || sum.HeadLine > 0
	}
	if !found {
		rep.OK, rep.NoHead = false, "no line has the hash "+head+": lines at the end were removed, or a log was written anew or removed"
	}
	return rep, nil
}

// A Summary is what a file proves.
type Summary struct {
	Path    string    `json:"path"`
	OK      bool      `json:"ok"`
	Entries int64     `json:"entries"`           // whole lines that have the form of an entry
	Head    string    `json:"head"`              // hash of the last of them
	From    time.Time `json:"from,omitzero"`     // time of the first
	Until   time.Time `json:"until,omitzero"`    // time of the last
	Problem *Problem  `json:"problem,omitempty"` // the first one
	More    int       `json:"more,omitempty"`    // further problems
	// HeadLine is the line with the wanted head; 0 = there is none, or no head was wanted.
	HeadLine int64 `json:"head_line,omitempty"`
	// Remarks are the entries of the log about itself: cut lines, lost entries.
	Remarks []Remark `json:"remarks,omitempty"`
}

// A Remark is an entry in which the log reports a disturbance of its own.
type Remark struct {
	Line   int64     `json:"line"`
	Time   time.Time `json:"time"`
	Action string    `json:"action"`
	Detail string    `json:"detail"`
}

// mostRemarks bounds Summary.Remarks; later ones count.
const mostRemarks = 20

// Read reads a file, calls each for every line that has the form of an entry, and verifies the chain. The error is about
// the file, not about its content.
func Read(path string, each func(Entry)) (Summary, error) { return read(path, "", each) }

// read is Read, and looks for the line with the hash want.
func read(path, want string, each func(Entry)) (Summary, error) {
	f, err := ownfile.Open(path, os.O_RDONLY)
	if err != nil {
		return Summary{Path: path}, err
	}
	defer f.Close()
	return verify(path, f, want, each)
}

// verify is read for an open file.
func verify(path string, from io.Reader, want string, each func(Entry)) (Summary, error) {
	v := &verifier{sum: Summary{Path: path, OK: true}, want: want, prev: Origin}
	r := bufio.NewReaderSize(from, mostLine)
	for {
		line, err := r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			line, err = nil, skipLine(r) // no entry is that long
		}
		if err != nil && err != io.EOF {
			return v.sum, err
		}
		if err == io.EOF {
			v.finish(len(line))
			return v.sum, nil
		}
		v.line++
		if e, ok := v.check(bytes.TrimSuffix(line, []byte("\n"))); ok {
			each(e)
		}
	}
}

// skipLine reads to the end of a line.
func skipLine(r *bufio.Reader) error {
	for {
		if _, err := r.ReadSlice('\n'); !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// A verifier follows the chain from line to line.
type verifier struct {
	sum  Summary
	want string
	line int64
	n    int64  // of the last entry
	prev string // hash that the next line must continue; "" = unknown after a problem
}

// check verifies a line. ok is false if it does not have the form of an entry.
func (v *verifier) check(line []byte) (e Entry, ok bool) {
	before := v.n
	e, right, ok := parse(line)
	if !ok || !right {
		v.problem(Changed, "it is not as it was written: somebody has changed it, or the disk is damaged")
		if !ok {
			v.n, v.prev = before+1, ""
			return e, false
		}
	} else {
		v.link(e)
	}
	if v.n, v.prev = e.N, e.Hash; !right {
		v.n, v.prev = before+1, ""
	}
	v.count(e)
	return e, true
}

// link verifies that an entry continues the one before.
func (v *verifier) link(e Entry) {
	follows := v.prev == "" || e.Prev == v.prev
	switch missing := e.N - v.n - 1; {
	case missing == 0 && follows:
	case e.N == 1 && e.Prev == Origin:
		v.problem(Restarted, "a new chain begins here: the daemon could not read the line before, or somebody has put two files together")
	case missing > 0 && v.n == 0:
		v.problem(Removed, fmt.Sprintf("the file begins with entry %d: the %d before were removed", e.N, missing))
	case missing > 0:
		v.problem(Removed, fmt.Sprintf("entries %d to %d are missing: somebody has removed them, or the disk lost them", v.n+1, e.N-1))
	case missing == 0:
		v.problem(Rewritten, "it continues another line than the one before: somebody has rewritten what is before it")
	default:
		v.problem(Order, fmt.Sprintf("entry %d follows entry %d: lines were repeated, inserted or exchanged", e.N, v.n))
	}
}

func (v *verifier) problem(kind Kind, text string) {
	v.sum.OK = false
	if v.sum.Problem != nil {
		v.sum.More++
		return
	}
	v.sum.Problem = &Problem{Line: v.line, Kind: kind, Text: text}
}

// count adds an entry to the summary.
func (v *verifier) count(e Entry) {
	s := &v.sum
	if s.Entries++; s.Entries == 1 {
		s.From = e.Time
	}
	s.Until, s.Head = e.Time, e.Hash
	if e.Hash == v.want {
		s.HeadLine = v.line
	}
	switch e.Action {
	case ActionCut, ActionMissing, ActionLost:
		if len(s.Remarks) == mostRemarks {
			s.Remarks = s.Remarks[1:]
		}
		s.Remarks = append(s.Remarks, Remark{v.line, e.Time, e.Action, e.Detail})
	}
}

// finish ends the verification; torn is the size of a last line without an end.
func (v *verifier) finish(torn int) {
	v.line++
	switch {
	case torn > 0:
		v.problem(Unfinished, fmt.Sprintf("it has no end (%d bytes): the program or the machine crashed while it was written, or the disk was full; "+
			"or somebody has cut the file. The next entry removes it, and says so", torn))
	case v.line == 1:
		v.problem(Empty, "the file is empty: somebody has emptied it, or the disk was full")
	}
}
