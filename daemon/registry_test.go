package daemon

import (
	"encoding/base64"
	"testing"
)

// TestTokensAreRandom checks that each daemon has a new token of 256 bits.
func TestTokensAreRandom(t *testing.T) {
	seen := map[string]bool{}
	for range 3 {
		token := start(t, nil).reg.Token
		if b, err := base64.RawURLEncoding.DecodeString(token); err != nil || len(b) != 32 || seen[token] {
			t.Errorf("token %q, %v", token, err)
		}
		seen[token] = true
	}
}
