package workspace

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"wf/api"
	"wf/executor"
	"wf/workspace/loop"
)

// logged is a log that a test can read.
type logged struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) has(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.text.String(), text)
}

// A panic in a question is an error of this question only. The run continues.
func TestPanicInAQuestionIsAnError(t *testing.T) {
	log := &logged{}
	b := newTestbed(t, "a>b")
	b.cfg.Log = slog.New(slog.NewTextHandler(log, nil))
	b.open()
	_, s := b.run(api.RunRequest{})
	v := b.watch()
	_, err := loop.Ask(context.Background(), b.w.loop, func() (int, error) { panic("as planned") })
	var refusal *api.Error
	if !errors.As(err, &refusal) || refusal.Code != api.CodeInternal {
		t.Errorf("answered with %v", err)
	}
	if !log.has("as planned") || !log.has("TestPanicInAQuestionIsAnError") {
		t.Error("the log has no report with a stack")
	}
	b.play(v, s, nil)
}

// A panic anywhere else ends the workspace. Its run continues when the workspace is opened again, and the panic counts as a
// failed recovery attempt.
func TestPanicOnTheLoopEndsTheWorkspace(t *testing.T) {
	for name, cause := range map[string]func(w *Workspace){
		"loop":   func(w *Workspace) { w.loop.Post(func() { panic("as planned") }) },
		"helper": func(w *Workspace) { w.loop.Run(func() { panic("as planned") }) },
	} {
		t.Run(name, func(t *testing.T) {
			log := &logged{}
			b := newTestbed(t, "a>b")
			b.cfg.Log = slog.New(slog.NewTextHandler(log, nil))
			b.open()
			_, s := b.run(api.RunRequest{})
			first := b.next(s)
			cause(b.w)
			<-b.w.Done()
			if _, err := b.w.Status(context.Background(), false); !errors.As(err, new(*api.Error)) {
				t.Errorf("the workspace that ended answers with %v", err)
			}
			if b.tries() != 1 || !log.has("as planned") {
				t.Errorf("%d trials are noted", b.tries())
			}
			if info := b.w.presence.Info(); len(info.Runs) != 1 {
				t.Errorf("the run to be recovered is not reported: %+v", info)
			}
			b.open()
			v := b.watch()
			s = <-b.fake.opened
			s.end(first.ID, executor.Exit{})
			b.play(v, s, nil)
			b.close(b.w) // waits for its helpers
			if b.tries() != 0 {
				t.Error("the note stays")
			}
		})
	}
}
