package daemon

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"wf/workspace/tracing"
)

// TestCollector checks that headers come from a private file, and that runs are not traced without them.
func TestCollector(t *testing.T) {
	const endpoint = "https://collector"
	file := func(text string, mode os.FileMode) string {
		path := filepath.Join(t.TempDir(), "headers")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, c := range map[string]struct {
		path string
		want tracing.Collector
	}{
		"none":     {"", tracing.Collector{Endpoint: endpoint}},
		"lines":    {file("Authorization=Bearer abc\nteam=x\n", 0o600), tracing.Collector{Endpoint: endpoint, Headers: "Authorization=Bearer abc,team=x"}},
		"readable": {file("a=b", 0o644), tracing.Collector{}},
		"missing":  {filepath.Join(t.TempDir(), "none"), tracing.Collector{}},
		"wrong":    {file("secret", 0o600), tracing.Collector{}},
	} {
		m := Monitoring{TraceTo: endpoint, TraceHeaders: c.path}
		if got := m.collector(slog.New(slog.DiscardHandler)); got != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
