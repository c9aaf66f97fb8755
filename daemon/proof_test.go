package daemon

import (
	"net/http"
	"strings"
	"testing"

	"wf/api"
)

// TestPortProvesItself checks that a client without the token gets a proof that this is the daemon of the registry, and
// no other answer.
func TestPortProvesItself(t *testing.T) {
	r := start(t, nil)
	address := strings.TrimPrefix(r.reg.URL, "http://")
	_, port, _ := strings.Cut(address, ":")
	nonce := strings.Repeat("ab", api.NonceBytes)
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	ask := func(nonce string, change func(*http.Request)) (api.Proof, *api.Error) {
		req, err := http.NewRequest("GET", r.reg.URL+api.ProvePort.Path+"?nonce="+nonce, nil)
		if err != nil {
			t.Fatal(err)
		}
		if change != nil {
			change(req)
		}
		var p api.Proof
		e := r.do(c, req, &p)
		return p, e
	}
	p, e := ask(nonce, nil)
	if e != nil || p.Proof != api.PortProof(r.reg.Token, address, nonce) {
		t.Errorf("proof %q, %v", p.Proof, e)
	}
	// A program on another port that forwards the request gets the proof for this port.
	if p, e := ask(nonce, func(req *http.Request) { req.Host = "[::1]:" + port }); e != nil || p.Proof != api.PortProof(r.reg.Token, address, nonce) {
		t.Errorf("request with another host: %q, %v", p.Proof, e)
	}
	for name, change := range map[string]func(*http.Request){
		"for another port":   func(req *http.Request) { req.Host = "127.0.0.1:1" },
		"by a web page":      func(req *http.Request) { req.Header.Set("Origin", "http://evil.example") },
		"through a web page": func(req *http.Request) { req.Header.Set("Sec-Fetch-Site", "cross-site") },
	} {
		if p, e := ask(nonce, change); e == nil || e.Code != api.CodeRefused {
			t.Errorf("%s: %q, %v", name, p.Proof, e)
		}
	}
	for name, nonce := range map[string]string{
		"none": "", "short": "ab", "no digits": strings.Repeat("xy", api.NonceBytes), "long": strings.Repeat("ab", 10*api.NonceBytes),
	} {
		if p, e := ask(nonce, nil); e == nil || e.Code != api.CodeInvalid {
			t.Errorf("nonce %s: %q, %v", name, p.Proof, e)
		}
	}
}
