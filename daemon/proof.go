package daemon

import (
	"encoding/hex"
	"net/http"

	"wf/api"
)

// prove shows a client that this is the daemon of the registry, before it sends the token. The door
// has made sure that it was asked at our own address. The token cannot be found from the answers: it
// is a key of 256 bits of chance.
func (d *daemon) prove(_ *http.Request, q api.ProofQuery) (api.Proof, error) {
	if b, err := hex.DecodeString(q.Nonce); err != nil || len(b) != api.NonceBytes {
		return api.Proof{}, api.Invalid("nonce must be %d bytes in hexadecimal", api.NonceBytes)
	}
	return api.Proof{Proof: api.PortProof(d.registry.Token, d.doors.tcp.Addr().String(), q.Nonce)}, nil
}
