package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"wf/workspace/tracing"
)

// A Hook is a command before or after a run, or before or after commands of a run.
type Hook struct {
	Event     string `json:"event"` // one of the events of hooks
	Command   string `json:"command"`
	From      string `json:"from"` // where it stands, for people
	TimeoutMS int64  `json:"timeout_ms"`
	// Node is the id of the only node whose commands have the hook; "" = all nodes of the run.
	Node string `json:"node,omitempty"`
}

// The events of hooks.
const (
	BeforeRun = "before_run"
	AfterRun  = "after_run"

	BeforeNode = "before_node"
	AfterNode  = "after_node"
)

// HooksFile is the file in the folder of a run with what its hooks printed.
const HooksFile = "hooks"

// RefusedNode begins the message of an execution that before_node refused.
const RefusedNode = "refused by before_node: "

// RefusedCause begins the cause of the end of a run that before_run refused.
const RefusedCause = "refused by before_run: "

// Request is the request for a run: the content of run.json, which never changes. It
// contains no environment values. Empty fields are absent from the file.
type Request struct {
	// Identity of the run.
	Run       int       `json:"run"` // set by Store.Create
	Workspace string    `json:"workspace"`
	Workfile  string    `json:"workfile"` // absolute
	Time      time.Time `json:"time"`
	Mode      string    `json:"mode"`              // "fresh" or "resume"
	Resumes   int       `json:"resumes,omitempty"` // the run whose failures this one repeats; 0 = none

	// Selectors of the scope.
	Selection []string `json:"selection,omitempty"` // as given by the client
	Exclude   []string `json:"exclude,omitempty"`

	// How commands are executed, and limits.
	Wrapper        string `json:"wrapper,omitempty"`
	Shell          string `json:"shell,omitempty"`
	Cwd            string `json:"cwd,omitempty"`
	Jobs           int    `json:"jobs,omitempty"`     // concurrent executions; 0 = not specified
	NoLimit        bool   `json:"no_limit,omitempty"` // of concurrent executions
	FailFast       bool   `json:"fail_fast,omitempty"`
	NoCache        bool   `json:"no_cache,omitempty"` // what is up to date is executed, too
	TimeoutMS      int64  `json:"timeout_ms,omitempty"`
	GraceMS        int64  `json:"grace_ms"` // 0 = kill at once, which is not the default, so it is never absent
	MaxActivations int    `json:"max_activations,omitempty"`
	MaxInstances   int    `json:"max_instances,omitempty"`  // 0 = no limit, as in files of earlier versions
	Executor       string `json:"executor,omitempty"`       // of nodes that name none; "" = this machine
	ExecutorAsked  bool   `json:"executor_asked,omitempty"` // the client named it, so that a resume keeps it
	Output         string `json:"output,omitempty"`         // "merged", or "split" as in runs of earlier versions

	// Origin of the request.
	Client  string `json:"client,omitempty"`
	Key     string `json:"key,omitempty"`    // of the request that started the run; a repeated request starts no other run
	Failed  int    `json:"failed,omitempty"` // of a resume: how many nodes had failed
	User    string `json:"user,omitempty"`
	Host    string `json:"host,omitempty"`
	Version string `json:"version,omitempty"` // of the binary

	// World contains the process attributes of the commands (umask, limits, nice value, processors), as
	// JSON of the executor.
	World json.RawMessage `json:"world,omitempty"`

	// Runs with control flow. Params and Mocks are JSON of the workspace.
	Params json.RawMessage `json:"params,omitempty"`
	Mocks  json.RawMessage `json:"mocks,omitempty"`
	Seed   string          `json:"seed,omitempty"`  // start of the ids that the run generates
	Until  []string        `json:"until,omitempty"` // as given by the client
	From   []string        `json:"from,omitempty"`  // as given by the client
	Again  []string        `json:"again,omitempty"` // paths of the only nodes of sub-flows that are repeated
	Outer  int             `json:"outer,omitempty"` // how many nodes of Scope are in the outer flow; they come first; 0 = all

	// Notify has the lines that say who is told about the run, NotifyEnv the variables that their commands get.
	Notify    string   `json:"notify,omitempty"`
	NotifyEnv []string `json:"notify_env,omitempty"`
	// Trigger is what started the run, or the run that it resumes; nil = a request of a client.
	Trigger *Trigger `json:"trigger,omitempty"`

	Hooks []Hook `json:"hooks,omitempty"`

	// Profile is what the profile that the client asked for, or that of the resumed run, changes; nil = none.
	Profile *Profile `json:"profile,omitempty"`

	// Secrets says what of the run is hidden; nil = nothing, and its folder has no masks.
	Secrets *Secrets `json:"secrets,omitempty"`

	// Relation to other runs.
	Queued string  `json:"queued,omitempty"` // the key of its file in the queue
	Caller *Caller `json:"caller,omitempty"` // the execution that started it and waits for it; nil = none
	Trace  *Trace  `json:"trace,omitempty"`  // nil = the run is not traced

	// Scope are the ids of the nodes in run-local order, see Record.Node. Names are their handles at that
	// time, parallel to Scope. They come last so that a list of runs need not read them.
	All   bool     `json:"all,omitempty"` // the scope is every runnable node; Scope lists them nevertheless
	Nodes int      `json:"nodes"`         // length of Scope, set by Store.Create
	Scope []string `json:"scope"`
	Names []string `json:"names"`
	// Surroundings are those of the nodes that have others than Wrapper, Shell and Cwd. They are behind what a list of runs reads.
	Surroundings []Surroundings `json:"surroundings,omitempty"`
	// TriggerFiles are the paths of the files that arrived, if Trigger waits for files. They are behind what a list of runs reads.
	TriggerFiles []string `json:"trigger_files,omitempty"`
}

// TriggerVariables returns the environment variables that describe what started the run with the folder dir, nil if no trigger did.
func (q *Request) TriggerVariables(dir string) []string {
	vars := q.Trigger.Variables(dir)
	if len(q.TriggerFiles) > 0 {
		vars = append(vars, "WF_TRIGGER_FILES="+strings.Join(q.TriggerFiles, "\n"))
	}
	return vars
}

// Secrets says which values of a run are hidden.
type Secrets struct {
	Names []string `json:"names,omitempty"` // of variables; what commands announce is hidden, too
}

// Has reports whether a variable is secret.
func (s *Secrets) Has(name string) bool { return s != nil && slices.Contains(s.Names, name) }

// Caller is an execution, usually of another workfile, whose command started a run.
type Caller struct {
	Workfile  string         `json:"workfile"` // absolute
	Run       string         `json:"run"`
	Node      string         `json:"node"` // id
	Execution int            `json:"execution"`
	Held      map[string]int `json:"held,omitempty"` // units of pools of the execution and of its callers
}

// Trigger is the trigger that started a run: $WF_TRIGGER and $WF_TRIGGER_TIME of its commands.
type Trigger struct {
	Name string    `json:"name"`          // cron: 0 2 * * *
	Time time.Time `json:"time"`          // the instant for which the run was scheduled, in the zone of the trigger
	Run  string    `json:"run,omitempty"` // of another workfile, whose end started this run
	// Event is the kind of event that the sender of a webhook named, "" if it named none.
	Event string `json:"event,omitempty"`
	// Body says that the folder of the run has the file BodyFile: what the sender of a webhook sent.
	Body bool `json:"body,omitempty"`
}

// BodyFile is the file in the folder of a run with the body of the delivery that started it.
const BodyFile = "trigger-body"

// BodyPath returns the path of the body in the folder of a run, "" if the run has none.
func (t *Trigger) BodyPath(dir string) string {
	if t == nil || !t.Body || dir == "" {
		return ""
	}
	return filepath.Join(dir, BodyFile)
}

// Variables returns the environment variables that describe the trigger of the run with the folder dir, nil for none.
func (t *Trigger) Variables(dir string) []string {
	if t == nil {
		return nil
	}
	vars := []string{"WF_TRIGGER=" + t.Name, "WF_TRIGGER_TIME=" + t.Time.Format(time.RFC3339)}
	if t.Run != "" {
		vars = append(vars, "WF_TRIGGER_RUN="+t.Run)
	}
	if t.Body {
		vars = append(vars, "WF_TRIGGER_BODY="+t.BodyPath(dir), "WF_TRIGGER_EVENT="+t.Event)
	}
	return vars
}

// A Trace is the place of a run in a trace of OpenTelemetry.
type Trace struct {
	Parent string `json:"parent,omitempty"` // the traceparent that the run inherited; "" = it begins a trace
	State  string `json:"state,omitempty"`  // the tracestate that it inherited
}

// Identity returns a text that identifies the run among all runs of all machines.
func (q *Request) Identity() string {
	unique := q.Key
	if unique == "" { // a client that gives its requests no keys
		unique = strconv.FormatInt(q.Time.UnixNano(), 10)
	}
	return fmt.Sprintf("%s/%d/%s", q.Workspace, q.Run, unique)
}

// TraceIDs returns the ids of the spans of the run.
func (q *Request) TraceIDs() tracing.IDs {
	parent := ""
	if q.Trace != nil {
		parent = q.Trace.Parent
	}
	return tracing.NewIDs(q.Identity(), parent)
}

// errNoRequest is wrapped by all errors about a run.json.
var errNoRequest = errors.New("run.json cannot be used")

func readRequest(disk Disk, path string) (Request, error) {
	var req Request
	data, err := readFile(disk, path)
	if err == nil {
		err = json.Unmarshal(data, &req)
	}
	if err == nil && len(req.Names) != len(req.Scope) { // readers use the same index for both
		err = fmt.Errorf("%d names for %d nodes", len(req.Names), len(req.Scope))
	}
	if err != nil {
		return Request{}, fmt.Errorf("%w: %w", errNoRequest, err)
	}
	return req, nil
}

// readRequestHead reads a run.json up to its scope, which may be thousands of times longer than the
// rest.
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
	whole := false // up to the scope
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
		if _, err := dec.Token(); err != nil { // the closing brace; without it the file was cut off
			return req, err
		}
	}
	err = json.Unmarshal(append(head, '}'), &req)
	return req, err
}

// encodeRequest encodes req in a readable form: one field per line.
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
