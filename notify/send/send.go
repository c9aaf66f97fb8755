// Package send sends a notification once: to a command, by mail, to an address, to an ntfy server or to the desktop. Every
// attempt is bounded in time and in what it reads, whatever the other side does. Package outbox decides when to try again.
package send

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"wf/api"
	"wf/executor"
	"wf/notify"
	"wf/notify/outbox"
	"wf/tui/plain"
)

// Config is what the user's configuration says about destinations.
type Config struct {
	Mail  MailServer
	Named map[string]Named // by name, without @
}

// Named is a destination of the configuration.
type Named struct {
	To    string // as in a line
	Key   []byte // signs what is posted; nil = it is not signed
	Token string // "Authorization: Bearer"; "" = none
	CA    string // as that of MailServer
}

// A Sender sends messages. Its fields must not change.
type Sender struct {
	// Config returns the configuration. It is read for each message, so that a change counts without a restart.
	Config func() (Config, error)
	// Run runs a command.
	Run     func(ctx context.Context, q executor.Question) ([]byte, error)
	Version string // of wf, for servers
}

// Limits of one attempt.
const (
	commandTime = 25 * time.Second // less than an attempt, so that the error says what took too long
	mostAnswer  = 1 << 10          // bytes that are read of an answer
	mostHeader  = 16 << 10         // bytes of the headers of an answer
	mostTalk    = 64 << 10         // bytes that a mail server may say
	mostNtfy    = 3500             // bytes of a text: ntfy makes a file of more than 4096
	mostDesktop = 300              // bytes of a text on the desktop
)

// Send sends a message. It returns what the destination answered, as one line that is safe to show, like the errors. Errors are
// *outbox.Failure.
func (s *Sender) Send(ctx context.Context, m notify.Message) (answer string, err error) {
	answer, err = s.send(ctx, m)
	if err != nil {
		f := outbox.Failure{Err: err}
		if said := (*outbox.Failure)(nil); errors.As(err, &said) {
			f = *said
		}
		f.Err = errors.New(plain.Line(f.Err.Error()))
		return "", &f
	}
	return plain.Line(answer), nil
}

func (s *Sender) send(ctx context.Context, m notify.Message) (answer string, err error) {
	d, err := notify.ParseDestination(m.To)
	if err != nil {
		return "", never(err)
	}
	c, err := s.Config()
	if err != nil {
		return "", err
	}
	n, err := c.find(&d)
	if err != nil {
		return "", err
	}
	switch d.Kind {
	case notify.Exec:
		answer, err = s.exec(ctx, d.Text, m)
	case notify.Mail:
		answer, err = s.mail(ctx, c.Mail, d.Text, m)
	case notify.HTTP:
		answer, err = s.post(ctx, d.Text, n, m)
	case notify.Ntfy:
		answer, err = s.ntfy(ctx, d.Text, n, m)
	case notify.Desktop:
		answer, err = s.desktop(ctx, m)
	}
	return answer, err
}

// Roots returns the authorities that the machine trusts and those of a file of PEM certificates. It returns nil, which stands for
// those of the machine, if the text is empty.
func Roots(pem string) (*x509.CertPool, error) {
	if pem == "" {
		return nil, nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		return nil, err
	}
	if !pool.AppendCertsFromPEM([]byte(pem)) {
		return nil, errors.New("the file has no certificate; it must be in the form PEM, with lines BEGIN CERTIFICATE")
	}
	return pool, nil
}

// never returns an error after which no attempt makes sense.
func never(err error) error { return &outbox.Failure{Err: err, Never: true} }

// find replaces a name by its destination, and returns what the configuration says about it.
func (c Config) find(d *notify.Destination) (Named, error) {
	if d.Kind != notify.Named {
		for _, name := range slices.Sorted(maps.Keys(c.Named)) {
			if n := c.Named[name]; n.To == d.String() {
				return n, nil
			}
		}
		return Named{}, nil
	}
	n, known := c.Named[d.Text]
	if !known {
		return n, never(fmt.Errorf("your configuration has no destination %s: add [destination.%s] with to = \"…\", then wf notify retry", d.Text, d.Text))
	}
	var err error
	if *d, err = notify.ParseDestination(n.To); err == nil && d.Kind == notify.Named {
		err = errors.New("a destination cannot lead to another one")
	}
	if err != nil {
		return n, never(fmt.Errorf("[destination.%s]: %w", d.Text, err))
	}
	return n, nil
}

// exec runs a command with the notification in its environment and, as JSON, in its input.
func (s *Sender) exec(ctx context.Context, command string, m notify.Message) (string, error) {
	input, err := json.Marshal(m.Notification)
	if err != nil {
		return "", never(err)
	}
	out, err := s.Run(ctx, executor.Question{Command: command, Cwd: dirOf(m), Env: append(environment(m), Variables(m.Notification)...),
		Input: append(input, '\n'), Limit: mostAnswer, Cut: true, Time: commandTime})
	return string(out), err
}

// Variables returns the environment variables that describe a notification to a command.
func Variables(n api.Notification) []string {
	failed := ""
	if n.Failed != nil {
		failed = n.Failed.Name
	}
	return []string{"WF_WORKFILE=" + n.Workfile, "WF_RUN_ID=" + n.Run, "WF_NOTIFY_ID=" + n.ID, "WF_NOTIFY_EVENT=" + string(n.Event),
		"WF_NOTIFY_TITLE=" + n.Title, "WF_NOTIFY_TEXT=" + n.Text, "WF_NOTIFY_RESULT=" + string(n.Result), "WF_NOTIFY_NODE=" + failed}
}

// dirOf returns the folder in which a command of a message runs.
func dirOf(m notify.Message) string {
	if info, err := os.Stat(m.Dir); err == nil && info.IsDir() {
		return m.Dir
	}
	return "/"
}

// environment returns the environment of a command. A run without PATH has the usual one.
func environment(m notify.Message) []string {
	env := slices.Clone(m.Env)
	if !slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, "PATH=") }) {
		env = append(env, "PATH=/usr/local/bin:/usr/bin:/bin")
	}
	return env
}

// desktop shows the title and the beginning of the text.
func (s *Sender) desktop(ctx context.Context, m notify.Message) (string, error) {
	body := ""
	if f := m.Notification.Failed; f != nil && len(f.Lines) > 0 {
		body = f.Lines[len(f.Lines)-1]
	} else if len(m.Notification.Commands) > 0 {
		body = m.Notification.Commands[0].Line
	}
	if len(body) > mostDesktop {
		body = strings.ToValidUTF8(body[:mostDesktop], "") + "…"
	}
	command := `exec notify-send --app-name=wf -- "$WF_NOTIFY_TITLE" "$WF_NOTIFY_BODY"`
	if runtime.GOOS == "darwin" {
		command = `exec osascript -e 'on run argv' -e 'display notification (item 3 of argv) with title (item 2 of argv)' -e 'end run' wf "$WF_NOTIFY_TITLE" "$WF_NOTIFY_BODY"`
	} else {
		body = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(body) // the body is markup there
	}
	out, err := s.Run(ctx, executor.Question{Command: command, Cwd: "/", Env: append(environment(m),
		"WF_NOTIFY_TITLE="+m.Notification.Title, "WF_NOTIFY_BODY="+body), Limit: mostAnswer, Cut: true, Time: commandTime})
	if err != nil && strings.Contains(err.Error(), "exit status 127") {
		err = never(errors.New("notify-send is not installed: it belongs to libnotify"))
	}
	return string(out), err
}

// failed returns the error for an answer of an HTTP server, nil if it took the message.
func failed(resp *http.Response, said string) error {
	code := resp.StatusCode
	text := "it answers " + resp.Status
	if said != "" {
		text += ": " + said
	}
	err := &outbox.Failure{Err: errors.New(plain.Line(text))}
	switch {
	case code >= 200 && code < 300:
		return nil
	case code >= 300 && code < 400:
		err.Err = fmt.Errorf("it redirects to %s: use that address if it is the right one", plain.Line(resp.Header.Get("Location")))
		err.Never = true
	case code == http.StatusRequestTimeout, code == http.StatusTooEarly, code == http.StatusTooManyRequests, code >= 500:
		err.After = retryAfter(resp.Header.Get("Retry-After"))
	default:
		err.Never = true
	}
	return err
}

// retryAfter reads a header with seconds; 0 for none, or for a date.
func retryAfter(text string) time.Duration {
	d, err := time.ParseDuration(strings.TrimSpace(text) + "s")
	if err != nil || d < 0 {
		return 0
	}
	return d
}
