package main

import (
	"bufio"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A profile contains the stacks of all samples, by role.
type profile struct {
	stacks map[string]*stack
}

func newProfile() *profile {
	p := &profile{stacks: make(map[string]*stack)}
	for _, role := range roles {
		p.stacks[role] = new(stack)
	}
	return p
}

// A stack is a tree of frames; its root stands for the process.
type stack struct {
	frame
	count    int // of samples in this frame and those that it called
	children map[frame]*stack
}

// add counts a sample; frames begins with the outermost function.
func (s *stack) add(frames []frame) {
	s.count++
	if len(frames) == 0 {
		return
	}
	child := s.children[frames[0]]
	if child == nil {
		if s.children == nil {
			s.children = make(map[frame]*stack)
		}
		child = &stack{frame: frames[0]}
		s.children[frames[0]] = child
	}
	child.add(frames[1:])
}

// A frame is a function in a stack.
type frame struct {
	function string
	kind     kind
}

// A kind says whose function a frame is.
type kind int

const (
	kindOther   kind = iota // libraries, of Go and C
	kindOurs                // packages of wf
	kindRuntime             // of Go
	kindKernel
)

// unknown is a frame whose symbol perf does not find.
const unknown = "[unknown]"

// newFrame returns the frame of a function and the file that contains it, as perf writes them. Addresses and
// folders are left out, so that the frames of all builds and machines are equal.
func newFrame(function, file string) frame {
	function = shortGenerics(strings.TrimSuffix(function, ".abi0"))
	switch {
	case strings.HasPrefix(file, "[kernel") || strings.HasPrefix(file, "[guest.kernel"):
		return frame{function, kindKernel}
	case strings.HasPrefix(function, "runtime.") || strings.HasPrefix(function, "runtime/") || strings.HasPrefix(function, "internal/runtime/"):
		return frame{function, kindRuntime}
	case strings.HasPrefix(function, "wf/") || strings.HasPrefix(function, "main."):
		return frame{function, kindOurs}
	}
	return frame{function, kindOther}
}

// shortGenerics replaces the types of generic functions, which can be very long, by an ellipsis.
func shortGenerics(function string) string {
	const shape = "[go.shape."
	begin := strings.Index(function, shape)
	if begin < 0 {
		return function
	}
	depth := 0
	for i := begin; i < len(function); i++ {
		switch function[i] {
		case '[':
			depth++
		case ']':
			depth--
		}
		if depth == 0 {
			return function[:begin] + "[…]" + shortGenerics(function[i+1:])
		}
	}
	return function
}

// The lines of perf script: the head of an event, the events that are read, and a frame of a sample.
var (
	headLine  = regexp.MustCompile(`^(\S.*?) +(\d+)/\d+ +\d+\.\d+: +(.*)$`)
	forkEvent = regexp.MustCompile(`^PERF_RECORD_FORK\((\d+):\d+\):\((\d+):\d+\)`)
	execEvent = regexp.MustCompile(`^PERF_RECORD_COMM exec: (.*):(\d+)/\d+$`)
	frameLine = regexp.MustCompile(`^\s+[0-9a-f]+ (.*) \(([^()]*(?:\([^()]*\))?)\)$`)
)

// read adds the samples of the output of perf script.
func (p *profile) read(text io.Reader, f *family) error {
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, 1<<20)
	var of *stack // of the sample that is being read; nil = none that counts
	var frames []frame
	end := func() {
		if of != nil {
			slices.Reverse(frames)
			of.add(known(frames))
		}
		of, frames = nil, nil
	}
	for lines.Scan() {
		if m := frameLine.FindStringSubmatch(lines.Text()); m != nil {
			if of != nil {
				frames = append(frames, newFrame(m[1], m[2]))
			}
			continue
		}
		end()
		if m := headLine.FindStringSubmatch(lines.Text()); m != nil {
			pid, event := number(m[2]), m[3]
			if !f.event(event) {
				of = p.stacks[f.roles[pid]]
			}
		}
	}
	end()
	return lines.Err()
}

// event takes a fork or an exec; it returns false if the event is neither, but a sample.
func (f *family) event(text string) bool {
	if m := forkEvent.FindStringSubmatch(text); m != nil {
		f.fork(number(m[1]), number(m[2]))
	} else if m := execEvent.FindStringSubmatch(text); m != nil {
		f.exec(number(m[2]), m[1])
	}
	return strings.HasPrefix(text, "PERF_RECORD_")
}

// number reads digits that a pattern has found.
func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

// known leaves out frames without a name, if there are others. C programs have no frame pointers, so perf
// finds addresses in their stacks that are none.
func known(frames []frame) []frame {
	named := slices.DeleteFunc(slices.Clone(frames), func(f frame) bool { return f.function == unknown })
	if len(named) == 0 {
		return []frame{{unknown, kindOther}}
	}
	return named
}
