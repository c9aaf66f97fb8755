package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/term"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/tui/plain"
	"wf/tui/words"
)

// askParams asks on a terminal for the missing parameters that err lists, and adds the answers to req. asked is
// false if there is no terminal or err has another cause.
func (e *env) askParams(ctx context.Context, s *target, req *api.RunRequest, err error) (asked bool, _ error) {
	var refused *api.Error
	if !errors.As(err, &refused) || len(refused.Problems) == 0 || !e.Interactive() {
		return false, nil
	}
	for _, p := range refused.Problems {
		if _, given := req.Params[p.Param]; given || p.Param == "" {
			return false, nil // a given value is wrong: report that first
		}
	}
	values := map[string]any{}
	for name, value := range req.Params {
		values[name] = value
	}
	q := questioner{e: e, s: s, env: req.Env, values: values}
	for _, p := range refused.Problems {
		if err := q.ask(ctx, p.Param); err != nil {
			return true, err
		}
	}
	req.Params = values
	return true, nil
}

// A questioner asks for values of parameters, one after the other.
type questioner struct {
	e      *env
	s      *target
	env    []string
	values map[string]any
}

// ask asks for one parameter until the answer is a valid value.
func (q *questioner) ask(ctx context.Context, name string) error {
	list, err := q.s.Workspace.Params(ctx, api.ParamsRequest{Params: q.values, Env: q.env})
	if err != nil {
		return err
	}
	at := slices.IndexFunc(list.Params, func(p api.Param) bool { return p.Name == name })
	if at < 0 {
		return nil // it was removed meanwhile; the next start reports that
	}
	p := list.Params[at]
	printParam(q.e.Stderr, q.e.ErrPaint(), p)
	for {
		fmt.Fprintf(q.e.Stderr, "%s: ", plain.Line(name))
		answer, err := q.read(p)
		if err != nil {
			fmt.Fprintln(q.e.Stderr)
			return &exit.Failure{Status: exit.BadUsage, What: "no value for the parameter " + name, Fix: "wf run -p " + words.Quote(name+"=VALUE")}
		}
		if answer == "" {
			continue
		}
		q.values[name] = chosenAnswer(p, answer)
		list, err := q.s.Workspace.Params(ctx, api.ParamsRequest{Params: q.values, Env: q.env})
		if err != nil {
			return err
		}
		bad := slices.IndexFunc(list.Problems, func(x api.ParamProblem) bool { return x.Param == name })
		if bad < 0 {
			return nil
		}
		delete(q.values, name)
		fmt.Fprintf(q.e.Stderr, "  %s\n", plain.Line(api.ParamProblem{Reason: list.Problems[bad].Reason, Remedy: list.Problems[bad].Remedy}.String()))
	}
}

// read reads the answer. The answer for a secret is not echoed.
func (q *questioner) read(p api.Param) (string, error) {
	in, ok := q.e.Stdin.(*os.File)
	if p.Type != "secret" || !ok {
		return readLine(q.e.Stdin)
	}
	answer, err := term.ReadPassword(int(in.Fd()))
	fmt.Fprintln(q.e.Stderr)
	return strings.TrimSpace(string(answer)), err
}

// maxChoices bounds how many choices are listed with a number.
const maxChoices = 30

// printParam describes a parameter: "env (string): where to", and its choices with their numbers.
func printParam(w io.Writer, p console.Paint, param api.Param) {
	kind := param.Type
	if limits := words.Limits(param); limits != "" {
		kind += ", " + limits
	}
	if param.DefaultEnv != "" {
		kind += ", default " + words.ParamDefault(param)
	}
	fmt.Fprintf(w, "%s (%s)", p.Strong(plain.Line(param.Name)), plain.Line(kind))
	if param.Help != "" {
		fmt.Fprintf(w, ": %s", plain.Line(param.Help))
	}
	fmt.Fprintln(w)
	for i, choice := range param.Choices {
		if i == maxChoices {
			fmt.Fprintf(w, "  %s%d more\n", p.Ellipsis(), len(param.Choices)-i)
			break
		}
		fmt.Fprintf(w, "  %2d  %s\n", i+1, plain.Line(choice))
	}
}

// chosenAnswer returns the choice with the typed number, unless the typed text is itself a choice.
func chosenAnswer(p api.Param, answer string) string {
	n, err := strconv.Atoi(answer)
	if err != nil || slices.Contains(p.Choices, answer) || n < 1 || n > min(len(p.Choices), maxChoices) {
		return answer
	}
	return p.Choices[n-1]
}

// readLine reads one line and no byte beyond it, so that the next reader gets what was typed ahead.
func readLine(r io.Reader) (string, error) {
	var line []byte
	for b := make([]byte, 1); ; {
		n, err := r.Read(b)
		switch {
		case n == 1 && b[0] == '\n':
			return strings.TrimSpace(string(line)), nil
		case n == 1:
			line = append(line, b[0])
		case err != nil:
			return "", err
		}
	}
}
