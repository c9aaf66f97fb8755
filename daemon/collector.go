package daemon

import (
	"fmt"
	"log/slog"
	"os"
	"strings"

	"wf/executor/ownfile"
	"wf/workspace/tracing"
)

// mostHeaders bounds the file with the headers for the collector, in bytes.
const mostHeaders = 64 << 10

// collector returns the collector of the configuration. If its headers cannot be read there is none: a request without them would
// only be refused.
func (m Monitoring) collector(log *slog.Logger) tracing.Collector {
	c := tracing.Collector{Endpoint: m.TraceTo}
	path := m.TraceHeaders
	if c.Endpoint == "" || path == "" {
		return c
	}
	text, err := readHeaders(path)
	if err != nil {
		log.Error("runs are not traced: the headers for the collector cannot be used", "err", err)
		return tracing.Collector{}
	}
	c.Headers = text
	return c
}

// readHeaders reads headers, of which each line may have some.
func readHeaders(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("%s: other users can read it: chmod 600", path)
	}
	data, err := ownfile.Read(path, mostHeaders)
	if err != nil {
		return "", err
	}
	text := strings.Join(strings.Split(strings.TrimSpace(string(data)), "\n"), ",")
	if err := tracing.CheckHeaders(text); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return text, nil
}
