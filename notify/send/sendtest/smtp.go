// Package sendtest has a mail server for tests. It takes mails, refuses recipients, and can be slow, hostile or secured.
package sendtest

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
)

// A MailServer listens on a loopback port. Its fields must be set before Start.
type MailServer struct {
	TLS      *tls.Config // offers STARTTLS; nil = it does not
	Wrapped  bool        // TLS from the beginning
	User     string      // needs a login with this name and Password; "" = none
	Password string
	Refuse   string       // refuses this recipient
	Talk     io.Reader    // said to each client instead of a conversation; nil = none
	Silent   bool         // says nothing
	Taken    func(m Mail) // called for each mail; may be nil

	listener net.Listener
	mu       sync.Mutex
	mails    []Mail
	clients  sync.WaitGroup
	ended    chan struct{}
}

// A Mail is a mail that the server took.
type Mail struct {
	From string
	To   []string
	Text string // with headers
	Safe bool   // it came through TLS
	User string // who logged in
}

// Start starts the server and returns its address.
func (s *MailServer) Start(address string) (string, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return "", err
	}
	s.listener, s.ended = l, make(chan struct{})
	s.clients.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.clients.Go(func() {
				defer c.Close()
				s.serve(c)
			})
		}
	})
	return l.Addr().String(), nil
}

// Close ends the server.
func (s *MailServer) Close() {
	close(s.ended)
	s.listener.Close()
	s.clients.Wait()
}

// Mails returns the mails that the server took.
func (s *MailServer) Mails() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Mail(nil), s.mails...)
}

// serve talks with a client.
func (s *MailServer) serve(c net.Conn) {
	over := make(chan struct{})
	defer close(over)
	s.clients.Go(func() {
		select {
		case <-s.ended:
			c.Close()
		case <-over:
		}
	})
	switch {
	case s.Silent:
		<-s.ended
		return
	case s.Talk != nil:
		_, _ = io.Copy(c, s.Talk) // the client hangs up
		return
	}
	if s.Wrapped {
		c = tls.Server(c, s.TLS)
	}
	t := &talk{server: s, conn: c, lines: bufio.NewReader(c), mail: Mail{Safe: s.Wrapped}}
	t.say("220 mail.test ready")
	for t.step() {
	}
}

// A talk is the conversation with one client.
type talk struct {
	server *MailServer
	conn   net.Conn
	lines  *bufio.Reader
	mail   Mail
}

func (t *talk) say(text string) { fmt.Fprintf(t.conn, "%s\r\n", text) }

// step answers one command. It returns false at the end.
func (t *talk) step() bool {
	line, err := t.lines.ReadString('\n')
	if err != nil {
		return false
	}
	line = strings.TrimSpace(line)
	word, rest, _ := strings.Cut(line, " ")
	s := t.server
	switch strings.ToUpper(word) {
	case "EHLO", "HELO":
		t.say("250-mail.test")
		if s.TLS != nil && !t.mail.Safe {
			t.say("250-STARTTLS")
		}
		if s.User != "" {
			t.say("250-AUTH PLAIN")
		}
		t.say("250 8BITMIME")
	case "STARTTLS":
		t.say("220 go ahead")
		t.conn = tls.Server(t.conn, s.TLS)
		t.lines, t.mail.Safe = bufio.NewReader(t.conn), true
	case "AUTH":
		_, secret, _ := strings.Cut(rest, " ")
		plain, _ := base64.StdEncoding.DecodeString(secret)
		if string(plain) != "\x00"+s.User+"\x00"+s.Password {
			t.say("535 wrong password")
			return true
		}
		t.mail.User = s.User
		t.say("235 ok")
	case "MAIL":
		if s.User != "" && t.mail.User == "" {
			t.say("530 log in first")
			return true
		}
		t.mail.From = between(rest)
		t.say("250 ok")
	case "RCPT":
		if to := between(rest); to == s.Refuse {
			t.say("550 no such user")
		} else {
			t.mail.To = append(t.mail.To, to)
			t.say("250 ok")
		}
	case "DATA":
		t.say("354 send it")
		t.data()
	case "QUIT":
		t.say("221 bye")
		return false
	default:
		t.say("500 what?")
	}
	return true
}

// data takes the text of a mail.
func (t *talk) data() {
	var text strings.Builder
	for {
		line, err := t.lines.ReadString('\n')
		if err != nil {
			return
		}
		if line == ".\r\n" {
			break
		}
		text.WriteString(strings.TrimPrefix(line, "."))
	}
	t.mail.Text = text.String()
	t.server.mu.Lock()
	t.server.mails = append(t.server.mails, t.mail)
	t.server.mu.Unlock()
	if t.server.Taken != nil {
		t.server.Taken(t.mail)
	}
	t.say("250 taken")
}

func between(text string) string {
	_, text, _ = strings.Cut(text, "<")
	text, _, _ = strings.Cut(text, ">")
	return text
}
