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

// controlOptions are the flags of run, resume and plan for parameters, the part of the graph to run, and nodes that are
// not executed.
type controlOptions struct {
	params      []string
	paramsFile  string
	until, from []string
	stand       []standIn
	onBusy      string
}

// standIn is one --skip or --mock.
type standIn struct {
	skip  bool
	value string
}

var busyWords = []string{api.BusyRefuse, api.BusyQueue, api.BusyCancel}

// addFlags adds the flags of controlOptions.
func (o *controlOptions) addFlags(f *pflag.FlagSet) {
	o.addParamFlags(f)
	f.StringArrayVar(&o.until, "until", nil, "run everything before the nodes of `SEL`, without these nodes (repeatable)")
	f.StringArrayVar(&o.from, "from", nil, "run the nodes of `SEL` and everything after them; the nodes before count as done (repeatable)")
	f.Func("skip", "do not execute the nodes of `SEL`; they count as succeeded (repeatable)", o.addSkip)
	f.Func("mock", "do not execute a node, but give it a result: `NODE=RESULT` with exit:N, outputs as JSON, or @FILE with outputs (repeatable)", o.addMock)
	f.Var(&choice{&o.onBusy, busyWords}, "on-busy", "if an active run has these nodes: refuse, queue behind it, or cancel it")
}

// addParamFlags adds the flags that set parameters.
func (o *controlOptions) addParamFlags(f *pflag.FlagSet) {
	f.StringArrayVarP(&o.params, "param", "p", nil, "set a parameter of the workfile, `PARAM=VALUE`; @FILE reads the value from a file, @- from standard input, @@ is an @ (repeatable)")
	f.StringVar(&o.paramsFile, "params", "", "values of parameters: a JSON object in `JSONFILE`; --param takes precedence")
}

// addSkip adds a --skip.
func (o *controlOptions) addSkip(text string) error {
	o.stand = append(o.stand, standIn{true, text})
	return nil
}

// addMock adds a --mock.
func (o *controlOptions) addMock(text string) error {
	if nodes, result, _ := strings.Cut(text, "="); nodes == "" || result == "" {
		return errors.New("must be NODE=exit:N, NODE='{\"output\": …}' or NODE=@FILE")
	}
	o.stand = append(o.stand, standIn{false, text})
	return nil
}

// fill adds the flags to a request. It reads the files that they name.
func (o *controlOptions) fill(e *env, req *api.RunRequest) error {
	if req.Mode == api.ModeResume && len(o.from)+len(o.until) > 0 {
		return exit.Usage("--from and --until run nodes from scratch: they cannot be used with wf resume")
	}
	if len(o.from)+len(o.until) > 0 && len(req.Nodes) > 0 {
		return exit.Usage("--nodes cannot be combined with --from or --until")
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

// values returns the values of --params and --param; --param takes precedence.
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

// parseMock parses NODE=RESULT.
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

// jsonObject parses one JSON object. Numbers keep their text.
func jsonObject(data []byte) (map[string]any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var object map[string]any
	err := dec.Decode(&object)
	if err == nil {
		if _, end := dec.Token(); end != io.EOF {
			err = errors.New("more data follows the object")
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
		return nil, fmt.Errorf("is not a JSON object (line %d): %w", line, err)
	case object == nil:
		return nil, errors.New("must be a JSON object")
	}
	return object, nil
}
