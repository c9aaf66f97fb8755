package daemon

import (
	"encoding/base64"
	"testing"
)

// TestTokensAreChance: each daemon has a token of its own, too long to be guessed.
func TestTokensAreChance(t *testing.T) {
	seen := map[string]bool{}
	for range 3 {
		token := start(t, nil).reg.Token
		if b, err := base64.RawURLEncoding.DecodeString(token); err != nil || len(b) != 32 || seen[token] {
			t.Errorf("token %q, %v", token, err)
		}
		seen[token] = true
	}
}
