package main

import (
	"bytes"
	"time"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/tui/tail"
)

// stamps contains the times at which the bytes of a stream were written. They are exact to a second, because a run
// measures its outputs once a second, and more exact for output that arrives during --follow.
type stamps struct {
	times  *api.LogTimes
	stderr bool  // whether the stream is standard error
	size   int64 // of the stream when the times were requested
	live   bool  // bytes after size arrive now
	now    func() time.Time
}

// newStamps returns nil if the times are unknown.
func newStamps(info api.LogInfo, stream tail.Stream, follow bool) *stamps {
	if info.Times == nil || !info.Times.Known {
		return nil
	}
	return &stamps{times: info.Times, stderr: stream.Name == tail.Stderr, size: stream.Size, live: follow && !info.Over, now: time.Now}
}

// at returns the time by which the byte at an offset had been written. For bytes after the last mark that is the end of
// the execution, or the time of the request.
func (s *stamps) at(offset int64) time.Time {
	if s.live && offset >= s.size {
		return s.now()
	}
	return s.times.WrittenBy(offset, s.stderr)
}

// stampFormat is the format of the times before lines, in local time.
const stampFormat = "2006-01-02 15:04:05 "

// stamper writes a time before each line.
type stamper struct {
	console.Flusher
	stamps *stamps
	offset int64 // of the next byte in its stream
	inside bool  // of a line
}

// Write writes p with a time before each line.
func (w *stamper) Write(p []byte) (int, error) {
	taken := len(p)
	for len(p) > 0 {
		if !w.inside {
			if _, err := w.Flusher.Write([]byte(w.stamps.at(w.offset).Local().Format(stampFormat))); err != nil {
				return 0, err
			}
		}
		n := bytes.IndexByte(p, '\n') + 1
		if w.inside = n == 0; w.inside {
			n = len(p)
		}
		if _, err := w.Flusher.Write(p[:n]); err != nil {
			return 0, err
		}
		w.offset += int64(n)
		p = p[n:]
	}
	return taken, nil
}
