package logview

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"

	"wf/client"
	"wf/tui/plain"
)

// A Whole writes the complete output of the sources of a log so far.
type Whole struct {
	from   Outputs
	target Target
	stream string // stdout, stderr or "" for both
}

// ErrNoLog reports that there is no output.
var ErrNoLog = errors.New("there is no log here")

// WriteTo writes the log as text. With colors set it keeps color sequences.
func (w Whole) WriteTo(ctx context.Context, out io.Writer, colors bool) error {
	if w.Empty() {
		return ErrNoLog
	}
	for i, node := range w.target.Nodes {
		if len(w.target.Nodes) > 1 {
			if _, err := io.WriteString(out, "==> "+w.target.Names[i]+"\n"); err != nil {
				return err
			}
		}
		for _, stream := range []string{Stdout, stderr} {
			if w.stream != "" && w.stream != stream {
				continue
			}
			q := client.LogQuery{Node: node, Run: w.target.Run, Execution: w.target.Execution}
			if err := w.copy(ctx, q, stream, plain.NewWriter(out, colors)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w Whole) copy(ctx context.Context, q client.LogQuery, stream string, out *plain.Writer) error {
	r, err := w.from.Output(ctx, q, stream, 0, false)
	if err != nil {
		return err
	}
	defer r.Close()
	if _, err := io.Copy(out, r); err != nil {
		return err
	}
	return out.Flush()
}

// Save writes the log to a new file and returns its size. It does not overwrite an existing file.
func (w Whole) Save(ctx context.Context, path string) (size int64, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	b := bufio.NewWriter(f)
	err = errors.Join(w.WriteTo(ctx, b, false), b.Flush())
	if info, statErr := f.Stat(); statErr == nil {
		size = info.Size()
	}
	return size, errors.Join(err, f.Close())
}

// Empty reports whether there is no output.
func (w Whole) Empty() bool { return w.from == nil || len(w.target.Nodes) == 0 }
