package send

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wf/api"
	"wf/executor"
	"wf/notify"
	"wf/notify/outbox"
	"wf/notify/send/sendtest"
)

// message returns a message for a destination with hostile texts that were made harmless.
func message(to string) notify.Message {
	started := time.Date(2026, 1, 31, 2, 0, 0, 0, time.UTC)
	n := api.Notification{ID: "0123456789abcdef", Event: api.NotifyFailure, Time: started, Workfile: "/w/nächtlich.wf", Run: "7", Started: &started,
		Failed: &api.NotifiedNode{Node: "n", Name: "align", Reason: api.ReasonExit, ExitCode: new(3), Lines: []string{".", "<b>bold</b> & \"quoted\" $(id) `id`", "größer"}}}
	notify.Complete(&n)
	return notify.Message{Notification: n, To: to, Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=/h"}, Dir: "/"}
}

// sender returns a Sender with a configuration that runs commands.
func sender(c Config) *Sender {
	return &Sender{Config: func() (Config, error) { return c, nil }, Run: (&executor.Local{}).Ask, Version: "1.2"}
}

// try sends a message and checks the error: "" for none, and whether it is final.
func try(t *testing.T, s *Sender, m notify.Message, want string, final bool) (string, *outbox.Failure) {
	t.Helper()
	answer, err := s.Send(t.Context(), m)
	var f *outbox.Failure
	errors.As(err, &f)
	switch {
	case want == "" && err != nil:
		t.Errorf("%s: %v", m.To, err)
	case want != "" && (f == nil || !strings.Contains(err.Error(), want) || f.Never != final):
		t.Errorf("%s: %+v, want %q", m.To, err, want)
	}
	return answer, f
}

func TestPost(t *testing.T) {
	var got *http.Request
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		fmt.Fprint(w, "thank\x1b[31m you\n")
	}))
	defer server.Close()
	key := []byte("signing key")
	c := Config{Named: map[string]Named{"team": {To: server.URL + "/hook", Key: key, Token: "bearer"}}}
	for _, to := range []string{"@team", server.URL + "/hook"} {
		m := message(to)
		if answer, _ := try(t, sender(c), m, "", false); answer != "200 OK thank you" {
			t.Errorf("%q", answer)
		}
		var n api.Notification
		if err := json.Unmarshal(body, &n); err != nil || n.ID != m.ID() || n.Text != m.Notification.Text || n.Schema != api.SchemaNotification {
			t.Errorf("%s, %v", body, err)
		}
		h := got.Header
		hub := hmac.New(sha256.New, key)
		hub.Write(body)
		standard := hmac.New(sha256.New, key)
		fmt.Fprintf(standard, "%s.%s.%s", m.ID(), h.Get("webhook-timestamp"), body)
		for name, want := range map[string]string{"X-Hub-Signature-256": "sha256=" + hex.EncodeToString(hub.Sum(nil)), "webhook-id": m.ID(),
			"webhook-signature": "v1," + base64.StdEncoding.EncodeToString(standard.Sum(nil)), "Authorization": "Bearer bearer",
			"Content-Type": "application/json", "User-Agent": "wf/1.2"} {
			if h.Get(name) != want {
				t.Errorf("%s: %q, want %q", name, h.Get(name), want)
			}
		}
	}
	try(t, sender(c), message(server.URL+"/other"), "", false)
	if got.Header.Get("webhook-signature") != "" || got.Header.Get("Authorization") != "" {
		t.Error("the secrets of a destination were sent to another one")
	}
	try(t, sender(c), message("@nobody"), "[destination.nobody]", true)
	try(t, sender(Config{Named: map[string]Named{"a": {To: "@b"}, "b": {To: "@a"}}}), message("@a"), "cannot lead to another", true)
	try(t, &Sender{Config: func() (Config, error) { return Config{}, errors.New("broken") }}, message("@a"), "broken", false)
}

// TestSignature checks the example of the specification of standardwebhooks.com.
func TestSignature(t *testing.T) {
	h := http.Header{}
	sign(h, []byte("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if got := h.Get("Webhook-Signature"); got != "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=" {
		t.Error(got)
	}
}

// TestHostileServers checks servers that refuse, redirect, hang, close or flood: each attempt ends soon with an error that says
// what happened.
func TestHostileServers(t *testing.T) {
	end := make(chan struct{})
	var after string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/500":
			w.Header().Set("Retry-After", after)
			w.WriteHeader(503)
			fmt.Fprint(w, strings.Repeat("\x1b[2Jgone ", 1000))
		case "/404":
			w.WriteHeader(404)
		case "/429":
			w.Header().Set("Retry-After", "90")
			w.WriteHeader(429)
		case "/moved":
			w.Header().Set("Location", "https://evil.test/")
			w.WriteHeader(308)
		case "/hang":
			<-end
		case "/flood":
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1<<20)); err != nil {
					return
				}
			}
		case "/headers":
			w.Header().Set("X-Long", strings.Repeat("x", 1<<20))
		case "/close":
			c, _, _ := w.(http.Hijacker).Hijack()
			c.Close()
		}
	}))
	defer server.Close()
	defer close(end)
	s := sender(Config{})
	_, f := try(t, s, message(server.URL+"/500"), "it answers 503 Service Unavailable: gone gone", false)
	if f.After != 0 || len(f.Error()) > 2000 {
		t.Errorf("%+v", f)
	}
	after = "-5"
	if _, f := try(t, s, message(server.URL+"/500"), "503", false); f.After != 0 {
		t.Errorf("%+v", f)
	}
	if _, f := try(t, s, message(server.URL+"/429"), "429", false); f.After != 90*time.Second {
		t.Errorf("%+v", f)
	}
	try(t, s, message(server.URL+"/404"), "404", true)
	try(t, s, message(server.URL+"/moved"), "it redirects to https://evil.test/", true)
	try(t, s, message(server.URL+"/close"), "EOF", false)
	try(t, s, message(server.URL+"/headers"), "header", false)
	try(t, s, message(server.URL+"/flood"), "", false)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := s.Send(ctx, message(server.URL+"/hang")); err == nil {
		t.Error("a server that does not answer is no error")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	_, f = try(t, s, message("http://"+l.Addr().String()+"/SECRET"), "refused", false)
	if strings.Contains(f.Error(), "SECRET") {
		t.Errorf("the error contains the path: %v", f)
	}
}

// TestHTTPS posts to a server with a certificate that is trusted, and one that is not.
func TestHTTPS(t *testing.T) {
	got := 0
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { got++ }))
	defer server.Close()
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	try(t, sender(Config{}), message(server.URL), "certificate", false)
	named := map[string]Named{"own": {To: server.URL, CA: authority(server)}}
	try(t, sender(Config{Named: named}), message("@own"), "", false)
	try(t, sender(Config{Named: named}), message(server.URL), "", false)
	if got != 2 {
		t.Errorf("%d messages", got)
	}
}

// authority returns the certificate of a server as PEM.
func authority(server *httptest.Server) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
}

func TestNtfy(t *testing.T) {
	var got map[string]any
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			t.Errorf("path %s", r.URL.Path)
		}
		_ = json.NewDecoder(r.Body).Decode(&got)
	}))
	defer server.Close()
	m := message("ntfy: " + server.URL + "/my-topic")
	m.Notification.Text += strings.Repeat("é", mostNtfy)
	try(t, sender(Config{}), m, "", false)
	text, _ := got["message"].(string)
	if got["topic"] != "my-topic" || got["title"] != m.Notification.Title || !strings.Contains(text, "größer") || len(text) > 4000 || strings.Contains(text, "\ufffd") {
		t.Errorf("%v", got)
	}
}

func TestExec(t *testing.T) {
	dir := t.TempDir()
	m := message(`exec: cat > input; printf '%s' "$WF_NOTIFY_TITLE" > title; printf '%s' "$WF_NOTIFY_TEXT" > text; env > env; echo answered`)
	m.Dir = dir
	if answer, _ := try(t, sender(Config{}), m, "", false); answer != "answered" {
		t.Errorf("%q", answer)
	}
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	var n api.Notification
	if err := json.Unmarshal([]byte(read("input")), &n); err != nil || n.ID != m.ID() {
		t.Errorf("%v", err)
	}
	if read("title") != m.Notification.Title || read("text") != m.Notification.Text {
		t.Error("the texts in the environment differ")
	}
	if env := read("env"); !strings.Contains(env, "HOME=/h\n") || !strings.Contains(env, "WF_RUN_ID=7\n") || !strings.Contains(env, "WF_NOTIFY_NODE=align\n") {
		t.Error(env)
	}
	m.Dir = filepath.Join(dir, "gone")
	m.To = "exec: pwd; yes"
	ctx, cancel := context.WithTimeout(t.Context(), time.Second) // it floods until it is killed
	defer cancel()
	if _, err := sender(Config{}).Send(ctx, m); err == nil {
		t.Error("a command that does not end is no error")
	}
	m.To = "exec: echo no >&2; exit 4"
	try(t, sender(Config{}), m, "exit status 4: no", false)
	m.To = "nonsense"
	try(t, sender(Config{}), m, "no destination", true)
}

func TestDesktop(t *testing.T) {
	if _, err := os.Stat("/System/Library"); err == nil {
		t.Skip("another program shows messages there")
	}
	bin := t.TempDir()
	script := "#!/bin/sh\nfor a; do printf '%s|' \"$a\"; done\n"
	if err := os.WriteFile(filepath.Join(bin, "notify-send"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	m := message("desktop")
	m.Env = []string{"PATH=" + bin + ":/usr/bin:/bin"}
	m.Notification.Failed.Lines = []string{"<b>bold</b> & \"quoted\" $(id)"}
	want := `--app-name=wf|--|nächtlich.wf failed: align (exit 3)|&lt;b&gt;bold&lt;/b&gt; &amp; "quoted" $(id)|`
	if answer, _ := try(t, sender(Config{}), m, "", false); answer != want {
		t.Errorf("%s", answer)
	}
	m.Env = []string{"PATH=" + t.TempDir()}
	try(t, sender(Config{}), m, "not installed", true)
}

// TestSendmail uses a program that stores what it gets.
func TestSendmail(t *testing.T) {
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "sendmail"), []byte("#!/bin/sh\necho \"$@\"\ncat > "+bin+"/mail\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	m := message("mail: ann@example.org, bob@example.org")
	m.Env = []string{"PATH=" + bin + ":/usr/bin:/bin"}
	if answer, _ := try(t, sender(Config{}), m, "", false); answer != "-i -t" {
		t.Errorf("%q", answer)
	}
	data, err := os.ReadFile(filepath.Join(bin, "mail"))
	if err != nil || bytes.Contains(data, []byte("\r")) {
		t.Fatalf("%q, %v", data, err)
	}
	checkMail(t, string(data), m)
}

// checkMail reads a mail as a program for mails does.
func checkMail(t *testing.T, text string, m notify.Message) {
	t.Helper()
	got, err := mail.ReadMessage(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(quotedprintable.NewReader(got.Body))
	if err != nil {
		t.Fatal(err)
	}
	subject, err := (&mime.WordDecoder{}).DecodeHeader(got.Header.Get("Subject"))
	to, listErr := got.Header.AddressList("To")
	if want := strings.ReplaceAll(string(body), "\r\n", "\n"); err != nil || listErr != nil || subject != m.Notification.Title || want != m.Notification.Text || len(to) != 2 {
		t.Errorf("subject %q, to %v, %v, body\n%s", subject, to, listErr, body)
	}
	if id := got.Header.Get("Message-ID"); !strings.HasPrefix(id, "<"+m.ID()+"@") {
		t.Error(id)
	}
	if _, err := got.Header.Date(); err != nil {
		t.Error(err)
	}
}

func TestSMTP(t *testing.T) {
	web := httptest.NewUnstartedServer(nil) // for its certificate
	web.StartTLS()
	certificate := web.TLS.Certificates[0]
	web.Close()
	m := message("mail: ann@example.org, bob@example.org")
	start := func(server *sendtest.MailServer) string {
		address, err := server.Start("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(server.Close)
		return address
	}
	plain := &sendtest.MailServer{User: "wf", Password: "secret", Refuse: "nobody@example.org"}
	c := MailServer{Server: start(plain), Security: SecurityNone, User: "wf", Password: "secret", From: "Workflows <wf@example.org>"}
	try(t, sender(Config{Mail: c}), m, "", false)
	if list := plain.Mails(); len(list) != 1 || list[0].From != "wf@example.org" || len(list[0].To) != 2 || list[0].User != "wf" {
		t.Fatalf("%+v", list)
	}
	checkMail(t, plain.Mails()[0].Text, m)
	try(t, sender(Config{Mail: c}), message("mail: nobody@example.org"), "550 no such user", true)
	c.Password = "wrong"
	_, f := try(t, sender(Config{Mail: c}), m, "login as wf: 535 wrong password", false)
	if strings.Contains(f.Error(), "secret") {
		t.Error(f)
	}
	c.Security = ""
	try(t, sender(Config{Mail: c}), m, "has no STARTTLS", true)

	secured := &tls.Config{Certificates: []tls.Certificate{certificate}}
	for _, server := range []*sendtest.MailServer{{TLS: secured}, {TLS: secured, Wrapped: true}} {
		c := MailServer{Server: start(server)}
		if server.Wrapped {
			c.Security = SecurityTLS
		}
		try(t, sender(Config{Mail: c}), m, "certificate", false) // it is not trusted here
		if len(server.Mails()) > 0 {
			t.Error("a mail was sent to a server with a certificate that is not trusted")
		}
		c.CA = authority(web)
		try(t, sender(Config{Mail: c}), m, "", false)
		if list := server.Mails(); len(list) != 1 || !list[0].Safe {
			t.Errorf("%+v", list)
		}
	}
}

// endless says the same for ever.
type endless string

func (e endless) Read(p []byte) (int, error) {
	n := 0
	for n+len(e) <= len(p) {
		n += copy(p[n:], e)
	}
	return n, nil
}

// TestHostileMailServers checks mail servers that say nothing, too much or nonsense.
func TestHostileMailServers(t *testing.T) {
	for want, server := range map[string]*sendtest.MailServer{
		"says too much":                {Talk: endless("220-more\r\n")},
		"says too much ":               {Talk: endless("x")},
		"short response":               {Talk: strings.NewReader("\r\n")},
		"EOF":                          {Talk: strings.NewReader("")},
		"deadline":                     {Silent: true},
		"the mail server says: 554 go": {Talk: strings.NewReader("554 go\x1b[31m\r\n")},
	} {
		address, err := server.Start("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		if server.Silent {
			ctx, cancel = context.WithTimeout(t.Context(), 20*time.Millisecond)
		}
		_, err = sender(Config{Mail: MailServer{Server: address, Security: SecurityNone}}).Send(ctx, message("mail: a@b"))
		cancel()
		server.Close()
		if err == nil || !strings.Contains(err.Error(), strings.TrimSpace(want)) || strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("%s: %v", want, err)
		}
	}
}
