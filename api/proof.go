package api

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
)

// NonceBytes is the length of the question of PathProof, before it is written in hexadecimal.
const NonceBytes = 32

// Proof is the answer of PathProof.
type Proof struct {
	Proof string `json:"proof"` // hexadecimal, see PortProof
}

// PortProof is what only a server at address (HOST:PORT) that knows the token can answer to nonce,
// chosen at random by the client. A client asks for it before it sends the token, its environment or
// its commands to a port, because when a daemon has died anybody may have taken the port since. The
// address is part of it so that nobody can pass on the question to the daemon on another port.
func PortProof(token, address, nonce string) string {
	mac := hmac.New(sha256.New, []byte(token))
	_, _ = io.WriteString(mac, "wf port proof v1\n"+address+"\n"+nonce) // a hash takes everything
	return hex.EncodeToString(mac.Sum(nil))
}

// SameProof compares two proofs in a time that does not tell where they differ.
func SameProof(a, b string) bool { return hmac.Equal([]byte(a), []byte(b)) }
