package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"
)

// Request is what was asked for when a run began: the contents of run.json, never changed
// afterwards. It holds no environment values. Empty fields are absent from the file.
type Request struct {
	Run       int       `json:"run"` // set by Store.Create
	Workspace string    `json:"workspace"`
	Workfile  string    `json:"workfile"` // absolute
	Time      time.Time `json:"time"`
	Mode      string    `json:"mode"`              // "fresh" or "resume"
	Resumes   int       `json:"resumes,omitempty"` // the run whose failures this one repeats; 0 = none

	Selection []string `json:"selection,omitempty"` // as given by the client
	Exclude   []string `json:"exclude,omitempty"`

	Wrapper        string `json:"wrapper,omitempty"`
	Shell          string `json:"shell,omitempty"`
	Cwd            string `json:"cwd,omitempty"`
	Jobs           int    `json:"jobs,omitempty"`     // at once; 0 = nobody has said how many
	NoLimit        bool   `json:"no_limit,omitempty"` // of executions at once
	FailFast       bool   `json:"fail_fast,omitempty"`
	TimeoutMS      int64  `json:"timeout_ms,omitempty"`
	GraceMS        int64  `json:"grace_ms"` // 0 = kill at once, which is not the default: never absent
	MaxActivations int    `json:"max_activations,omitempty"`
	MaxInstances   int    `json:"max_instances,omitempty"` // 0 = no limit, as in records of earlier versions
	Output         string `json:"output,omitempty"`        // "merged", or "split" as in runs before there was a choice

	Client  string `json:"client,omitempty"`
	Key     string `json:"key,omitempty"`    // of the request that began the run: the same request begins no other
	Failed  int    `json:"failed,omitempty"` // of a resume: how many nodes had failed
	User    string `json:"user,omitempty"`
	Host    string `json:"host,omitempty"`
	Version string `json:"version,omitempty"` // of the binary

	// World is what the commands inherit besides their environment: JSON that the executor understands.
	World json.RawMessage `json:"world,omitempty"`

	// Params, Mocks and Seed belong to runs with a control flow of their own: JSON that the run itself
	// understands, and what the ids that it makes begin with.
	Params json.RawMessage `json:"params,omitempty"`
	Mocks  json.RawMessage `json:"mocks,omitempty"`
	Seed   string          `json:"seed,omitempty"`
	Until  []string        `json:"until,omitempty"` // as given by the client
	From   []string        `json:"from,omitempty"`  // as given by the client
	Again  []string        `json:"again,omitempty"` // paths of what of sub-flows is repeated, and nothing else
	Outer  int             `json:"outer,omitempty"` // how many of Scope are of the outer flow, which come first; 0 = all

	Queued string  `json:"queued,omitempty"` // the key of the file with which it waited in line
	Caller *Caller `json:"caller,omitempty"` // the execution that has started it and waits for it; nil = none

	All   bool `json:"all,omitempty"` // the scope is every runnable node; it is listed all the same
	Nodes int  `json:"nodes"`         // length of Scope, set by Store.Create

	// Scope are the ids of the nodes in run-local order, see Record.Node. Names
	// are their handles at that time, parallel to Scope. The two come last so that a list of runs
	// need not read them.
	Scope []string `json:"scope"`
	Names []string `json:"names"`
}

// Caller is an execution of a run, mostly of another workfile, whose command has started a run.
type Caller struct {
	Workfile  string         `json:"workfile"` // absolute
	Run       string         `json:"run"`
	Node      string         `json:"node"` // id
	Execution int            `json:"execution"`
	Held      map[string]int `json:"held,omitempty"` // units of pools, also of the executions that have started its run
}

// errNoRequest is wrapped by whatever is wrong with a run.json.
var errNoRequest = errors.New("run.json cannot be used")

func readRequest(disk Disk, path string) (Request, error) {
	var req Request
	data, err := readFile(disk, path)
	if err == nil {
		err = json.Unmarshal(data, &req)
	}
	if err == nil && len(req.Names) != len(req.Scope) { // who reads it goes by both at once
		err = fmt.Errorf("%d names for %d nodes", len(req.Names), len(req.Scope))
	}
	if err != nil {
		return Request{}, fmt.Errorf("%w: %w", errNoRequest, err)
	}
	return req, nil
}

// readRequestHead reads a run.json up to its scope, which may be thousands of times longer than
// the rest.
func readRequestHead(disk Disk, path string) (Request, error) {
	f, err := disk.Open(path, os.O_RDONLY)
	if err != nil {
		return Request{}, fmt.Errorf("%w: %w", errNoRequest, err)
	}
	defer f.Close()
	req, err := decodeHead(json.NewDecoder(f))
	if err != nil {
		return Request{}, fmt.Errorf("%w: %w", errNoRequest, err)
	}
	return req, nil
}

func decodeHead(dec *json.Decoder) (req Request, err error) {
	if _, err := dec.Token(); err != nil { // the opening brace
		return req, err
	}
	head := []byte{'{'}
	whole := false // up to the scope, which is long and nobody's business here
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return req, err
		}
		if whole = key == "scope"; whole {
			break
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return req, err
		}
		if len(head) > 1 {
			head = append(head, ',')
		}
		head = fmt.Appendf(head, "%q:%s", key, value)
	}
	if !whole {
		if _, err := dec.Token(); err != nil { // the closing brace: else the file was cut off
			return req, err
		}
	}
	err = json.Unmarshal(append(head, '}'), &req)
	return req, err
}

// encodeRequest writes req for people: one field a line.
func encodeRequest(req Request) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(req); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
