package daemon

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"wf/api"
)

// decode reads the question of a request: its query parameters, or its body in the time that the guard has set. No
// body at all is the zero value. The content type is required because a web page may send plain text anywhere
// without asking, but not JSON.
func decode[Q any](w http.ResponseWriter, r *http.Request) (Q, error) {
	var v Q
	if _, none := any(v).(api.None); none {
		return v, nil
	}
	if r.Method == http.MethodGet {
		if err := api.DecodeQuery(r.URL.Query(), &v); err != nil {
			return v, api.Invalid("%v", err)
		}
		return v, nil
	}
	if r.ContentLength == 0 {
		return v, nil
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return v, api.Invalid("the body must be application/json")
	}
	dec := json.NewDecoder(r.Body)
	dec.UseNumber() // numbers in values keep their form
	err := dec.Decode(&v)
	if err == nil {
		if _, err = dec.Token(); err == io.EOF {
			// The answer may take long. After an error the limit stays: net/http waits for the rest.
			_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
			return v, nil
		}
		err = errors.New("something follows the JSON value")
	}
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return v, api.Invalid("the body is larger than %d bytes", large.Limit)
	}
	return v, api.Invalid("the body cannot be read: %v", err)
}

// client returns the id of the client, which the events that it causes have.
func client(r *http.Request) string { return label(r, api.HeaderClient) } // ids of our client have 9 characters

// author returns the author of an edit.
func author(r *http.Request) api.Author {
	return api.Author{Client: client(r), User: strings.ToValidUTF8(label(r, api.HeaderUser), ""), Key: requestKey(r), Again: comesAgain(r)}
}

// label returns a header that is only shown to people, truncated.
func label(r *http.Request, header string) string {
	const longest = 64
	text := r.Header.Get(header)
	return text[:min(len(text), longest)]
}

// requestKey returns the key of a request that changes something, "" for none.
func requestKey(r *http.Request) string { return label(r, api.HeaderRequest) }

// comesAgain reports whether this daemon, or an earlier one, may have received the request before.
func comesAgain(r *http.Request) bool { return r.Header.Get(api.HeaderAgain) == "1" }
