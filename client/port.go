package client

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"wf/api"
)

// proofBytes is the maximum size of a proof, because any program could serve the port.
const proofBytes = 4 << 10

// errNoProof means that the port is not served by the daemon in the registry.
var errNoProof = errors.New("it does not prove that it knows the token of this daemon")

// VerifyPort checks that the HTTP port in the registry is served by the daemon that wrote it, not by a program that has
// taken the port of a daemon that died. It sends only a random nonce. The client itself uses the socket, whose peer
// the kernel identifies; programs that use the port call this first.
func (c *Client) VerifyPort(ctx context.Context) error {
	reg, err := readRegistry(c.opt.Runtime)
	if err != nil {
		return &UnreachableError{Doing: "verify the port of the daemon", Err: err}
	}
	bounded, cancel := context.WithTimeout(ctx, c.opt.Timeout)
	defer cancel()
	if err := verifyPort(bounded, reg); err != nil {
		return &UnreachableError{Doing: "trust " + reg.URL, Err: err}
	}
	return nil
}

func verifyPort(ctx context.Context, reg api.Registry) error {
	u, err := url.Parse(reg.URL)
	if err != nil {
		return err
	}
	var b [api.NonceBytes]byte
	rand.Read(b[:]) // never fails
	nonce := hex.EncodeToString(b[:])
	u.Path, u.RawQuery = api.ProvePort.Path, api.EncodeQuery(api.ProofQuery{Nonce: nonce}).Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	// No proxy and no redirection: the answer counts for this address only.
	transport := &http.Transport{DisableKeepAlives: true}
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return fmt.Errorf("ask it for a proof: %w", err)
	}
	defer resp.Body.Close()
	var answer api.Proof
	if resp.StatusCode != http.StatusOK ||
		json.NewDecoder(io.LimitReader(resp.Body, proofBytes)).Decode(&answer) != nil ||
		!api.SameProof(answer.Proof, api.PortProof(reg.Token, u.Host, nonce)) {
		return errNoProof
	}
	return nil
}
