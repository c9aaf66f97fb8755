package expression

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// An OutputError is a problem in a line of the outputs of a command.
type OutputError struct {
	Line    int // from 1
	Problem string
}

func (e *OutputError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Problem) }

// ParseOutputs reads what a command has written to $WF_OUTPUT: lines KEY=VALUE, blocks from KEY<<END to a
// line END, or one JSON object. It skips empty lines between them; the last of several values of a key
// counts. Values of lines and blocks are texts, byte by byte; a JSON object keeps its types, as Decode
// returns them. The error is an *OutputError. Without an error the map is never nil.
func ParseOutputs(data []byte) (map[string]any, error) {
	text := strings.TrimPrefix(string(data), "\uFEFF")
	if strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") {
		return jsonOutputs(text)
	}
	if !utf8.ValidString(text) {
		return nil, &OutputError{Line: lineOfBadText(text), Problem: "is not UTF-8"}
	}
	outputs := map[string]any{}
	for lines := newLines(text); lines.next(); {
		line := lines.line
		if strings.TrimSpace(line) == "" {
			continue
		}
		mark := strings.IndexAny(line, "=<")
		if mark < 0 || line[mark] == '<' && !strings.HasPrefix(line[mark:], "<<") {
			return nil, lines.fail("is neither KEY=VALUE nor KEY<<END: %s", short(line))
		}
		key := strings.TrimSpace(line[:mark])
		if problem := badKey(key); problem != "" {
			return nil, lines.fail("%s", problem)
		}
		if line[mark] == '=' {
			outputs[key] = line[mark+1:]
			continue
		}
		value, err := lines.block(key, line[mark+2:])
		if err != nil {
			return nil, err
		}
		outputs[key] = value
	}
	return outputs, nil
}

// lines goes through a text line by line. A carriage return before the end of a line belongs to the end.
type lines struct {
	rest, line string
	number     int
}

func newLines(text string) *lines { return &lines{rest: text} }

func (l *lines) next() bool {
	if l.rest == "" {
		return false
	}
	l.line, l.rest, _ = strings.Cut(l.rest, "\n")
	l.line = strings.TrimSuffix(l.line, "\r")
	l.number++
	return true
}

func (l *lines) fail(format string, args ...any) error {
	return &OutputError{Line: l.number, Problem: fmt.Sprintf(format, args...)}
}

// block reads the lines up to one that is the end mark. The value has no line end after its last line.
func (l *lines) block(key, mark string) (string, error) {
	mark = strings.TrimSpace(mark)
	if mark == "" {
		return "", l.fail("there is no end mark behind %s<<", short(key))
	}
	begin, from, to := l.number, l.rest, 0
	for {
		before := len(l.rest)
		if !l.next() {
			return "", &OutputError{Line: begin, Problem: fmt.Sprintf("the block %s<<%s is never closed: there is no line %s", short(key), short(mark), short(mark))}
		}
		if l.line == mark {
			return strings.TrimSuffix(strings.TrimSuffix(from[:to], "\n"), "\r"), nil
		}
		to += before - len(l.rest)
	}
}

// badKey returns why a text cannot be the key of an output, "" if it can.
func badKey(key string) string {
	switch {
	case key == "":
		return "there is no key before ="
	case len(key) > 200:
		return "the key is longer than 200 bytes: " + short(key)
	}
	for _, r := range key {
		if r < ' ' || r == 0x7F || r == ' ' || r == '"' || r == '\'' {
			return fmt.Sprintf("the key %s holds %q", short(key), r)
		}
	}
	return ""
}

func jsonOutputs(text string) (map[string]any, error) {
	value, err := Decode([]byte(text))
	if err != nil {
		at := len(text)
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			at = min(int(syntax.Offset), len(text))
		}
		var trailing *trailingError
		if errors.As(err, &trailing) {
			rest := text[trailing.end:]
			at = len(text) - len(strings.TrimLeft(rest, " \t\r\n"))
		}
		return nil, &OutputError{Line: 1 + strings.Count(text[:at], "\n"), Problem: "is not a JSON object: " + err.Error()}
	}
	outputs := value.(map[string]any) // it starts with a brace
	for key := range outputs {
		if key == "" || len(key) > 200 {
			return nil, &OutputError{Line: 1, Problem: "a key is empty or longer than 200 bytes: " + short(key)}
		}
	}
	return outputs, nil
}

func lineOfBadText(text string) int {
	line := 1
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD") {
			break
		}
		if r == '\n' {
			line++
		}
	}
	return line
}

// short returns the beginning of a text in quotes.
func short(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		return fmt.Sprintf("%q...", string(runes[:40]))
	}
	return fmt.Sprintf("%q", text)
}
