package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"wf/api"
	"wf/cmd/wf/exit"
	"wf/tui/words"
)

// askRepeat asks whether everything shall run once more. If the answer is yes, it makes req a fresh run.
func (e *env) askRepeat(req *api.RunRequest, refusal error) (asked bool, _ error) {
	var refused *api.Error
	if !errors.As(refusal, &refused) || refused.Repeat == nil {
		return false, nil
	}
	if err := e.confirm(repeatQuestion(*refused.Repeat), "nothing was run"); err != nil {
		return true, err
	}
	req.Mode = api.ModeFresh
	return true, nil
}

// confirm asks a question. Unless the answer is yes, it prints refused and returns an error with exit status 0.
func (e *env) confirm(question, refused string) error {
	fmt.Fprint(e.Stderr, question)
	answer, err := readLine(e.Stdin)
	if err != nil {
		fmt.Fprintln(e.Stderr)
	}
	if answer = strings.ToLower(answer); answer == "y" || answer == "yes" {
		return nil
	}
	fmt.Fprintln(e.Stderr, refused)
	return exit.Error(exit.OK)
}

// repeatQuestion returns a text like "37 of 37 are done, run 12 took 3d 4h. Run all again? [y/N] ".
func repeatQuestion(r api.Repeat) string {
	runs := "the last runs"
	switch n := len(r.Runs); {
	case n == 1:
		runs = "run " + r.Runs[0]
	case n > 1 && n <= 4:
		runs = "runs " + strings.Join(r.Runs[:n-1], ", ") + " and " + r.Runs[n-1]
	}
	are := "are"
	if r.Done == 1 {
		are = "is"
	}
	return fmt.Sprintf("%d of %d %s done, %s took %s. Run all again? [y/N] ", r.Done, r.Done, are, runs,
		words.Span(time.Duration(r.TookMS)*time.Millisecond))
}
