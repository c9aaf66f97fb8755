package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
)

// TestHeadOfCutRequest checks that a truncated head is always an error, and not a request with its first fields.
func TestHeadOfCutRequest(t *testing.T) {
	for _, whole := range []string{`{"run":1,"mode":"fresh","grace_ms":1}`, `{"run":1,"mode":"fresh","scope":["a"]}`} {
		req, err := decodeHead(json.NewDecoder(strings.NewReader(whole)))
		if err != nil || req.Run != 1 || req.Mode != "fresh" {
			t.Errorf("%s: %+v, %v", whole, req, err)
		}
		end := strings.Index(whole+`"scope"`, `"scope"`)
		for cut := range min(end, len(whole)) {
			if req, err := decodeHead(json.NewDecoder(strings.NewReader(whole[:cut]))); err == nil {
				t.Errorf("%s: no error, %+v", whole[:cut], req)
			}
		}
	}
}

// TestRequestWithoutNames checks that a request with fewer names than nodes counts as damaged.
func TestRequestWithoutNames(t *testing.T) {
	s := openStore(t)
	createRun(t, s)
	path := s.file(1, requestFile)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, bytes.Replace(data, []byte(`"names"`), []byte(`"nam\u0000s"`), 1))
	if _, err := s.Request(1); !errors.Is(err, errNoRequest) {
		t.Errorf("%v", err)
	}
}
