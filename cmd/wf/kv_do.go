package main

import (
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/tui/plain"
	"wf/tui/words"
)

func (k *kvCommand) get([]string) error {
	answer, err := k.client.KVGet(k.ctx, k.where, k.key)
	if err != nil {
		return err
	}
	switch {
	case !answer.Found && k.quiet:
		return exit.With(exit.Failed)
	case !answer.Found:
		return exit.No(&api.Error{Code: api.CodeNotFound, Message: fmt.Sprintf("no value for %q in the scope of the %s", k.key, k.where.Scope)})
	case k.json:
		return k.report(answer, nil)
	}
	w := k.e.OutputWriter(k.e.Stdout, false)
	if _, err := w.Write(answer.Value); err != nil {
		return err
	}
	if n := len(answer.Value); k.e.OutTTY && n > 0 && answer.Value[n-1] != '\n' {
		if _, err := w.Write([]byte("\n")); err != nil { // the prompt comes next
			return err
		}
	}
	return w.Flush()
}

func (k *kvCommand) set(args []string) error {
	data, err := k.value(args[1])
	if err != nil {
		return err
	}
	answer, err := k.client.KVSet(k.ctx, api.KVSet{KVScope: k.where, Key: k.key, Value: data,
		TTLMS: k.ttlMS, IfAbsent: k.ifAbsent, If: k.only})
	if err != nil {
		return err
	}
	return k.finish(answer, answer.Done, "set")
}

// value returns the argument of set, or standard input if that is "-".
func (k *kvCommand) value(arg string) ([]byte, error) {
	data := []byte(arg)
	if arg == "-" {
		var err error
		if data, err = io.ReadAll(io.LimitReader(k.e.Stdin, api.KVValueMost+1)); err != nil {
			return nil, fmt.Errorf("read standard input: %w", err)
		}
	}
	if len(data) > api.KVValueMost {
		return nil, exit.Usage("the value is longer than %d bytes", api.KVValueMost)
	}
	return data, nil
}

func (k *kvCommand) del([]string) error {
	answer, err := k.client.KVDelete(k.ctx, api.KVDelete{KVScope: k.where, Key: k.key, If: k.only})
	if err != nil {
		return err
	}
	return k.finish(answer, answer.Done || k.only == nil, "deleted")
}

// finish reports a change; met says whether its condition was met.
func (k *kvCommand) finish(answer api.KVAnswer, met bool, verb string) error {
	status := exit.OK
	if !met {
		status = exit.Failed
	}
	switch {
	case k.json:
		if err := k.report(answer, &answer.Done); err != nil {
			return err
		}
		return exit.With(status)
	case met:
		return nil
	case k.quiet:
		return exit.With(status)
	}
	is := "it has no value"
	if answer.Found {
		is = "its value is " + shownKV(answer.Value)
	}
	return exit.No(&api.Error{Code: api.CodeConflict, Message: fmt.Sprintf("%q was not %s: %s", k.key, verb, is)})
}

// maxShownKV limits the part of a value that a message quotes, in bytes.
const maxShownKV = 60

// shownKV formats a value for a message.
func shownKV(value []byte) string {
	if !utf8.Valid(value) {
		return words.Plural(len(value), "byte") + " of binary data"
	}
	if len(value) > maxShownKV {
		end := maxShownKV
		for !utf8.RuneStart(value[end]) {
			end--
		}
		return fmt.Sprintf("%q… (%s)", value[:end], words.Plural(len(value), "byte"))
	}
	return fmt.Sprintf("%q", value)
}

func (k *kvCommand) incr([]string) error {
	answer, err := k.client.KVIncr(k.ctx, api.KVIncr{KVScope: k.where, Key: k.key, By: k.by, TTLMS: k.ttlMS})
	if err != nil {
		return err
	}
	if k.json {
		return k.report(answer, &answer.Done)
	}
	_, err = fmt.Fprintf(k.e.Stdout, "%s\n", answer.Value)
	return err
}

// kvReport is `wf kv VERB --json`. Value is set if Found is. Bytes is only set if the value is not valid UTF-8.
type kvReport struct {
	Schema   string  `json:"schema"`
	Scope    string  `json:"scope"`
	Workfile string  `json:"workfile,omitempty"`
	Run      string  `json:"run,omitempty"`
	Key      string  `json:"key"`
	Done     *bool   `json:"done,omitempty"` // of changes
	Found    bool    `json:"found"`
	Value    *string `json:"value,omitempty"`
	Bytes    []byte  `json:"bytes,omitempty"`
	Expires  string  `json:"expires,omitempty"`
}

func (k *kvCommand) report(answer api.KVAnswer, done *bool) error {
	r := kvReport{Schema: api.SchemaKV, Scope: k.where.Scope, Workfile: k.where.Workfile, Run: k.where.Run,
		Key: k.key, Done: done, Found: answer.Found, Expires: answer.Expires}
	if answer.Found {
		text := string(answer.Value)
		if r.Value = &text; !utf8.ValidString(text) {
			r.Bytes = answer.Value
		}
	}
	return console.WriteJSON(k.e.Stdout, r)
}

// kvList is `wf kv ls --json`.
type kvList struct {
	Schema   string      `json:"schema"`
	Scope    string      `json:"scope"`
	Workfile string      `json:"workfile,omitempty"`
	Run      string      `json:"run,omitempty"`
	Keys     []api.KVKey `json:"keys"`
}

func (k *kvCommand) ls([]string) error {
	keys, err := k.client.KVKeys(k.ctx, k.where, k.key)
	if err != nil {
		return err
	}
	if k.json {
		return console.WriteJSON(k.e.Stdout, kvList{api.SchemaKVKeys, k.where.Scope, k.where.Workfile, k.where.Run, append([]api.KVKey{}, keys...)})
	}
	var t console.Table
	for _, key := range keys {
		if k.quiet {
			t.Row(plain.Line(key.Key))
			continue
		}
		t.Row(plain.Line(key.Key), words.Plural(key.Bytes, "byte"), expiryOf(key, time.Now()))
	}
	return t.Write(k.e.Stdout)
}

// expiryOf says when a value expires, or returns "" if it does not.
func expiryOf(key api.KVKey, now time.Time) string {
	at, err := time.Parse(time.RFC3339Nano, key.Expires)
	if err != nil {
		return ""
	}
	return "expires in " + words.Span(max(0, at.Sub(now)))
}
