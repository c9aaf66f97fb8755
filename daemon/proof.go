package daemon

import (
	"encoding/hex"
	"net/http"

	"wf/api"
)

// prove proves to a client that this is the daemon of the registry, before the client sends the token. access has checked
// that the request was sent to the daemon's own address. The answers do not reveal the token, a random key of 256 bits.
func (d *daemon) prove(_ *http.Request, q api.ProofQuery) (api.Proof, error) {
	if b, err := hex.DecodeString(q.Nonce); err != nil || len(b) != api.NonceBytes {
		return api.Proof{}, api.Invalid("nonce must be %d bytes in hexadecimal", api.NonceBytes)
	}
	return api.Proof{Proof: api.PortProof(d.registry.Token, d.listeners.tcp.Addr().String(), q.Nonce)}, nil
}
