package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"wf/api"
)

// A hookSender sends deliveries to the webhook deploy of a script. Several goroutines use it.
type hookSender struct {
	w    *sandbox
	vars []string
	dir  string

	mu  sync.Mutex // guards url
	url string
}

func newHookSender(ts *testscript.TestScript, w *sandbox) *hookSender {
	return &hookSender{w: w, dir: ts.MkAbs("."), vars: append(slices.Clone(w.vars), "WF_WEBHOOK_LISTEN="+ts.Getenv("WF_WEBHOOK_LISTEN"))}
}

// ask starts a daemon if there is none, and returns its address for webhooks.
func (s *hookSender) ask() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	cmd := exec.Command(filepath.Join(s.w.bin, "wf"), "trigger", "url", "deploy")
	cmd.Dir, cmd.Env = s.dir, s.vars
	out, err := cmd.Output()
	s.url = strings.TrimSpace(string(out))
	return s.url, err
}

// secret returns the secret of the hook.
func (s *hookSender) secret() string {
	data, err := os.ReadFile(filepath.Join(s.w.home, "state", "triggers", "webhooks", "deploy.secret"))
	var stored struct{ Secret string }
	if err != nil || json.Unmarshal(data, &stored) != nil {
		return "there is no secret yet"
	}
	return stored.Secret
}

// sum is what GitHub sends as the signature of a body.
func sum(secret, body string) string {
	m := hmac.New(sha256.New, []byte(secret))
	io.WriteString(m, body)
	return fmt.Sprintf("sha256=%x", m.Sum(nil))
}

// send sends a body, and returns the status; 0 if there was no answer.
func (s *hookSender) send(id, event, body, signature string) int {
	s.mu.Lock()
	url := s.url
	s.mu.Unlock()
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return 0
	}
	r.Header.Set("X-Hub-Signature-256", signature)
	r.Header.Set("X-GitHub-Delivery", id)
	r.Header.Set("X-GitHub-Event", event)
	res, err := (&http.Client{Timeout: patience}).Do(r)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, res.Body)
	res.Body.Close()
	return res.StatusCode
}

// cmdDeliver sends a delivery of GitHub and checks the status of the answer: "deliver deploy github ID BODY 202". With forged it has
// a wrong signature, with old that of a secret in the file old, with github-hostile an event that a shell would interpret.
func cmdDeliver(ts *testscript.TestScript, neg bool, args []string) {
	w := sandboxOf(ts, neg, args, 5, 5, "deliver deploy KIND ID BODY STATUS")
	s := newHookSender(ts, w)
	_, err := s.ask()
	ts.Check(err)
	secret, event := s.secret(), "push"
	switch args[1] {
	case "forged":
		secret = "0123456789abcdef"
	case "old":
		secret = strings.TrimSpace(ts.ReadFile("old"))
	case "github-hostile":
		event = "push; touch hacked"
	}
	if got := s.send(args[2], event, args[3], sum(secret, args[3])); strconv.Itoa(got) != args[4] {
		ts.Fatalf("the answer is %d, want %s\n%s", got, args[4], w.daemonLog())
	}
}

// cmdDeliveries sends many deliveries, with forged, repeated and replayed ones, from several senders at once, and kills the daemon
// again and again: "deliveries 1000 FILE". Then each genuine delivery is one line of the file, which the runs write.
func cmdDeliveries(ts *testscript.TestScript, neg bool, args []string) {
	w := sandboxOf(ts, neg, args, 2, 2, "deliveries COUNT FILE")
	count, err := strconv.Atoi(args[0])
	ts.Check(err)
	s := newHookSender(ts, w)
	_, err = s.ask()
	ts.Check(err)
	secret := s.secret()
	registry := filepath.Join(w.home, "run", api.FileRegistry)
	var next, accepted, wrong atomic.Int64
	var all sync.WaitGroup
	end := time.Now().Add(10 * patience)
	for range 8 {
		all.Go(func() {
			for n := int(next.Add(1)); n <= count && time.Now().Before(end); n = int(next.Add(1)) {
				id, body := fmt.Sprint("id-", n), fmt.Sprintf("genuine-%d", n)
				if n%5 == 0 { // before the genuine one, so that a memory of it would do harm
					if status := s.send(id, "push", body, sum("another secret", body)); status/100 == 2 {
						wrong.Add(1)
					}
				}
				for status := 0; status != http.StatusAccepted && status != http.StatusOK && time.Now().Before(end); {
					if status = s.send(id, "push", body, sum(secret, body)); status == 0 {
						_, _ = s.ask() // the daemon was killed
					}
				}
				accepted.Add(1)
				if n%3 == 0 { // sent again, then replayed under another id: no answer may be a new run, which the file shows
					s.send(id, "push", body, sum(secret, body))
					s.send("replayed-"+id, "push", body, sum(secret, body))
				}
				if n%(count/7) == 0 {
					var reg api.Registry
					if data, err := os.ReadFile(registry); err == nil && json.Unmarshal(data, &reg) == nil {
						_ = syscall.Kill(reg.PID, syscall.SIGKILL)
					}
				}
			}
		})
	}
	all.Wait()
	if int(accepted.Load()) != count || wrong.Load() > 0 {
		ts.Fatalf("%d of %d were accepted, and %d forged ones\n%s", accepted.Load(), count, wrong.Load(), w.daemonLog())
	}
	lines := map[string]int{}
	for time.Now().Before(end) && len(lines) < count {
		_, _ = s.ask()
		clear(lines)
		data, _ := os.ReadFile(ts.MkAbs(args[1]))
		for _, line := range strings.Fields(string(data)) {
			lines[line]++
		}
	}
	for line, times := range maps.All(lines) {
		if times != 1 || !strings.HasPrefix(line, "genuine-") {
			ts.Fatalf("%s was run %d times", line, times)
		}
	}
	if len(lines) != count {
		ts.Fatalf("%d of %d deliveries were run\n%s", len(lines), count, w.daemonLog())
	}
}
