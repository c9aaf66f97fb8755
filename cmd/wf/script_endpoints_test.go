package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"wf/notify/send/sendtest"
)

// An endpoint receives notifications in a script. What it gets is appended to a file, one line of JSON for each.
type endpoint struct {
	file string
	stop func()
}

// cmdReceive starts an HTTP server on a port until the script ends, or ends it: "receive MODE PORT FILE". The modes are ok;
// down, which ends the server; and hang, which answers nothing, but notes what comes. PORT is the name of a variable, which gets a
// free port if it has none.
func cmdReceive(ts *testscript.TestScript, neg bool, args []string) {
	w := sandboxOf(ts, neg, args, 3, 3, "receive ok|hang|fail|down PORT FILE")
	mode, variable, file := args[0], args[1], ts.MkAbs(args[2])
	if old := w.endpoints[variable]; old != nil {
		old.stop()
		delete(w.endpoints, variable)
	}
	l := listen(ts, variable)
	if mode == "down" {
		ts.Check(l.Close())
		return
	}
	var mu sync.Mutex
	over := make(chan struct{})
	server := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		mu.Lock()
		appendLine(file, string(body))
		appendLine(file+".headers", fmt.Sprintf("%s %s %s", r.URL.Path, r.Header.Get("Webhook-Id"), r.Header.Get("X-Hub-Signature-256")))
		mu.Unlock()
		switch mode {
		case "hang":
			<-over
		case "fail":
			rw.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(rw, strings.Repeat("\x1b[31mno ", 100_000))
		default:
			fmt.Fprint(rw, "thank you")
		}
	})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l)
	}()
	var once sync.Once
	stop := func() {
		once.Do(func() {
			close(over)
			server.Close()
			<-done
		})
	}
	ts.Defer(stop)
	w.endpoints[variable] = &endpoint{file, stop}
}

// cmdReceiveMail starts a mail server until the script ends: "receivemail PORT FILE". It appends mails to the file.
func cmdReceiveMail(ts *testscript.TestScript, neg bool, args []string) {
	sandboxOf(ts, neg, args, 2, 2, "receivemail PORT FILE")
	l := listen(ts, args[0])
	address, file := l.Addr().String(), ts.MkAbs(args[1])
	ts.Check(l.Close())
	server := &sendtest.MailServer{User: "wf", Password: "geheim", Taken: func(m sendtest.Mail) {
		appendLine(file, fmt.Sprintf("from %s to %s\n%s", m.From, strings.Join(m.To, " "), m.Text))
	}}
	_, err := server.Start(address)
	ts.Check(err)
	ts.Defer(server.Close)
}

// listen listens on the port in a variable, or on a free one, which it puts there.
func listen(ts *testscript.TestScript, variable string) net.Listener {
	port := ts.Getenv(variable)
	if port == "" {
		port = "0"
	}
	l, err := net.Listen("tcp", "127.0.0.1:"+port)
	ts.Check(err)
	_, port, err = net.SplitHostPort(l.Addr().String())
	ts.Check(err)
	ts.Setenv(variable, port)
	return l
}

// appendLine appends a line to a file.
func appendLine(path, text string) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text + "\n"); err != nil {
		panic(err)
	}
}

// cmdWaitforNotifications waits until wf notify ls prints a text: "waitfor-ls 'no notifications'".
func cmdWaitforNotifications(ts *testscript.TestScript, neg bool, args []string) {
	w := sandboxOf(ts, neg, args, 1, 1, "waitfor-ls PATTERN")
	pattern := regexp.MustCompile(args[0])
	var out []byte
	if !await(func() bool {
		cmd := exec.Command(w.bin+"/wf", "notify", "ls")
		cmd.Dir, cmd.Env = ts.MkAbs("."), w.vars
		out, _ = cmd.CombinedOutput()
		return pattern.Match(out)
	}) {
		ts.Fatalf("no match in time for %q in\n%s\n%s", pattern, out, w.daemonLog())
	}
}
