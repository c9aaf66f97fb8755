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
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"wf/api"
	"wf/notify"
	"wf/tui/plain"
)

// client returns a client for one request. It follows no redirections, because the message would go where nobody has sent it,
// and keeps no connection.
func client(n Named) (*http.Client, error) {
	roots, err := Roots(n.CA)
	if err != nil {
		return nil, err
	}
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{DisableKeepAlives: true, MaxResponseHeaderBytes: mostHeader, TLSHandshakeTimeout: 10 * time.Second,
			TLSClientConfig: &tls.Config{RootCAs: roots}, DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext},
	}, nil
}

// post sends the notification as JSON.
func (s *Sender) post(ctx context.Context, address string, n Named, m notify.Message) (string, error) {
	body, err := json.Marshal(m.Notification)
	if err != nil {
		return "", never(err)
	}
	headers := http.Header{}
	if n.Key != nil {
		sign(headers, n.Key, m.ID(), time.Now(), body)
	}
	return s.request(ctx, address, n, m, body, headers)
}

// sign adds signatures of a body: that of standardwebhooks.com, which covers the ID and the time, and the one of GitHub, which
// many servers understand.
func sign(h http.Header, key []byte, id string, now time.Time, body []byte) {
	secret := key
	if text, ok := strings.CutPrefix(string(key), "whsec_"); ok {
		if raw, err := base64.StdEncoding.DecodeString(text); err == nil {
			secret = raw
		}
	}
	at := strconv.FormatInt(now.Unix(), 10)
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(id + "." + at + "."))
	mac.Write(body)
	h.Set("Webhook-Timestamp", at)
	h.Set("Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	mac = hmac.New(sha256.New, key)
	mac.Write(body)
	h.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
}

// request posts JSON and reads the beginning of the answer.
func (s *Sender) request(ctx context.Context, address string, n Named, m notify.Message, body []byte, headers http.Header) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return "", never(hideAddress(err))
	}
	req.Header = headers
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "wf/"+s.Version)
	req.Header.Set("Webhook-Id", m.ID())
	if n.Token != "" {
		req.Header.Set("Authorization", "Bearer "+n.Token)
	}
	c, err := client(n)
	if err != nil {
		return "", err
	}
	resp, err := c.Do(req)
	if err != nil {
		return "", hideAddress(err)
	}
	defer resp.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(resp.Body, mostAnswer)) // the status says whether it took the message
	line := plain.Line(string(said))
	return strings.TrimSpace(resp.Status + " " + line), failed(resp, line)
}

// hideAddress removes the address from an error: it may contain a secret, and errors are logged.
func hideAddress(err error) error {
	var e *url.Error
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// ntfyServer has the topics without a server.
const ntfyServer = "https://ntfy.sh"

// ntfy publishes a message in a topic.
func (s *Sender) ntfy(ctx context.Context, topic string, n Named, m notify.Message) (string, error) {
	server := ntfyServer
	if u, err := url.Parse(topic); err == nil && u.Host != "" {
		server, topic = u.Scheme+"://"+u.Host, strings.Trim(u.Path, "/")
	}
	text := m.Notification.Text
	if _, rest, cut := strings.Cut(text, "\n\n"); cut { // the title is the first line of the text
		text = rest
	}
	if len(text) > mostNtfy {
		text = strings.ToValidUTF8(text[:mostNtfy], "") + "…"
	}
	message := struct {
		Topic    string   `json:"topic"`
		Title    string   `json:"title"`
		Message  string   `json:"message"`
		Tags     []string `json:"tags,omitempty"`
		Priority int      `json:"priority,omitempty"`
	}{Topic: topic, Title: m.Notification.Title, Message: text}
	switch m.Notification.Event {
	case api.NotifyFailure:
		message.Tags, message.Priority = []string{"x"}, 4
	case api.NotifySuccess, api.NotifyRecovered:
		message.Tags = []string{"white_check_mark"}
	case api.NotifyWaiting:
		message.Tags, message.Priority = []string{"question"}, 4
	}
	body, err := json.Marshal(message)
	if err != nil {
		return "", never(err)
	}
	return s.request(ctx, server, n, m, body, http.Header{})
}
