package send

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/smtp"
	"net/textproto"
	"os"
	"os/user"
	"slices"
	"strings"
	"time"

	"wf/executor"
	"wf/notify"
	"wf/notify/outbox"
	"wf/tui/plain"
)

// MailServer is the [mail] table of the configuration. Without a server, the program sendmail takes the mail.
type MailServer struct {
	Server   string // HOST or HOST:PORT
	Security string // one of the Security words; "" = by the port
	User     string // "" = without a login
	Password string
	From     string // "" = USER@HOST
	CA       string // PEM certificates of authorities that are trusted beside those of the machine
}

// How the connection to a mail server is secured.
const (
	SecurityStartTLS = "starttls" // port 587 and others
	SecurityTLS      = "tls"      // port 465
	SecurityNone     = "none"     // loopback
)

// mail sends a mail to addresses.
func (s *Sender) mail(ctx context.Context, server MailServer, addresses string, m notify.Message) (string, error) {
	var to []string
	for address := range strings.SplitSeq(addresses, ",") {
		to = append(to, strings.TrimSpace(address))
	}
	host, _ := os.Hostname() // "" if the machine has no name
	if host == "" {
		host = "localhost"
	}
	from := server.From
	if from == "" {
		from = userName() + "@" + host
	}
	text := compose(from, to, host, m)
	if server.Server == "" {
		return s.sendmail(ctx, text, m)
	}
	return s.smtp(ctx, server, host, from, to, text)
}

func userName() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "wf"
}

// compose returns a mail with its headers. Title and text contain no control characters.
func compose(from string, to []string, host string, m notify.Message) []byte {
	var b bytes.Buffer
	n := m.Notification
	for _, h := range [][2]string{
		{"From", from}, {"To", strings.Join(to, ", ")}, {"Subject", mime.QEncoding.Encode("utf-8", plain.Line(n.Title))},
		{"Date", n.Time.Local().Format(time.RFC1123Z)}, {"Message-ID", "<" + n.ID + "@" + host + ">"},
		{"Auto-Submitted", "auto-generated"}, {"X-WF-Event", string(n.Event)}, {"X-WF-ID", n.ID},
		{"MIME-Version", "1.0"}, {"Content-Type", "text/plain; charset=utf-8"}, {"Content-Transfer-Encoding", "quoted-printable"},
	} {
		fmt.Fprintf(&b, "%s: %s\r\n", h[0], h[1])
	}
	b.WriteString("\r\n")
	w := quotedprintable.NewWriter(&b)
	_, _ = io.WriteString(w, strings.ReplaceAll(n.Text, "\n", "\r\n")) // a buffer returns no error
	_ = w.Close()
	return b.Bytes()
}

// sendmail hands a mail to the program of this name. It reads the recipients from the headers, so that nothing of the message
// is in its arguments.
func (s *Sender) sendmail(ctx context.Context, text []byte, m notify.Message) (string, error) {
	env := environment(m)
	for i, v := range env {
		if strings.HasPrefix(v, "PATH=") {
			env[i] = v + ":/usr/sbin:/usr/lib:/usr/local/sbin"
		}
	}
	q := executor.Question{Command: "exec sendmail -i -t", Cwd: "/", Env: env, Limit: mostAnswer, Cut: true, Time: commandTime,
		Input: bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))}
	out, err := s.Run(ctx, q)
	if err != nil && strings.Contains(err.Error(), "exit status 127") {
		err = never(errors.New("there is no sendmail here: name a mail server in your configuration, as [mail] server = \"smtp.example.org:587\""))
	}
	return string(out), err
}

// smtp sends a mail to a server.
func (s *Sender) smtp(ctx context.Context, server MailServer, host, from string, to []string, text []byte) (string, error) {
	name, port, err := net.SplitHostPort(server.Server)
	if err != nil {
		name, port = server.Server, "587"
	}
	security := server.Security
	if security == "" {
		security = SecurityStartTLS
		if port == "465" {
			security = SecurityTLS
		}
	}
	roots, err := Roots(server.CA)
	if err != nil {
		return "", err
	}
	raw, err := (&net.Dialer{Timeout: 10 * time.Second}).DialContext(ctx, "tcp", net.JoinHostPort(name, port))
	if err != nil {
		return "", err
	}
	defer raw.Close()
	stop := context.AfterFunc(ctx, func() { raw.Close() })
	defer stop()
	secured := &tls.Config{ServerName: name, RootCAs: roots}
	var conn net.Conn = &quietConn{Conn: raw, left: mostTalk}
	if security == SecurityTLS {
		conn = tls.Client(conn, secured)
	}
	c, err := smtp.NewClient(conn, name)
	if err != nil {
		return "", smtpError(ctx, err)
	}
	defer c.Close()
	return "", smtpError(ctx, talk(c, server, security, secured, host, from, to, text))
}

// talk is the conversation with a mail server after its greeting.
func talk(c *smtp.Client, server MailServer, security string, secured *tls.Config, host, from string, to []string, text []byte) error {
	if err := c.Hello(host); err != nil {
		return err
	}
	if security == SecurityStartTLS {
		if ok, _ := c.Extension("STARTTLS"); !ok {
			return never(errors.New("the mail server has no STARTTLS: with security = \"tls\" or \"none\" in [mail] it is not needed"))
		}
		if err := c.StartTLS(secured); err != nil {
			return err
		}
	}
	if server.User != "" {
		if err := c.Auth(smtp.PlainAuth("", server.User, server.Password, secured.ServerName)); err != nil {
			return fmt.Errorf("login as %s: %w", server.User, err)
		}
	}
	if err := c.Mail(address(from)); err != nil {
		return err
	}
	for _, a := range to {
		if err := c.Rcpt(a); err != nil {
			return fmt.Errorf("%s: %w", a, err)
		}
	}
	w, err := c.Data()
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	if err = errors.Join(err, w.Close()); err != nil {
		return err
	}
	_ = c.Quit() // the server has taken the mail
	return nil
}

// address returns the bare address of "Name <address>".
func address(text string) string {
	if _, rest, ok := strings.Cut(text, "<"); ok {
		return strings.TrimSuffix(strings.TrimSpace(rest), ">")
	}
	return text
}

// smtpError makes the error of a conversation with a mail server safe to show. What the server refuses for good is not tried
// again.
func smtpError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var said *textproto.Error
	if errors.As(err, &said) {
		final := said.Code >= 500 && !slices.Contains([]int{530, 534, 535, 538}, said.Code) // a login can be mended
		text := strings.Replace(err.Error(), said.Error(), fmt.Sprintf("%d %s", said.Code, said.Msg), 1)
		return &outbox.Failure{Err: errors.New("the mail server says: " + plain.Line(text)), Never: final}
	}
	return err
}

// A quietConn is a connection from which only a number of bytes can be read: package smtp reads lines of any length.
type quietConn struct {
	net.Conn
	left int
}

func (c *quietConn) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errors.New("the mail server says too much")
	}
	n, err := c.Conn.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}
