package api

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
)

// NonceBytes is the length of the nonce of ProvePort, before it is encoded in hexadecimal.
const NonceBytes = 32

// Proof is the answer of ProvePort.
type Proof struct {
	Proof string `json:"proof"` // hexadecimal, see PortProof
}

// PortProof returns the answer to nonce, chosen at random by the client, that only a server at address (HOST:PORT) with
// the token can compute. A client checks it before it sends the token, its environment or its commands to a port,
// because another program may have taken the port of a daemon that died. The address is part of the proof, so that
// such a program cannot forward the nonce to the daemon on another port.
func PortProof(token, address, nonce string) string {
	mac := hmac.New(sha256.New, []byte(token))
	_, _ = io.WriteString(mac, "wf port proof v1\n"+address+"\n"+nonce) // never fails
	return hex.EncodeToString(mac.Sum(nil))
}

// SameProof compares two proofs in constant time.
func SameProof(a, b string) bool { return hmac.Equal([]byte(a), []byte(b)) }
