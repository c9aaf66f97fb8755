package traces

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"wf/workspace/tracing"
)

// mostAnswer is the largest part of an answer that is read, in bytes.
const mostAnswer = 64 << 10

// settledTarget is a target that was read from its file.
type settledTarget struct{ tracing.Target }

// host returns the endpoint without what may be secret in it.
func (t settledTarget) host() string {
	u, err := url.Parse(t.Endpoint)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// A laterError is a failure that may be over later.
type laterError struct {
	err   error
	after time.Duration // the server asks to wait so long; 0 = it does not
}

func (e *laterError) Error() string { return e.err.Error() }
func (e *laterError) Unwrap() error { return e.err }

// send sends the requests of a trace from number *sent on, and counts them there. The error is a *laterError if the rest may
// be sent later.
func (s *Sender) send(ctx context.Context, t settledTarget, trace *tracing.Trace, sent *int) error {
	client, err := t.client()
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	for ; *sent < trace.Batches(batchSize); *sent++ {
		if err := s.post(ctx, client, t, trace.Batch(*sent, batchSize)); err != nil {
			return err
		}
	}
	return nil
}

// client returns a client that follows no redirection, because the headers may be secret.
func (t settledTarget) client() (*http.Client, error) {
	transport := &http.Transport{MaxResponseHeaderBytes: mostAnswer, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}}
	if t.Certificate != "" {
		pem, err := os.ReadFile(t.Certificate)
		if err != nil {
			return nil, err
		}
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s has no certificate", t.Certificate)
		}
		transport.TLSClientConfig.RootCAs = roots
	}
	return &http.Client{Transport: transport, Timeout: time.Duration(t.TimeoutMS) * time.Millisecond,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, nil
}

// post sends one request.
func (s *Sender) post(ctx context.Context, client *http.Client, t settledTarget, body []byte) error {
	if !t.Plain {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		z.Write(body) // into memory: it does not fail
		z.Close()
		body = packed.Bytes()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.Endpoint, bytes.NewReader(body))
	if err != nil {
		return err
	}
	for key, value := range t.Headers {
		req.Header.Set(key, value)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "wf/"+s.Version)
	if !t.Plain {
		req.Header.Set("Content-Encoding", "gzip")
	}
	resp, err := client.Do(req)
	if err != nil {
		return &laterError{err: plainError(err)}
	}
	defer resp.Body.Close()
	answer, _ := io.ReadAll(io.LimitReader(resp.Body, mostAnswer)) // of an answer that breaks off, the status counts
	switch resp.StatusCode {
	case http.StatusOK:
		s.partial(answer)
		return nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return &laterError{fmt.Errorf("the collector answers %s", resp.Status), retryAfter(resp.Header.Get("Retry-After"), time.Now())}
	}
	return fmt.Errorf("the collector refuses it: %s %s", resp.Status, firstLine(answer))
}

// plainError returns the error of a request without the URL, which may contain a secret.
func plainError(err error) error {
	if e, ok := err.(*url.Error); ok {
		return e.Err
	}
	return err
}

// partial logs that a collector has accepted only a part.
func (s *Sender) partial(answer []byte) {
	var a struct {
		PartialSuccess struct {
			Rejected json.RawMessage `json:"rejectedSpans"` // a text or a number
			Message  string          `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	if json.Unmarshal(answer, &a) != nil {
		return
	}
	if p := a.PartialSuccess; p.Message != "" || strings.Trim(string(p.Rejected), `"0`) != "" {
		s.Log.Warn("the collector has rejected spans", "spans", strings.Trim(string(p.Rejected), `"`), "message", firstLine([]byte(p.Message)))
	}
}

// retryAfter reads a Retry-After: seconds or a date. 0 = there is none.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(text); err == nil && seconds > 0 {
		return time.Duration(min(seconds, int(keepTime.Seconds()))) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// firstLine returns the beginning of a foreign text, for a message.
func firstLine(text []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	if len(line) > 200 {
		line = line[:200] + "…"
	}
	return strconv.QuoteToASCII(strings.ToValidUTF8(line, "?"))
}
