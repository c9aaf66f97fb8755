// Package workfiletest provides workfiles for tests of the packages that use an open one. It contains no expectations.
package workfiletest

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wf/api"
	"wf/graph"
	"wf/workspace/history"
	"wf/workspace/loop"
	"wf/workspace/workfile"
)

// Open reads the workfile at path. It keeps what belongs to it in the folder of that file.
func Open(t testing.TB, path string, l *loop.Loop, disk history.Disk) *workfile.File {
	t.Helper()
	f := workfile.New(workfile.Config{Path: path, Folder: filepath.Dir(path), Loop: l, Disk: disk, Log: slog.New(slog.DiscardHandler), Host: host{}})
	if err := f.Load(); err != nil {
		t.Fatal(err)
	}
	return f
}

// Write writes a workfile of these elements (see Text) to a new folder and returns its path.
func Write(t testing.TB, elements ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "Workfile")
	if err := os.WriteFile(path, []byte(Text(elements...)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Text returns a workfile. "a" is a node that echoes its name, "a pool=db" one with an attribute, "a>b" an edge,
// "a>b when=failure" one with an attribute, "=jobs=3" an attribute of the graph. Elements in angle brackets are taken as they
// are; the ids of keys are like node-label, edge-when and graph-jobs. Spaces in values are written as "_".
func Text(elements ...string) string {
	var text strings.Builder
	for class, keys := range map[string]string{
		"node":  "approve approve_timeout cpus executor foreach idempotent key label mem partition pool retries retry_delay retry_on status timeout",
		"edge":  "edge_type when",
		"graph": "executor jobs max_activations on_busy params wrapper",
	} {
		for key := range strings.FieldsSeq(keys) {
			fmt.Fprintf(&text, "<key id=\"%s-%s\" for=%q attr.name=%q attr.type=\"string\"/>", class, key, class, key)
		}
	}
	text.WriteString("<graph edgedefault=\"directed\">")
	for _, e := range elements {
		text.WriteString(Element(e))
	}
	return `<graphml xmlns="http://graphml.graphdrawing.org/xmlns">` + text.String() + "</graph></graphml>"
}

// Element returns one element of Text.
func Element(e string) string {
	if strings.HasPrefix(e, "<") {
		return e
	}
	class, text := "graph", ""
	name, attrs, _ := strings.Cut(e, " ")
	switch source, target, isEdge := strings.Cut(name, ">"); {
	case strings.HasPrefix(name, "="):
		attrs = e[1:]
	case isEdge:
		class, text = "edge", fmt.Sprintf("<edge source=%q target=%q>", source, target)
	default:
		class, text = "node", fmt.Sprintf("<node id=%q><data key=\"node-label\">echo %[1]s</data>", name)
	}
	for attr := range strings.FieldsSeq(attrs) {
		key, value, _ := strings.Cut(attr, "=")
		text += fmt.Sprintf("<data key=\"%s-%s\">%s</data>", class, key, strings.ReplaceAll(value, "_", " "))
	}
	if class != "graph" {
		text += "</" + class + ">"
	}
	return text
}

// host is a workspace in which nothing else happens.
type host struct{ workfile.Host }

func (host) Publish(api.Event)                              {}
func (host) Refusal() error                                 { return nil }
func (host) Running() bool                                  { return true }
func (host) RunOf(*graph.Node) string                       { return "" }
func (host) Execution(*graph.Node) *workfile.Execution      { return nil }
func (host) Relink()                                        {}
func (host) FirstCopy() []byte                              { return nil }
func (host) Frozen(context.Context, string) ([]byte, error) { return nil, nil }
func (host) Lost(*graph.Node)                               {}
func (host) Ran(string) bool                                { return false }
func (host) States() func(*graph.Node) string {
	return func(*graph.Node) string { return "" }
}
