package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// one returns the only value of a header.
func (r Request) one(name string) (string, Reason) {
	switch values := r.Header(name); len(values) {
	case 0:
		return "", Unsigned
	case 1:
		return values[0], ""
	}
	return "", Malformed
}

// github checks X-Hub-Signature-256. Neither the id nor the event are signed, so a body that was delivered under another id
// counts as repeated, too: otherwise who has recorded a delivery could repeat it.
func (r Request) github(secrets []string) (Delivery, Reason) {
	text, why := r.one("X-Hub-Signature-256")
	if why != "" {
		return Delivery{}, why
	}
	given, ok := hexSum(text, "sha256=")
	if !ok {
		return Delivery{}, Malformed
	}
	if !signed(secrets, plainKey, [][]byte{given}, r.Body) {
		return Delivery{}, Wrong
	}
	d := Delivery{Event: r.event("X-Github-Event"), IDs: []string{digest(GitHub, "body", r.Body)}}
	d.Ping = d.Event == "ping"
	if id, why := r.one("X-Github-Delivery"); why == "" && id != "" && len(id) <= longestID {
		d.IDs = append([]string{digest(GitHub, "id", []byte(id))}, d.IDs...)
	}
	return d, ""
}

// gitlab checks X-Gitlab-Token. Retries have the same Idempotency-Key. Without one, as in old versions, an event is known by
// X-Gitlab-Event-UUID together with the body, because events that follow from others share this id.
func (r Request) gitlab(secrets []string) (Delivery, Reason) {
	token, why := r.one("X-Gitlab-Token")
	if why != "" {
		return Delivery{}, why
	}
	equal := 0
	for _, s := range secrets {
		a, b := sha256.Sum256([]byte(s)), sha256.Sum256([]byte(token)) // of the same length
		equal |= subtle.ConstantTimeCompare(a[:], b[:])
	}
	if equal == 0 {
		return Delivery{}, Wrong
	}
	d := Delivery{Event: r.event("X-Gitlab-Event")}
	for _, name := range []string{"Idempotency-Key", "Webhook-Id", "X-Gitlab-Webhook-Uuid"} {
		if id, why := r.one(name); why == "" && id != "" && len(id) <= longestID {
			d.IDs = []string{digest(GitLab, name, []byte(id))}
			return d, ""
		}
	}
	id, _ := r.one("X-Gitlab-Event-Uuid")
	d.IDs = []string{digest(GitLab, "body", []byte(id), r.Body)}
	return d, ""
}

// slack checks X-Slack-Signature.
func (r Request) slack(secrets []string, now time.Time) (Delivery, Reason) {
	text, why := r.one("X-Slack-Signature")
	at, whyNot := r.one("X-Slack-Request-Timestamp")
	if why != "" || whyNot != "" {
		return Delivery{}, worse(why, whyNot)
	}
	given, ok := hexSum(text, "v0=")
	seconds, isTime := unixTime(at)
	switch {
	case !ok || !isTime:
		return Delivery{}, Malformed
	case !signed(secrets, plainKey, [][]byte{given}, []byte("v0:"+at+":"), r.Body):
		return Delivery{}, Wrong
	case old(seconds, now):
		return Delivery{}, Old
	}
	body := members(r.Body)
	d := Delivery{Event: harmless(textOf(body["type"])), IDs: []string{digest(Slack, "signed", []byte(at), r.Body)}}
	if d.Event == "url_verification" {
		if d.Challenge = textOf(body["challenge"]); len(d.Challenge) > longestID {
			d.Challenge = ""
		}
	}
	if id := textOf(body["event_id"]); id != "" {
		d.IDs = []string{digest(Slack, "id", []byte(id))}
	}
	if inner := textOf(members(body["event"])["type"]); inner != "" {
		d.Event = harmless(inner)
	}
	return d, ""
}

// stripe checks Stripe-Signature: t=TIME,v1=SUM. There may be several sums, of which one has to be right.
func (r Request) stripe(secrets []string, now time.Time) (Delivery, Reason) {
	text, why := r.one("Stripe-Signature")
	if why != "" {
		return Delivery{}, why
	}
	f, ok := readFields(text)
	at, sums := f.only("t"), f.sums("v1")
	seconds, isTime := unixTime(at)
	switch {
	case !ok || !isTime || len(sums) == 0:
		return Delivery{}, Malformed
	case !signed(secrets, plainKey, sums, []byte(at+"."), r.Body):
		return Delivery{}, Wrong
	case old(seconds, now):
		return Delivery{}, Old
	}
	body := members(r.Body)
	d := Delivery{Event: harmless(textOf(body["type"])), IDs: []string{digest(Stripe, "signed", []byte(at), r.Body)}}
	if id := textOf(body["id"]); id != "" {
		d.IDs = []string{digest(Stripe, "id", []byte(id))}
	}
	return d, ""
}

// standard checks webhook-signature: v1,SUM, several of them with blanks in between.
func (r Request) standard(secrets []string, now time.Time) (Delivery, Reason) {
	text, why := r.one("Webhook-Signature")
	at, noTime := r.one("Webhook-Timestamp")
	id, noID := r.one("Webhook-Id")
	if why != "" || noTime != "" || noID != "" {
		return Delivery{}, worse(why, noTime, noID)
	}
	var sums [][]byte
	for i, part := range strings.Fields(text) {
		if encoded, ok := strings.CutPrefix(part, "v1,"); ok && i < mostFields {
			if sum, err := base64.StdEncoding.DecodeString(encoded); err == nil && len(sum) == sha256.Size {
				sums = append(sums, sum)
			}
		}
	}
	seconds, isTime := unixTime(at)
	switch {
	case !isTime || !validID(id) || len(sums) == 0:
		return Delivery{}, Malformed
	case !signed(secrets, standardKey, sums, []byte(id+"."+at+"."), r.Body):
		return Delivery{}, Wrong
	case old(seconds, now):
		return Delivery{}, Old
	}
	return Delivery{Event: harmless(textOf(members(r.Body)["type"])), IDs: []string{digest(Standard, "id", []byte(id))}}, ""
}

// Header is the header of our own scheme: t=TIME,id=ID,v1=SUM, where TIME is in seconds of Unix and SUM is the hexadecimal
// HMAC-SHA256 of TIME.ID.BODY. A delivery that is sent again has the same id.
const Header = "Wf-Signature"

// own checks Header.
func (r Request) own(secrets []string, now time.Time) (Delivery, Reason) {
	text, why := r.one(Header)
	if why != "" {
		return Delivery{}, why
	}
	f, ok := readFields(text)
	at, id, sums := f.only("t"), f.only("id"), f.sums("v1")
	seconds, isTime := unixTime(at)
	switch {
	case !ok || !isTime || !validID(id) || len(sums) == 0:
		return Delivery{}, Malformed
	case !signed(secrets, plainKey, sums, []byte(at+"."+id+"."), r.Body):
		return Delivery{}, Wrong
	case old(seconds, now):
		return Delivery{}, Old
	}
	return Delivery{IDs: []string{digest(WF, "id", []byte(id))}}, ""
}

// worse returns the reason to report of several: a missing header is worse than a repeated one.
func worse(reasons ...Reason) Reason {
	worst := Reason("")
	for _, r := range reasons {
		if r == Unsigned || worst == "" {
			worst = r
		}
	}
	return worst
}

// A field is a part KEY=VALUE of a header.
type field struct{ key, value string }

type fields []field

// mostFields bounds the parts of a header that are read.
const mostFields = 20

// readFields reads KEY=VALUE,KEY=VALUE.
func readFields(text string) (list fields, ok bool) {
	for part := range strings.SplitSeq(text, ",") {
		key, value, found := strings.Cut(strings.TrimSpace(part), "=")
		if !found || len(list) == mostFields {
			return nil, false
		}
		list = append(list, field{key, value})
	}
	return list, true
}

// only returns the value of a key that occurs once, "" otherwise.
func (f fields) only(key string) (value string) {
	count := 0
	for _, part := range f {
		if part.key == key {
			value = part.value
			count++
		}
	}
	if count != 1 {
		return ""
	}
	return value
}

// sums returns the values of a key that are hexadecimal sums.
func (f fields) sums(key string) (list [][]byte) {
	for _, part := range f {
		if sum, ok := hexSum(part.value, ""); ok && part.key == key {
			list = append(list, sum)
		}
	}
	return list
}

// hexSum decodes a sum in hexadecimal digits behind a prefix.
func hexSum(text, prefix string) ([]byte, bool) {
	digits, ok := strings.CutPrefix(text, prefix)
	sum, err := hex.DecodeString(digits)
	return sum, ok && err == nil && len(sum) == sha256.Size
}

// unixTime reads a time of decimal digits alone.
func unixTime(text string) (seconds int64, ok bool) {
	if text == "" || len(text) > 12 || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	return seconds, err == nil
}

// old reports whether a signature is too old, or too far in the future.
func old(seconds int64, now time.Time) bool {
	return now.Sub(time.Unix(seconds, 0)).Abs() > Tolerance
}

// validID reports whether an id stands in a signed text without doubt: a dot would move the border to the body.
func validID(id string) bool {
	return id != "" && len(id) <= longestID && !strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' || r == '.' || r == ',' })
}

func plainKey(secret string) ([]byte, error) { return []byte(secret), nil }

// shortestKey is the smallest number of bytes in a secret of Standard.
const shortestKey = 16

func standardKey(secret string) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, standardPrefix))
	if err == nil && len(key) < shortestKey {
		err = fmt.Errorf("it has %d bytes; at least %d are needed", len(key), shortestKey)
	}
	return key, err
}

// signed reports whether one of the sums is that of the parts with one of the secrets. It tries all of them in any case.
func signed(secrets []string, key func(string) ([]byte, error), sums [][]byte, parts ...[]byte) bool {
	right := 0
	for _, secret := range secrets {
		k, err := key(secret)
		if err != nil {
			continue // not a secret of this scheme
		}
		mac := hmac.New(sha256.New, k)
		for _, p := range parts {
			mac.Write(p)
		}
		want := mac.Sum(nil)
		for _, sum := range sums {
			right |= subtle.ConstantTimeCompare(want, sum)
		}
	}
	return right == 1
}

// digest returns the hash of an id.
func digest(s Scheme, kind string, parts ...[]byte) string {
	h := sha256.New()
	h.Write([]byte(s))
	for _, p := range append([][]byte{[]byte(kind)}, parts...) {
		h.Write([]byte{0})
		sum := sha256.Sum256(p) // so that parts cannot run together
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// members returns the members of a JSON object, nil if the text is none.
func members(text []byte) (list map[string]json.RawMessage) {
	if json.Unmarshal(text, &list) != nil {
		return nil
	}
	return list
}

// textOf returns a JSON string, "" if it is something else.
func textOf(value json.RawMessage) (text string) {
	if json.Unmarshal(value, &text) != nil {
		return ""
	}
	return text
}

// event returns the value of a header that names the event.
func (r Request) event(name string) string {
	value, _ := r.one(name)
	return harmless(value)
}

// harmless returns a name of an event if it is made of characters that no shell and no terminal interprets, otherwise "".
func harmless(name string) string {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ._:/-"
	if len(name) > longestID || strings.Trim(name, allowed) != "" || strings.HasPrefix(name, "-") {
		return ""
	}
	return name
}
