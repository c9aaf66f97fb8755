package history

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestHeadOfCutRequest: a head that was cut off anywhere is an error, never a run of its first fields.
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
