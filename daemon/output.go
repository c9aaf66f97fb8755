package daemon

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"wf/api"
	"wf/workspace"
)

// output sends the raw bytes of an execution's output. A read error cuts the connection: a short answer must
// not look complete.
func (d *daemon) output(w http.ResponseWriter, r *http.Request, q api.OutputQuery) error {
	e, err := d.workspaces.find(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	defer d.workspaces.release(e)
	if q.Follow {
		done, err := d.lasting()
		if err != nil {
			return err
		}
		defer done()
	}
	out, err := e.ws.Output(r.Context(), q)
	if err != nil {
		return err
	}
	stream(w, r, out)
	return nil
}

// frozenWorkfile sends the workfile as it was at the start of a run.
func (d *daemon) frozenWorkfile(w http.ResponseWriter, r *http.Request, _ api.None) error {
	data, err := use(d, r, func(ws *workspace.Workspace) ([]byte, error) {
		return ws.FrozenWorkfile(r.Context(), r.PathValue("run"))
	})
	if err != nil {
		return err
	}
	stream(w, r, io.NopCloser(bytes.NewReader(data)))
	return nil
}

// trace sends a run as a trace.
func (d *daemon) trace(w http.ResponseWriter, r *http.Request, _ api.None) error {
	data, err := use(d, r, func(ws *workspace.Workspace) ([]byte, error) {
		return ws.Trace(r.Context(), r.PathValue("run"))
	})
	if err == nil {
		writeBytes(w, data)
	}
	return err
}

// hooks sends what the hooks of a run printed.
func (d *daemon) hooks(w http.ResponseWriter, r *http.Request, q api.HooksQuery) error {
	data, err := use(d, r, func(ws *workspace.Workspace) ([]byte, error) {
		return ws.Hooks(r.Context(), r.PathValue("run"), q.Unmasked)
	})
	if err != nil {
		return err
	}
	stream(w, r, io.NopCloser(bytes.NewReader(data)))
	return nil
}

// stream sends out, piece by piece, and closes it. It ends with out, or when the client is gone.
func stream(w http.ResponseWriter, r *http.Request, out io.ReadCloser) {
	// Closing ends a read that waits for more.
	stop := context.AfterFunc(r.Context(), func() { out.Close() })
	defer func() {
		if stop() {
			out.Close()
		}
	}()
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if copyFlushed(w, out) != nil {
		panic(http.ErrAbortHandler)
	}
}

// copyFlushed copies src and sends each piece at once. The headers go out before the first one.
func copyFlushed(w http.ResponseWriter, src io.Reader) error {
	if err := http.NewResponseController(w).Flush(); err != nil {
		return err
	}
	_, err := io.CopyBuffer(flushing{w}, struct{ io.Reader }{src}, make([]byte, 64<<10))
	return err
}

// flushing is a writer that sends each piece at once.
type flushing struct{ w http.ResponseWriter }

func (f flushing) Write(b []byte) (int, error) {
	n, err := f.w.Write(b)
	if err == nil {
		err = http.NewResponseController(f.w).Flush()
	}
	return n, err
}
