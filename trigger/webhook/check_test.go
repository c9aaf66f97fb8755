package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// request returns a request with headers, each NAME: VALUE.
func request(body string, headers ...string) Request {
	h := http.Header{}
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		h.Add(name, value)
	}
	return Request{Header: h.Values, Body: []byte(body)}
}

const (
	slackSecret = "8f742231b10e8888abcd99yyyzzz85a5"
	slackBody   = "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
	ownSecret   = "00112233445566778899aabbccddeeff"
)

type vector struct {
	name    string
	scheme  Scheme
	secret  string
	at      int64
	body    string
	headers []string
	want    Delivery // without IDs
}

// vectors are deliveries whose signatures come from openssl dgst -sha256 -hmac. The first of GitHub and of Slack are also in the
// documentation of these senders.
var vectors = []vector{
	{"github", GitHub, "It's a Secret to Everybody", 0, "Hello, World!",
		[]string{"X-Hub-Signature-256: sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17", "X-GitHub-Event: push", "X-GitHub-Delivery: 72d3162e"},
		Delivery{Event: "push"}},
	{"github ping", GitHub, "It's a Secret to Everybody", 0, "Hello, World!",
		[]string{"X-Hub-Signature-256: sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17", "X-GitHub-Event: ping"},
		Delivery{Event: "ping", Ping: true}},
	{"gitlab", GitLab, "a-long-enough-token", 0, `{"object_kind":"push"}`,
		[]string{"X-Gitlab-Token: a-long-enough-token", "X-Gitlab-Event: Push Hook", "Idempotency-Key: f5e5f430"}, Delivery{Event: "Push Hook"}},
	{"slack command", Slack, slackSecret, 1531420618, slackBody,
		[]string{"X-Slack-Signature: v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503", "X-Slack-Request-Timestamp: 1531420618"}, Delivery{}},
	{"slack challenge", Slack, slackSecret, 1614265330, `{"type":"url_verification","challenge":"3eZbrw1a"}`,
		[]string{"X-Slack-Signature: v0=ff40afe6e745f05170e9ede59f452e01d2d71e5b53e34654f72ca3ff1a201e39", "X-Slack-Request-Timestamp: 1614265330"},
		Delivery{Event: "url_verification", Challenge: "3eZbrw1a"}},
	{"slack event", Slack, slackSecret, 1614265330, `{"type":"event_callback","event_id":"Ev08","event":{"type":"app_mention"}}`,
		[]string{"X-Slack-Signature: v0=53eeb0a4da2b60693f0f655cc0f47e9a4d6e0f67406e59a49fb41b0c4cc2cd4b", "X-Slack-Request-Timestamp: 1614265330"},
		Delivery{Event: "app_mention"}},
	{"stripe", Stripe, "whsec_test_0123456789abcdef", 1614265330, `{"id":"evt_1","type":"charge.succeeded"}`,
		[]string{"Stripe-Signature: t=1614265330,v1=" + strings.Repeat("00", 32) + ",v1=037d7e4e741e93a7db3db8c8097c356ea974f76a1e7e7669b4d39280b59ed9fb,v0=" + strings.Repeat("11", 32)},
		Delivery{Event: "charge.succeeded"}},
	{"standard", Standard, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", 1614265330, `{"test": 2432232314}`,
		[]string{"Webhook-Id: msg_p5jXN8AQM9LWM0D4loKWxJek", "Webhook-Timestamp: 1614265330", "Webhook-Signature: v1a,AAAA v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="}, Delivery{}},
	{"wf", WF, ownSecret, 1614265330, `{"ref":"main"}`,
		[]string{Header + ": t=1614265330,id=build-7,v1=7dffba94982e110b1a23577283cad161b12ea97e2804f70716c8a7ec0bc7839e"}, Delivery{}},
}

func TestVectors(t *testing.T) {
	for _, v := range vectors {
		now := time.Unix(v.at, 0)
		d, why := v.scheme.Check([]string{v.secret}, request(v.body, v.headers...), now)
		if why != "" || len(d.IDs) == 0 {
			t.Errorf("%s: refused: %q, %d ids", v.name, why, len(d.IDs))
			continue
		}
		if d.Event != v.want.Event || d.Challenge != v.want.Challenge || d.Ping != v.want.Ping {
			t.Errorf("%s: got %+v, want %+v", v.name, d, v.want)
		}
		again, _ := v.scheme.Check([]string{"another secret of today", v.secret}, request(v.body, v.headers...), now)
		if !slices.Equal(d.IDs, again.IDs) {
			t.Errorf("%s: the ids differ: %v, %v", v.name, d.IDs, again.IDs)
		}
		for what, f := range map[string]struct {
			body    string
			secrets []string
			headers []string
			want    Reason
		}{
			"other secret": {v.body, []string{"whsec_AAAAAAAAAAAAAAAAAAAAAAAA"}, v.headers, Wrong},
			"other body":   {v.body + " ", []string{v.secret}, v.headers, Wrong},
			"no secret":    {v.body, nil, v.headers, NoSecret},
			"no header":    {v.body, []string{v.secret}, nil, Unsigned},
			"twice":        {v.body, []string{v.secret}, append(slices.Clone(v.headers), v.headers...), Malformed},
		} {
			if what == "other body" && v.scheme == GitLab {
				continue // it does not sign the body
			}
			if _, why := v.scheme.Check(f.secrets, request(f.body, f.headers...), now); why != f.want {
				t.Errorf("%s, %s: got %q, want %q", v.name, what, why, f.want)
			}
		}
		for late, want := range map[time.Duration]Reason{Tolerance: "", -Tolerance: "", Tolerance + time.Second: Old, -Tolerance - time.Second: Old} {
			if v.at == 0 {
				want = "" // without a time
			}
			if _, why := v.scheme.Check([]string{v.secret}, request(v.body, v.headers...), now.Add(late)); why != want {
				t.Errorf("%s, %v later: got %q, want %q", v.name, late, why, want)
			}
		}
	}
}

// sum is HMAC-SHA256.
func sum(secret, text string) []byte {
	m := hmac.New(sha256.New, []byte(secret))
	m.Write([]byte(text))
	return m.Sum(nil)
}

// TestMalformed checks headers that are signed correctly, and read differently by a careless reader.
func TestMalformed(t *testing.T) {
	now := time.Unix(1614265330, 0)
	own := func(at, id, body string) string {
		return fmt.Sprintf("%s: t=%s,id=%s,v1=%x", Header, at, id, sum(ownSecret, at+"."+id+"."+body))
	}
	for _, c := range []struct {
		scheme  Scheme
		body    string
		headers []string
		want    Reason
	}{
		{WF, "b", []string{own("1614265330", "a", "b")}, ""},
		{WF, "c", []string{own("1614265330", "a.b", "c")}, Malformed},
		{WF, "b", []string{own("+1614265330", "a", "b")}, Malformed},
		{WF, "b", []string{own(" 1614265330", "a", "b")}, Malformed},
		{WF, "b", []string{own("99999999999999999999", "a", "b")}, Malformed},
		{WF, "b", []string{own("", "a", "b")}, Malformed},
		{WF, "b", []string{own("1614265330", "", "b")}, Malformed},
		{WF, "b", []string{own("1614265330", strings.Repeat("a", longestID+1), "b")}, Malformed},
		{WF, "b", []string{own("1614265330", "a", "b") + ",id=c"}, Malformed},
		{WF, "b", []string{own("1614265330", "a", "b") + ",t=1"}, Malformed},
		{WF, "b", []string{own("1614265330", "a", "b") + ",junk"}, Malformed},
		{WF, "b", []string{own("1614265330", "a", "b") + strings.Repeat(",v1=00", mostFields)}, Malformed},
		{WF, "b", []string{Header + ": t=1614265330,id=a,v1="}, Malformed},
		{WF, "b", []string{Header + ": t=1614265330,id=a,v1=00"}, Malformed},
		{WF, "b", []string{Header + ": "}, Malformed},
		{GitHub, "b", []string{fmt.Sprintf("X-Hub-Signature-256: %x", sum(ownSecret, "b"))}, Malformed},
		{GitHub, "b", []string{fmt.Sprintf("X-Hub-Signature: sha1=%x", sum(ownSecret, "b")[:20])}, Unsigned},
		{Stripe, "b", []string{fmt.Sprintf("Stripe-Signature: t=1614265330,v0=%x", sum(ownSecret, "1614265330.b"))}, Malformed},
		{Stripe, "b", []string{fmt.Sprintf("Stripe-Signature: t=1614265330,t=1,v1=%x", sum(ownSecret, "1614265330.b"))}, Malformed},
		{Slack, "b", []string{fmt.Sprintf("X-Slack-Signature: v0=%x", sum(ownSecret, "v0::b"))}, Unsigned},
		{Standard, "c", []string{"Webhook-Id: a.1", "Webhook-Timestamp: 1614265330", "Webhook-Signature: v1," + base64.StdEncoding.EncodeToString(sum("k", "a.1.1614265330.c"))}, Malformed},
	} {
		if _, why := c.scheme.Check([]string{ownSecret}, request(c.body, c.headers...), now); why != c.want {
			t.Errorf("%s %q: got %q, want %q", c.scheme, c.headers, why, c.want)
		}
	}
}

// TestIDs checks which deliveries count as the same.
func TestIDs(t *testing.T) {
	now := time.Unix(1614265330, 0)
	github := func(id, body string) Request {
		return request(body, fmt.Sprintf("X-Hub-Signature-256: sha256=%x", sum(ownSecret, body)), "X-GitHub-Delivery: "+id)
	}
	gitlab := func(body string, headers ...string) Request {
		return request(body, append(headers, "X-Gitlab-Token: "+ownSecret)...)
	}
	slack := func(at int64, body string) Request {
		return request(body, fmt.Sprintf("X-Slack-Signature: v0=%x", sum(ownSecret, fmt.Sprintf("v0:%d:%s", at, body))), fmt.Sprintf("X-Slack-Request-Timestamp: %d", at))
	}
	stripe := func(at int64, body string) Request {
		return request(body, fmt.Sprintf("Stripe-Signature: t=%d,v1=%x", at, sum(ownSecret, fmt.Sprintf("%d.%s", at, body))))
	}
	own := func(at int64, id, body string) Request {
		return request(body, fmt.Sprintf("%s: t=%d,id=%s,v1=%x", Header, at, id, sum(ownSecret, fmt.Sprintf("%d.%s.%s", at, id, body))))
	}
	at := now.Unix()
	for _, c := range []struct {
		what   string
		scheme Scheme
		a, b   Request
		same   bool
	}{
		{"sent again", GitHub, github("1", "a"), github("1", "a"), true},
		{"replayed under another id", GitHub, github("1", "a"), github("2", "a"), true},
		{"another one", GitHub, github("1", "a"), github("2", "b"), false},
		{"sent again", GitLab, gitlab("a", "Idempotency-Key: 1"), gitlab("a", "Idempotency-Key: 1"), true},
		{"another one", GitLab, gitlab("a", "Idempotency-Key: 1"), gitlab("a", "Idempotency-Key: 2"), false},
		{"an event that follows from another", GitLab, gitlab("a", "X-Gitlab-Event-UUID: 1"), gitlab("b", "X-Gitlab-Event-UUID: 1"), false},
		{"sent again by an old version", GitLab, gitlab("a", "X-Gitlab-Event-UUID: 1"), gitlab("a", "X-Gitlab-Event-UUID: 1"), true},
		{"an event sent again", Slack, slack(at, `{"event_id":"E1"}`), slack(at+60, `{"event_id":"E1","retry":1}`), true},
		{"another event", Slack, slack(at, `{"event_id":"E1"}`), slack(at, `{"event_id":"E2"}`), false},
		{"the same command twice", Slack, slack(at, "command=x"), slack(at+1, "command=x"), false},
		{"a replayed command", Slack, slack(at, "command=x"), slack(at, "command=x"), true},
		{"an event sent again", Stripe, stripe(at, `{"id":"evt_1"}`), stripe(at+60, `{"id":"evt_1"}`), true},
		{"another event", Stripe, stripe(at, `{"id":"evt_1"}`), stripe(at, `{"id":"evt_2"}`), false},
		{"an id that is no text", Stripe, stripe(at, `{"id":1}`), stripe(at+1, `{"id":1}`), false},
		{"sent again", WF, own(at, "1", "a"), own(at+60, "1", "a"), true},
		{"another one", WF, own(at, "1", "a"), own(at, "2", "a"), false},
	} {
		a, why := c.scheme.Check([]string{ownSecret}, c.a, now)
		b, whyNot := c.scheme.Check([]string{ownSecret}, c.b, now)
		if why != "" || whyNot != "" {
			t.Errorf("%s, %s: refused: %q, %q", c.scheme, c.what, why, whyNot)
			continue
		}
		var m Memory
		m.Add(a.IDs)
		if !m.Has(a.IDs) || m.Has(b.IDs) != c.same {
			t.Errorf("%s, %s: known: %v, want %v", c.scheme, c.what, m.Has(b.IDs), c.same)
		}
	}
}

func TestMemory(t *testing.T) {
	var m Memory
	id := func(n int) []string { return []string{fmt.Sprint("a", n), fmt.Sprint("b", n%2000)} }
	for n := range 3 * Remembered {
		if ids := id(n); !m.Has(ids[:1]) {
			m.Add(ids)
		}
		if len(m.All()) > Remembered || len(m.known) > 2*Remembered {
			t.Fatalf("after %d deliveries %d are kept, with %d ids", n, len(m.All()), len(m.known))
		}
	}
	if !m.Has([]string{fmt.Sprint("a", 2*Remembered)}) || m.Has([]string{"a0"}) {
		t.Error("not the latest deliveries are kept")
	}
	var copied Memory
	for _, ids := range m.All() {
		copied.Add(ids)
	}
	if !maps.Equal(copied.known, m.known) {
		t.Error("what All returns is another memory")
	}
}

func TestSecrets(t *testing.T) {
	var random [SecretBytes]byte
	random[3] = 7
	for _, name := range Schemes {
		if err := Scheme(name).CheckSecret(Scheme(name).Secret(random)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, bad := range []string{"", "short", "with a blank inside it", "ünïcödë-secret-of-length", strings.Repeat("x", longestSecret+1)} {
			if Scheme(name).CheckSecret(bad) == nil {
				t.Errorf("%s: the secret %q was accepted", name, bad)
			}
		}
	}
	if Standard.CheckSecret("whsec_QUJDREVGRw==") == nil || Standard.CheckSecret("whsec_this is not-base64-at-all!") == nil || Standard.CheckSecret("whsec_thisisnotbase64!!") == nil {
		t.Error("a key that is not base64 was accepted")
	}
	for name, fine := range map[string]bool{"deploy": true, "a-b_9": true, "": false, "Deploy": false, "a/b": false, "a.b": false, "..": false, "ä": false, strings.Repeat("a", longestName+1): false} {
		if (CheckName(name) == nil) != fine {
			t.Errorf("CheckName(%q): %v", name, CheckName(name))
		}
	}
}

// FuzzHeaders sends anything as headers: without the secret nothing is accepted, and nothing panics.
func FuzzHeaders(f *testing.F) {
	for _, v := range vectors {
		f.Add(v.body, strings.Join(v.headers, "\n"), v.at)
	}
	f.Add("b", Header+": t=1,id=a,v1="+hex.EncodeToString(sum("", "1.a.b")), int64(1))
	f.Fuzz(func(t *testing.T, body, headers string, at int64) {
		r := request(body, strings.Split(headers, "\n")...)
		for _, name := range Schemes {
			d, why := Scheme(name).Check([]string{"a secret that no corpus has", "whsec_", "whsec_QUJD"}, r, time.Unix(at, 0))
			if why == "" && name != string(GitLab) {
				t.Errorf("%s accepted %q", name, headers)
			}
			if len(d.Event) > longestID || len(d.Challenge) > longestID || strings.ContainsAny(d.Event, "$`\"'\\;&|<>\n\x1b") {
				t.Errorf("%s: harmful text in %+v", name, d)
			}
		}
		for _, v := range vectors { // what is accepted with the right secret is one of ours
			if _, why := v.scheme.Check([]string{v.secret}, r, time.Unix(v.at, 0)); why == "" && v.scheme != GitLab && !signedByUs(v, body) {
				t.Errorf("%s accepted %q", v.name, headers)
			}
		}
	})
}

// signedByUs reports whether a body is one that a vector with the secret of v signs.
func signedByUs(v vector, body string) bool {
	return slices.ContainsFunc(vectors, func(o vector) bool { return o.scheme == v.scheme && o.secret == v.secret && o.body == body })
}
