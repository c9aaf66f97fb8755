package webhooks

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"wf/api"
	"wf/trigger/webhook"
)

// keeper is what a Server hands deliveries to.
type keeper struct {
	mu       sync.Mutex
	bodies   []string
	rejected map[string]int
	err      error
}

const secret = "00112233445566778899aabbccddeeff"

// start starts a server with the hooks own (wf), hub (github) and chat (slack).
func start(t *testing.T, change func(*Config)) (*Server, *keeper) {
	t.Helper()
	k := &keeper{rejected: map[string]int{}}
	secrets := NewSecrets(t.TempDir())
	schemes := map[string]webhook.Scheme{"own": webhook.WF, "hub": webhook.GitHub, "chat": webhook.Slack}
	for name, scheme := range schemes {
		if _, err := secrets.Change(name, scheme, secret, 0, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	schemes["bare"] = webhook.WF // without a secret
	cfg := Config{Listen: "127.0.0.1:0", Secrets: secrets, Log: slog.New(slog.DiscardHandler), retry: 10 * time.Millisecond,
		Scheme: func(name string) (webhook.Scheme, bool) { s, ok := schemes[name]; return s, ok },
		Deliver: func(_ context.Context, _ string, _ webhook.Delivery, body []byte) (bool, error) {
			k.mu.Lock()
			defer k.mu.Unlock()
			k.bodies = append(k.bodies, string(body))
			return len(k.bodies) > 1 && k.bodies[len(k.bodies)-2] == string(body), k.err
		},
		Rejected: func(name, why string) {
			k.mu.Lock()
			defer k.mu.Unlock()
			k.rejected[name+": "+why]++
		}}
	if change != nil {
		change(&cfg)
	}
	s := Start(cfg)
	t.Cleanup(func() { s.Close(0) })
	wait(t, func() bool { return s.Problem() == "" })
	return s, k
}

// wait waits until something is true.
func wait(t *testing.T, done func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not happen")
		}
	}
}

func (k *keeper) count(what string) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.rejected[what]
}

func hexSum(key, text string) string {
	m := hmac.New(sha256.New, []byte(key))
	io.WriteString(m, text)
	return fmt.Sprintf("%x", m.Sum(nil))
}

// signed returns a request to the hook own.
func signed(t *testing.T, base, id, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, base+"/hooks/own", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	now := strconv.FormatInt(time.Now().Unix(), 10)
	r.Header.Set(webhook.Header, "t="+now+",id="+id+",v1="+hexSum(secret, now+"."+id+"."+body))
	return r
}

// send returns the status and the text of the answer.
func send(t *testing.T, c *http.Client, r *http.Request) (int, string) {
	t.Helper()
	res, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode == http.StatusTooManyRequests && res.Header.Get("Retry-After") == "" {
		t.Error("429 without Retry-After")
	}
	return res.StatusCode, string(body)
}

// TestOnlyHooks checks that nothing but signed requests to hooks is answered with more than a status.
func TestOnlyHooks(t *testing.T) {
	s, k := start(t, nil)
	base := "http://" + s.Address()
	c := &http.Client{Timeout: time.Minute}
	for _, q := range []struct {
		method, path string
		want         int
	}{
		{"GET", "/", 404}, {"GET", "/v1/version", 404}, {"POST", "/v1/workspaces", 404}, {"GET", "/metrics", 404}, {"GET", "/hooks/own", 405},
		{"PUT", "/hooks/own", 405}, {"OPTIONS", "/hooks/own", 405}, {"POST", "/hooks/", 404}, {"POST", "/hooks/own/x", 404}, {"POST", "/hooks/../hooks/own", 404},
		{"POST", "/hooks/OWN", 404}, {"POST", "/hooks/own?x=1", 404}, {"POST", "/hooks/own", 401}, {"POST", "/hooks/none", 401}, {"POST", "/hooks/bare", 401},
	} {
		r, err := http.NewRequest(q.method, base+q.path, strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		if status, body := send(t, c, r); status != q.want || body != "" {
			t.Errorf("%s %s: %d %q, want %d", q.method, q.path, status, body, q.want)
		}
	}
	if k.count("own: no signature") != 1 || k.count(": no such webhook") != 1 || k.count("bare: the hook has no secret") != 1 {
		t.Errorf("rejected: %v", k.rejected)
	}
	for i, want := range []int{202, 200} {
		if status, body := send(t, c, signed(t, base, "1", "hello")); status != want || body != "" {
			t.Errorf("request %d: %d %q, want %d", i, status, body, want)
		}
	}
	forged := signed(t, base, "2", "hello")
	forged.Body = io.NopCloser(strings.NewReader("hellO"))
	if status, _ := send(t, c, forged); status != 401 || len(k.bodies) != 2 {
		t.Errorf("a changed body: %d, %d were delivered", status, len(k.bodies))
	}
	challenge, _ := http.NewRequest(http.MethodPost, base+"/hooks/chat", strings.NewReader(`{"type":"url_verification","challenge":"abc"}`))
	now := strconv.FormatInt(time.Now().Unix(), 10)
	challenge.Header.Set("X-Slack-Request-Timestamp", now)
	challenge.Header.Set("X-Slack-Signature", "v0="+hexSum(secret, "v0:"+now+`:{"type":"url_verification","challenge":"abc"}`))
	if status, body := send(t, c, challenge); status != 200 || body != "abc" {
		t.Errorf("Slack's challenge: %d %q", status, body)
	}
	ping, _ := http.NewRequest(http.MethodPost, base+"/hooks/hub", strings.NewReader("{}"))
	ping.Header.Set("X-Hub-Signature-256", "sha256="+hexSum(secret, "{}"))
	ping.Header.Set("X-GitHub-Event", "ping")
	if status, _ := send(t, c, ping); status != 200 || len(k.bodies) != 2 {
		t.Errorf("GitHub's ping: %d", status)
	}
	for err, want := range map[*api.Error]int{{Code: api.CodeNotFound}: 401, {Code: api.CodeRefused}: 503, {Code: api.CodeGone}: 503, {Code: api.CodeInternal}: 503} {
		k.err = err
		if status, _ := send(t, c, signed(t, base, "3", "x")); status != want {
			t.Errorf("%s: %d, want %d", err.Code, status, want)
		}
	}
}

// TestLimits checks the limits of size and rate.
func TestLimits(t *testing.T) {
	s, k := start(t, nil)
	base := "http://" + s.Address()
	c := &http.Client{Timeout: time.Minute}
	if status, _ := send(t, c, signed(t, base, "most", strings.Repeat("x", api.MostBody))); status != 202 {
		t.Errorf("the largest body: %d", status)
	}
	if status, _ := send(t, c, signed(t, base, "more", strings.Repeat("x", api.MostBody+1))); status != 413 {
		t.Errorf("a larger body: %d", status)
	}
	chunked := signed(t, base, "chunked", strings.Repeat("x", api.MostBody+1))
	chunked.ContentLength, chunked.Body = -1, io.NopCloser(bytes.NewReader(bytes.Repeat([]byte("x"), api.MostBody+1)))
	if status, _ := send(t, c, chunked); status != 413 {
		t.Errorf("a larger body of unknown length: %d", status)
	}
	conn, err := net.Dial("tcp", s.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	go io.WriteString(conn, "POST /hooks/own HTTP/1.1\r\nHost: x\r\nA: "+strings.Repeat("a", 2*mostHeader)+"\r\n\r\n")
	if line, err := bufio.NewReader(conn).ReadString('\n'); err == nil && !strings.Contains(line, "431") {
		t.Errorf("a large header: %q", line)
	}
	many := 0
	for range 3 * failureBurst {
		r := signed(t, base, "forged", "x")
		r.Header.Set(webhook.Header, strings.ReplaceAll(r.Header.Get(webhook.Header), "t=1", "t=2"))
		if status, _ := send(t, c, r); status == 429 {
			many++
		}
	}
	if many == 0 || k.count("own: "+whyRate) != many || k.count("own: "+string(webhook.Wrong)) < failureBurst/2 {
		t.Errorf("%d of many forged requests got 429; %v", many, k.rejected)
	}
}

func TestLimiter(t *testing.T) {
	l := newLimiter(10, 5)
	now := time.Unix(1_800_000_000, 0)
	for range 5 {
		if l.take("a", now) > 0 {
			t.Fatal("the first uses have to wait")
		}
	}
	if wait := l.take("a", now); wait < 90*time.Millisecond || wait > 110*time.Millisecond || l.take("b", now) > 0 {
		t.Errorf("the sixth use waits %v", wait)
	}
	l.giveBack("a")
	if l.take("a", now) > 0 || l.take("a", now) == 0 || l.take("a", now.Add(time.Second)) > 0 {
		t.Error("a use that was given back, or a pause, does not count")
	}
	if l.take("a", now.Add(-time.Hour)) > 0 { // the clock was set back
		t.Error("a clock that is set back blocks")
	}
	for i := range 3 * mostLimited {
		if l.take(fmt.Sprint(i), now); len(l.keys) > mostLimited {
			t.Fatalf("it has %d keys", len(l.keys))
		}
	}
	most := hookRate*(2*webhook.Tolerance).Seconds() + hookBurst
	if most > webhook.Remembered {
		t.Errorf("%v deliveries are accepted while a signature is valid, and %d are remembered", most, webhook.Remembered)
	}
}

// TestSlowClients checks that clients which hold connections, with a half header, a half body or nothing, take none away from others.
func TestSlowClients(t *testing.T) {
	s, k := start(t, func(c *Config) { c.connections, c.times = 4, times{time.Hour, time.Hour, time.Hour} })
	base := "http://" + s.Address()
	var held []net.Conn
	defer func() {
		for _, c := range held {
			c.Close()
		}
	}()
	for i := range 40 {
		conn, err := net.Dial("tcp", s.Address())
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, conn)
		text := []string{"", "POST /hooks/own HTTP/1.1\r\nHost: x\r\n", "POST /hooks/own HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nabc"}[i%3]
		if _, err := io.WriteString(conn, text); err != nil {
			t.Fatal(err)
		}
		c := &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}
		if status, _ := send(t, c, signed(t, base, fmt.Sprint(i), fmt.Sprint(i))); status != 202 {
			t.Fatalf("beside %d slow clients: %d", i+1, status)
		}
	}
	if len(k.bodies) != 40 {
		t.Errorf("%d deliveries", len(k.bodies))
	}
	closed := 0
	for _, conn := range held[:30] { // the oldest ones had to go
		_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := io.ReadAll(conn); err == nil || !os.IsTimeout(err) {
			closed++
		}
	}
	if closed != 30 {
		t.Errorf("%d of the 30 oldest slow clients were closed", closed)
	}
}

// TestTimes checks that a connection whose request does not arrive ends.
func TestTimes(t *testing.T) {
	s, _ := start(t, func(c *Config) { c.times = times{50 * time.Millisecond, 100 * time.Millisecond, 50 * time.Millisecond} })
	for _, text := range []string{"", "POST /hooks/own HTTP/1.1\r\nHost: x\r\n", "POST /hooks/own HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nabc"} {
		conn, err := net.Dial("tcp", s.Address())
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(conn, text)
		_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := io.ReadAll(conn); os.IsTimeout(err) {
			t.Errorf("%q: the connection stays", text)
		}
		conn.Close()
	}
}

// certify writes a new certificate for 127.0.0.1, and returns its pool.
func certify(t *testing.T, cert, key string, serial int64) *x509.CertPool {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secretDER, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "EC PRIVATE KEY", Bytes: secretDER}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Unix(1_700_000_000+serial, 0) // another state of the file, however coarse the clock of the file system is
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return pool
}

// TestTLS checks that a certificate is used as soon as its files have changed, and that an unreadable one changes nothing.
func TestTLS(t *testing.T) {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert"), filepath.Join(dir, "key")
	first := certify(t, cert, key, 1)
	s, _ := start(t, func(c *Config) { c.Cert, c.Key = cert, key })
	post := func(pool *x509.CertPool, id string) error {
		c := &http.Client{Timeout: time.Minute, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true}}
		res, err := c.Do(signed(t, "https://"+s.Address(), id, id))
		if err != nil {
			return err
		}
		res.Body.Close()
		if res.StatusCode != 202 {
			return fmt.Errorf("status %d", res.StatusCode)
		}
		return nil
	}
	if err := post(first, "a"); err != nil {
		t.Fatal(err)
	}
	second := certify(t, cert, key, 2)
	if err := post(second, "b"); err != nil {
		t.Errorf("the new certificate: %v", err)
	}
	if post(first, "c") == nil {
		t.Error("the old certificate is still used")
	}
	if err := os.WriteFile(key, []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := post(second, "d"); err != nil {
		t.Errorf("after damage of the key: %v", err)
	}
}

// TestListenAgain checks that a port in use is tried again.
func TestListenAgain(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := Start(Config{Listen: l.Addr().String(), Log: slog.New(slog.DiscardHandler), retry: time.Millisecond})
	defer s.Close(time.Minute)
	if !strings.Contains(s.Problem(), "in use") {
		t.Errorf("problem %q when Start has returned", s.Problem())
	}
	l.Close()
	wait(t, func() bool { return s.Problem() == "" })
}

func TestCheckListen(t *testing.T) {
	for _, c := range []struct{ listen, cert, key, want string }{
		{"127.0.0.1:8791", "", "", ""}, {"[::1]:8791", "", "", ""}, {"0.0.0.0:8443", "/c", "/k", ""}, {":8443", "/c", "/k", ""}, {"10.0.0.1:80", "none", "", ""},
		{"0.0.0.0:8443", "", "", "without TLS"}, {":8443", "", "", "without TLS"}, {"[::]:1", "", "", "without TLS"}, {"8791", "", "", "write 127.0.0.1:8791"},
		{"localhost:8791", "", "", "write 127.0.0.1:8791"}, {"127.0.0.1:x", "", "", "no port"}, {"127.0.0.1:1", "/c", "", "together"},
		{"127.0.0.1:1", "", "/k", "together"}, {"127.0.0.1:1", "none", "/k", "together"}, {"127.0.0.1:99999", "", "", "no port"},
	} {
		err := CheckListen(c.listen, c.cert, c.key)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestSecretFiles(t *testing.T) {
	dir := t.TempDir()
	s, now := NewSecrets(dir), time.Unix(1_800_000_000, 0)
	first, made, err := s.Make("a", webhook.WF, now)
	if err != nil || !made || len(first.Secret) != 64 {
		t.Fatalf("%+v, %v, %v", first, made, err)
	}
	if again, made, err := s.Make("a", webhook.WF, now); err != nil || made || again.Secret != first.Secret {
		t.Errorf("made again: %+v, %v, %v", again, made, err)
	}
	if info, err := os.Stat(filepath.Join(dir, "a.secret")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	second, err := s.Change("a", webhook.WF, "", time.Hour, now)
	if err != nil || second.Secret == first.Secret {
		t.Fatalf("%+v, %v", second, err)
	}
	for after, want := range map[time.Duration]int{0: 2, time.Hour - 1: 2, time.Hour: 1} {
		if got := s.Valid("a", now.Add(after)); len(got) != want || got[0] != second.Secret {
			t.Errorf("after %v: %d are valid", after, len(got))
		}
	}
	if _, err := s.Change("a", webhook.WF, secret, 0, now); err != nil || len(s.Valid("a", now)) != 1 {
		t.Errorf("without a time for the one before: %v", err)
	}
	if _, err := s.Get("../a", now); err == nil {
		t.Error("a name with a path was accepted")
	}
	if err := os.WriteFile(filepath.Join(dir, "a.secret"), []byte("{"), 0o600); err != nil || len(s.Valid("a", now)) > 0 {
		t.Error("a damaged file has secrets")
	}
	if removed, err := s.Remove("a", now); err != nil || !removed {
		t.Errorf("removed: %v, %v", removed, err)
	}
	if removed, err := s.Remove("a", now); err != nil || removed {
		t.Errorf("removed again: %v, %v", removed, err)
	}
}
