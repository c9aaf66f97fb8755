package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"wf/api"
	"wf/cmd/wf/exit"
	"wf/tui/plain"
)

// controlOptions are the flags of run, resume and plan that say with which values a run begins, how far
// it goes, and what takes part without being executed.
type controlOptions struct {
	params      []string
	paramsFile  string
	until, from []string
	stand       []standIn
	onBusy      string
}

// standIn is one --skip or --mock, in the order in which they were given.
type standIn struct {
	skip  bool
	value string
}

var busyWords = []string{api.BusyRefuse, api.BusyQueue, api.BusyCancel}

// addFlags adds them.
func (o *controlOptions) addFlags(f *pflag.FlagSet) {
	f.StringArrayVarP(&o.params, "param", "p", nil, "give a parameter of the workfile a value, `PARAM=VALUE`; @FILE is what is in a file, @- standard input, @@ an @ (repeatable)")
	f.StringVar(&o.paramsFile, "params", "", "values of parameters: a JSON object in `JSONFILE`; --param wins")
	f.StringArrayVar(&o.until, "until", nil, "run everything before what the `SEL` names, but not that (repeatable)")
	f.StringArrayVar(&o.from, "from", nil, "run what the `SEL` names and everything after it: what lies before counts as done (repeatable)")
	f.Var(&standInFlag{&o.stand, true}, "skip", "do not execute what the `SEL` names: it counts as success (repeatable)")
	f.Var(&standInFlag{&o.stand, false}, "mock", "do not execute a node: `NODE=RESULT` is how it ends, exit:N, outputs as JSON, or @FILE with them (repeatable)")
	f.Var(&choice{&o.onBusy, busyWords}, "on-busy", "where a run of these nodes is going: refuse, queue behind it, or cancel it")
}

// standInFlag is the value of --skip and --mock.
type standInFlag struct {
	list *[]standIn
	skip bool
}

func (f *standInFlag) String() string { return "" }

// Type is the word for the value in the help.
func (f *standInFlag) Type() string {
	if f.skip {
		return "SEL"
	}
	return "NODE=RESULT"
}

// Set adds one.
func (f *standInFlag) Set(text string) error {
	if !f.skip {
		if nodes, result, ok := strings.Cut(text, "="); !ok || nodes == "" || result == "" {
			return errors.New("must be NODE=exit:N, NODE='{\"output\": …}' or NODE=@FILE")
		}
	}
	*f.list = append(*f.list, standIn{f.skip, text})
	return nil
}

// fill adds to a request what the flags say. It reads the files that they name.
func (o *controlOptions) fill(e *env, req *api.RunRequest) error {
	if req.Mode == api.ModeResume && len(o.from)+len(o.until) > 0 {
		return exit.Usage("--from and --until name a part to run from scratch: it cannot be resumed")
	}
	if len(o.from)+len(o.until) > 0 && len(req.Nodes) > 0 {
		return exit.Usage("--nodes names what runs, and so do --from and --until: say one of them")
	}
	req.Until, req.From, req.OnBusy = o.until, o.from, o.onBusy
	for _, s := range o.stand {
		if s.skip {
			req.Mocks = append(req.Mocks, api.Mock{Nodes: s.value, Skip: true})
			continue
		}
		m, err := parseMock(e, s.value)
		if err != nil {
			return err
		}
		req.Mocks = append(req.Mocks, m)
	}
	params, err := o.values(e)
	req.Params = params
	return err
}

// values are those of the file, and over them those of --param.
func (o *controlOptions) values(e *env) (map[string]any, error) {
	var values map[string]any
	if o.paramsFile != "" {
		data, err := os.ReadFile(e.Abs(o.paramsFile))
		if err != nil {
			return nil, exit.Usage("--params %s: %s", o.paramsFile, exit.Obstacle(err))
		}
		if values, err = jsonObject(data); err != nil {
			return nil, exit.Usage("--params %s: %s", o.paramsFile, err)
		}
	}
	given, err := e.assignments("--param", o.params)
	if err != nil {
		return nil, err
	}
	if values == nil {
		return given, nil
	}
	for name, value := range given {
		values[name] = value
	}
	return values, nil
}

// parseMock reads NODE=RESULT.
func parseMock(e *env, text string) (api.Mock, error) {
	nodes, result, _ := strings.Cut(text, "=")
	m := api.Mock{Nodes: nodes}
	if code, ok := strings.CutPrefix(result, "exit:"); ok {
		n, err := strconv.Atoi(code)
		if err != nil || n < 0 || n > 255 {
			return m, exit.Usage("--mock %s: an exit code is a number from 0 to 255", text)
		}
		m.Exit = n
		return m, nil
	}
	data := []byte(result)
	if file, ok := strings.CutPrefix(result, "@"); ok {
		var err error
		if data, err = os.ReadFile(e.Abs(file)); err != nil {
			return m, exit.Usage("--mock %s: %s", text, exit.Obstacle(err))
		}
	} else if !strings.HasPrefix(strings.TrimSpace(result), "{") {
		return m, exit.Usage("--mock %s: must end in exit:N, a JSON object or @FILE", text)
	}
	outputs, err := jsonObject(data)
	if err != nil {
		return m, exit.Usage("--mock %s: %s", plain.Line(nodes), err)
	}
	m.Outputs = outputs
	return m, nil
}

// jsonObject reads one JSON object. Numbers stay as they are written.
func jsonObject(data []byte) (map[string]any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var object map[string]any
	err := dec.Decode(&object)
	if err == nil {
		if _, end := dec.Token(); end != io.EOF {
			err = errors.New("something follows it")
		}
	}
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind):
		return nil, errors.New("must be a JSON object")
	case err != nil:
		at := dec.InputOffset()
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			at = syntax.Offset
		}
		line := 1 + bytes.Count(data[:min(int(at), len(data))], []byte("\n"))
		return nil, fmt.Errorf("is no JSON object (line %d): %w", line, err)
	case object == nil:
		return nil, errors.New("must be a JSON object")
	}
	return object, nil
}
