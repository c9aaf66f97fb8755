package jsonline

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"
)

// member stands for the types of the callers.
type member struct {
	Text string    `json:"text"`
	N    int64     `json:"n"`
	U    uint64    `json:"u"`
	Yes  bool      `json:"yes"`
	Time time.Time `json:"time"`
}

func (m *member) read(key []byte, s *Scanner) bool {
	switch string(key) {
	case "text":
		return s.Text(&m.Text)
	case "n":
		return s.Int64(&m.N)
	case "u":
		return s.Uint64(&m.U)
	case "yes":
		return s.True(&m.Yes)
	case "time":
		return s.Time(&m.Time)
	}
	return false
}

// TestScannerRefuses lists lines that are left to encoding/json.
func TestScannerRefuses(t *testing.T) {
	for _, line := range []string{
		``, `{`, `{}`, `{"n"}`, `{"n":}`, `{"n":01}`, `{"n":1.5}`, `{"n":1e3}`, `{"n": 1}`, `{"n":9223372036854775808}`,
		`{"u":-1}`, `{"u":12345678901234567890}`, `{"text":"\u0041"}`, "{\"text\":\"\xff\"}", "{\"text\":\"\n\"}", `{"text":"a}`,
		`{"yes":false}`, `{"time":"yesterday"}`, `{"other":1}`, `{"n":1`, `{"n":1,}`, `["n",1]`,
	} {
		if ReadObject([]byte(line), new(member).read) {
			t.Errorf("%q is accepted", line)
		}
	}
}

// FuzzScanner compares what the Scanner accepts with encoding/json.
func FuzzScanner(f *testing.F) {
	f.Add([]byte(`{"text":"größer","n":-9223372036854775807,"u":18,"yes":true,"time":"2026-01-02T03:04:05.6Z"}`))
	f.Add([]byte(`{"n":-0,"n":7}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var got, want member
		if !ReadObject(line, got.read) {
			return
		}
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatalf("%q is accepted, and is not JSON: %v", line, err)
		}
		if !got.Time.Equal(want.Time) {
			t.Fatalf("%q: time %v, want %v", line, got.Time, want.Time)
		}
		if got.Time = want.Time; got != want {
			t.Fatalf("%q: %+v, want %+v", line, got, want)
		}
	})
}

// FuzzAppendQuoted compares strings with encoding/json.
func FuzzAppendQuoted(f *testing.F) {
	for _, text := range []string{"", "plain", "a\"b\\c\n\t\r\x00\x1f", "größer \u2028", "\xff\xfe", "<&>", "\x7f"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		marshalled, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var got, want string
		if err := json.Unmarshal(AppendQuoted(nil, text), &got); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if err := json.Unmarshal(marshalled, &want); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Fatalf("%q became %q, want %q", text, got, want)
		}
	})
}

// TestAppendLeavesOutZeroValues wants a line with and without values.
func TestAppendLeavesOutZeroValues(t *testing.T) {
	line := func(n int64, text string, yes bool) string {
		b := strconv.AppendInt([]byte(`{"first":`), n, 10)
		return string(append(AppendTrue(AppendText(AppendInt(b, "n", n), "text", text), "yes", yes), '}'))
	}
	if got := line(0, "", false); got != `{"first":0}` {
		t.Error(got)
	}
	if got, want := line(-3, "a", true), `{"first":-3,"n":-3,"text":"a","yes":true}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
