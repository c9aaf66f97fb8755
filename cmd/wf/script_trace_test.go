package main

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdCollector accepts traces until the script ends. It puts its URL into a variable, and writes the spans of each request
// to a file, a line each, sorted: "collector URL spans". With a status it refuses the first request: "collector URL spans 503".
func cmdCollector(ts *testscript.TestScript, neg bool, args []string) {
	sandboxOf(ts, neg, args, 2, 3, "collector VARIABLE FILE [STATUS]")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	file := ts.MkAbs(args[1])
	var mu sync.Mutex // guards the requests, one at a time
	refuse := len(args) == 3
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		text, err := spanLines(r)
		switch {
		case err != nil:
			http.Error(w, err.Error(), http.StatusBadRequest)
			text = "error: " + err.Error() + "\n"
		case refuse:
			refuse = false
			var status int
			fmt.Sscan(args[2], &status)
			w.WriteHeader(status)
			text = "refused\n"
		default:
			io.WriteString(w, "{}")
		}
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		if err == nil {
			_, _ = f.WriteString(text)
			f.Close()
		}
	})}
	go server.Serve(l)
	ts.Defer(func() { server.Close() })
	ts.Setenv(args[0], "http://"+l.Addr().String())
}

// spanLines returns a line for each span of a request: trace, id, parent, kind, name, status and attributes.
func spanLines(r *http.Request) (string, error) {
	z, err := gzip.NewReader(r.Body)
	if err != nil {
		return "", err
	}
	type attribute struct {
		Key   string
		Value map[string]any
	}
	var body struct {
		ResourceSpans []struct {
			Resource   struct{ Attributes []attribute }
			ScopeSpans []struct {
				Spans []struct {
					TraceID, SpanID, ParentSpanID, Name string
					Kind                                int
					Attributes                          []attribute
					Links                               []struct{ TraceID, SpanID string }
					Status                              struct{ Code int }
				}
			}
		}
	}
	if err := json.NewDecoder(z).Decode(&body); err != nil {
		return "", err
	}
	texts := func(list []attribute) (s string) {
		for _, a := range list {
			for _, v := range a.Value {
				s += fmt.Sprintf(" %s=%v", a.Key, v)
			}
		}
		return s
	}
	var lines []string
	for _, rs := range body.ResourceSpans {
		lines = append(lines, fmt.Sprintf("resource auth=%s%s\n", r.Header.Get("X-Auth"), texts(rs.Resource.Attributes)))
		for _, ss := range rs.ScopeSpans {
			for _, s := range ss.Spans {
				links := ""
				for _, l := range s.Links {
					links += " link=" + l.TraceID + "-" + l.SpanID
				}
				lines = append(lines, fmt.Sprintf("%s %s<%s %d %s status=%d%s%s\n", s.TraceID, s.SpanID, s.ParentSpanID, s.Kind, s.Name, s.Status.Code, texts(s.Attributes), links))
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, ""), nil
}
