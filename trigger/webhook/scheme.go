// Package webhook checks deliveries of webhooks: their signatures and ages, and the ids by which a repeated delivery is
// recognized. It does no I/O and reads no clock.
package webhook

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Scheme is how a sender proves that a delivery is its own.
type Scheme string

// The schemes. All but GitLab sign the bytes of the body with HMAC-SHA256.
const (
	WF       Scheme = "wf"       // our own: time, id and body are signed
	GitHub   Scheme = "github"   // X-Hub-Signature-256: the body alone is signed
	GitLab   Scheme = "gitlab"   // X-Gitlab-Token: the secret itself; nothing is signed
	Slack    Scheme = "slack"    // X-Slack-Signature: time and body are signed
	Stripe   Scheme = "stripe"   // Stripe-Signature: time and body are signed
	Standard Scheme = "standard" // webhook-signature of standardwebhooks.com: id, time and body are signed
)

// Schemes are the names of all schemes. The first is the default.
var Schemes = []string{string(WF), string(GitHub), string(GitLab), string(Slack), string(Stripe), string(Standard)}

// Tolerance is the largest difference between the time of a signature and the clock of this machine, in both directions.
const Tolerance = 5 * time.Minute

// A Reason is why a request is no authentic delivery. There are few of them, so that they can be counted.
type Reason string

// The reasons.
const (
	Unsigned  Reason = "no signature"
	Malformed Reason = "a malformed signature"
	Wrong     Reason = "a wrong signature"
	Old       Reason = "too old" // or more than Tolerance in the future
	NoSecret  Reason = "the hook has no secret"
)

// A Request is a request of a sender.
type Request struct {
	// Header returns all values of a header, whose name is in canonical form.
	Header func(name string) []string
	Body   []byte
}

// A Delivery is what an authentic request delivers.
type Delivery struct {
	// IDs are hashes that identify the delivery: if one of them is known, it was sent before. There is at least one.
	IDs []string
	// Event is the kind of event that the sender names, in harmless characters; "" if it names none. GitHub and GitLab do not
	// sign it.
	Event string
	// Challenge is the text that Slack expects in the answer to the test of a new URL, which starts no run; "" = none.
	Challenge string
	// Ping is set for the test of a new hook of GitHub, which starts no run.
	Ping bool
}

// longestID bounds ids and names of events, in bytes.
const longestID = 200

// Check checks a request against the secrets that are valid now. It returns the delivery, or the reason why the request is
// not authentic. Its time does not depend on how much of a signature is right.
func (s Scheme) Check(secrets []string, r Request, now time.Time) (Delivery, Reason) {
	if len(secrets) == 0 {
		return Delivery{}, NoSecret
	}
	switch s {
	case GitHub:
		return r.github(secrets)
	case GitLab:
		return r.gitlab(secrets)
	case Slack:
		return r.slack(secrets, now)
	case Stripe:
		return r.stripe(secrets, now)
	case Standard:
		return r.standard(secrets, now)
	}
	return r.own(secrets, now)
}

// Given reports whether the sender makes the secret, so that it has to be copied from there.
func (s Scheme) Given() bool { return s == Slack || s == Stripe }

// SecretBytes is the number of random bytes of a secret that is made here.
const SecretBytes = 32

// standardPrefix begins the secrets of Standard; the key follows in base64.
const standardPrefix = "whsec_"

// Secret returns the secret with random bytes in the form that senders of this scheme use.
func (s Scheme) Secret(random [SecretBytes]byte) string {
	if s == Standard {
		return standardPrefix + base64.StdEncoding.EncodeToString(random[:])
	}
	return hex.EncodeToString(random[:])
}

// Limits of secrets that people choose, in bytes.
const (
	shortestSecret = 16
	longestSecret  = 500
)

// CheckSecret returns what is wrong with a secret.
func (s Scheme) CheckSecret(secret string) error {
	switch {
	case len(secret) < shortestSecret:
		return fmt.Errorf("the secret has %d characters; at least %d are needed", len(secret), shortestSecret)
	case len(secret) > longestSecret:
		return fmt.Errorf("the secret has %d characters; at most %d are possible", len(secret), longestSecret)
	case strings.ContainsFunc(secret, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("the secret contains a blank, or a character that is not ASCII")
	}
	if s == Standard {
		if _, err := standardKey(secret); err != nil {
			return fmt.Errorf("the secret must be %sBASE64: %w", standardPrefix, err)
		}
	}
	return nil
}

// longestName bounds the name of a hook, in bytes.
const longestName = 64

// CheckName returns what is wrong with the name of a hook, which is part of its URL and of names of files.
func CheckName(name string) error {
	switch {
	case name == "":
		return errors.New("webhook needs a name; write webhook: deploy")
	case len(name) > longestName:
		return fmt.Errorf("the name of the webhook has %d characters; at most %d are possible", len(name), longestName)
	case strings.ContainsFunc(name, func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789-_", r) }):
		return fmt.Errorf("the name %q of the webhook has other characters than a-z, 0-9, - and _", name)
	}
	return nil
}

// Known reports whether s is the name of a scheme.
func Known(s string) bool { return slices.Contains(Schemes, s) }
