// Package procattr reads and sets the attributes of a process that its children inherit besides the environment: umask,
// nice value, processors and resource limits. It starts no commands.
package procattr

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"wf/executor/jsonline"
)

// Attributes are what a command inherits from the process that starts it, besides the environment. The commands of a
// run get those of the client that started the run, not those of the daemon. For a missing attribute they get the
// daemon's. A process without privileges cannot lower its nice value or raise a hard limit; then the nearest possible
// value is set.
type Attributes struct {
	Umask  *int             `json:"umask,omitempty"`
	Nice   *int             `json:"nice,omitempty"`
	CPUs   string           `json:"cpus,omitempty"` // as in "0-3,8"; "" = those of the daemon
	Limits map[string]Limit `json:"limits,omitempty"`
}

// A Limit is a resource limit, see setrlimit(2); -1 = unlimited.
type Limit struct {
	Soft int64 `json:"soft"`
	Hard int64 `json:"hard"`
}

// Parse reads attributes from JSON; nil has none.
func Parse(data []byte) (Attributes, error) {
	var w Attributes
	if len(data) == 0 {
		return w, nil
	}
	if !jsonline.ReadObject(data, w.member) {
		w = Attributes{}
		if err := json.Unmarshal(data, &w); err != nil {
			return Attributes{}, err
		}
	}
	switch {
	case w.Umask != nil && (*w.Umask < 0 || *w.Umask > 0o777):
		return Attributes{}, fmt.Errorf("umask %d: must be from 0 to %d", *w.Umask, 0o777)
	case w.Nice != nil && (*w.Nice < -20 || *w.Nice > 19):
		return Attributes{}, fmt.Errorf("nice %d: must be from -20 to 19", *w.Nice)
	}
	for name, l := range w.Limits {
		if l.Soft < -1 || l.Hard < -1 {
			return Attributes{}, fmt.Errorf("limit %s: must be -1 or more", name)
		}
	}
	_, err := parseCPUs(w.CPUs)
	return w, err
}

// member reads the value of a key.
func (w *Attributes) member(key []byte, s *jsonline.Scanner) bool {
	switch string(key) {
	case "umask":
		w.Umask = new(int)
		return s.Int(w.Umask)
	case "nice":
		w.Nice = new(int)
		return s.Int(w.Nice)
	case "cpus":
		return s.Text(&w.CPUs)
	case "limits":
		w.Limits = make(map[string]Limit)
		return s.Object(w.limit)
	}
	return false
}

// limit reads the limit of a kind.
func (w *Attributes) limit(kind []byte, s *jsonline.Scanner) bool {
	var l Limit
	ok := s.Object(func(key []byte, s *jsonline.Scanner) bool {
		switch string(key) {
		case "soft":
			return s.Int64(&l.Soft)
		case "hard":
			return s.Int64(&l.Hard)
		}
		return false
	})
	w.Limits[string(kind)] = l
	return ok
}

// Encode is the inverse of Parse. It encodes without encoding/json, which would first examine the types.
func (w Attributes) Encode() []byte {
	var b []byte
	if w.Umask != nil {
		b = strconv.AppendInt(jsonline.AppendKey(b, "umask"), int64(*w.Umask), 10)
	}
	if w.Nice != nil {
		b = strconv.AppendInt(jsonline.AppendKey(b, "nice"), int64(*w.Nice), 10)
	}
	b = jsonline.AppendText(b, "cpus", w.CPUs)
	if len(w.Limits) > 0 {
		var limits []byte
		for _, name := range slices.Sorted(maps.Keys(w.Limits)) {
			limits = strconv.AppendInt(append(jsonline.AppendKey(limits, name), `{"soft":`...), w.Limits[name].Soft, 10)
			limits = append(strconv.AppendInt(jsonline.AppendKey(limits, "hard"), w.Limits[name].Hard, 10), '}')
		}
		b = append(jsonline.AppendKey(b, "limits"), object(limits)...)
	}
	return object(b)
}

// object returns the object with members, each of which has a comma before it.
func object(members []byte) []byte {
	if len(members) == 0 {
		return []byte("{}")
	}
	members[0] = '{'
	return append(members, '}')
}

// mostCPU is greater than the number of any processor.
const mostCPU = 1 << 13

// parseCPUs reads a list of processors: "0-3,8".
func parseCPUs(text string) ([]int, error) {
	var list []int
	for _, part := range strings.Split(text, ",") {
		if part == "" {
			continue
		}
		first, last, ranged := strings.Cut(part, "-")
		from, err := strconv.Atoi(first)
		to := from
		if ranged && err == nil {
			to, err = strconv.Atoi(last)
		}
		if err != nil || from < 0 || to < from || to >= mostCPU {
			return nil, fmt.Errorf("processors %q: must be a list like 0-3,8", text)
		}
		for cpu := from; cpu <= to; cpu++ {
			list = append(list, cpu)
		}
	}
	return list, nil
}

// writeCPUs is the inverse of parseCPUs for a sorted list.
func writeCPUs(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		part := strconv.Itoa(list[i])
		if j > i {
			part += "-" + strconv.Itoa(list[j])
		}
		parts, i = append(parts, part), j+1
	}
	return strings.Join(parts, ",")
}

// Variable contains the attributes for the commands of a runner, as JSON.
const Variable = "WF_RUNNER_WORLD"

// HelperOption makes a runner's program set attributes and then execute another program:
//
//	runner --world JSON PATH ARGV...
//
// It is for systems where the child of a fork cannot set them itself.
const HelperOption = "--world"

// ThroughHelper returns the command line that starts a program through HelperOption, or path and argv themselves if this
// process has the attributes already.
func ThroughHelper(path string, argv []string) (string, []string) {
	data := os.Getenv(Variable)
	if data == "" {
		return path, argv
	}
	w, err := Parse([]byte(data))
	if err != nil || !w.differs() {
		return path, argv
	}
	program, err := os.Executable()
	if err != nil {
		return path, argv
	}
	return program, append([]string{program, "runner", HelperOption, data, path}, argv...)
}

// RunHelper carries out HelperOption. It returns only if it fails.
func RunHelper(args []string) int {
	w, err := Parse([]byte(args[0]))
	if err == nil {
		w.enter()
		err = syscall.Exec(args[1], args[2:], os.Environ())
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", args[1], err)
	return 126
}

// rlimit returns the limit of a kind that this process can set if it has the limit now. The number of open files cannot
// be unlimited.
func (l Limit) rlimit(kind int, now unix.Rlimit) unix.Rlimit {
	to := unix.Rlimit{Cur: limitValue(l.Soft), Max: limitValue(l.Hard)}
	if os.Geteuid() != 0 || kind == unix.RLIMIT_NOFILE && l.Hard < 0 {
		to.Max = min(to.Max, now.Max)
	}
	to.Cur = min(to.Cur, to.Max)
	return to
}

func limitValue(n int64) uint64 {
	if n < 0 {
		return unix.RLIM_INFINITY
	}
	return uint64(n)
}

func limitNumber(n uint64) int64 {
	if n == unix.RLIM_INFINITY || n > 1<<62 {
		return -1
	}
	return int64(n)
}
