package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"wf/api"
	"wf/executor"
	"wf/workspace"
)

// pacedExecutor respects its width and needs a few milliseconds for each command.
type pacedExecutor struct {
	mu          sync.Mutex
	going, most int // commands, of all sessions
}

type pacedSession struct {
	x       *pacedExecutor
	mu      sync.Mutex
	news    []executor.Report
	wakeUp  chan struct{}
	waiting []executor.Job
	going   int
	width   int
	closed  bool
}

func (x *pacedExecutor) Open(_ context.Context, spec executor.Spec) (executor.Session, error) {
	s := &pacedSession{x: x, wakeUp: make(chan struct{}, 1)}
	go func() {
		for range s.wakeUp {
			s.mu.Lock()
			news := s.news
			s.news = nil
			s.mu.Unlock()
			if len(news) > 0 {
				spec.Report(news)
			}
		}
	}()
	return s, nil
}

// change calls f and then starts the commands that may start.
func (s *pacedSession) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	f()
	for len(s.waiting) > 0 && s.going < s.width {
		j := s.waiting[0]
		s.waiting = s.waiting[1:]
		s.going++
		s.x.count(1)
		s.news = append(s.news, executor.Report{Kind: executor.Started, ID: j.ID, Time: time.Now(), PID: 1})
		time.AfterFunc(time.Duration(rand.Int64N(int64(4*time.Millisecond))), func() {
			s.change(func() {
				s.going--
				s.x.count(-1)
				s.news = append(s.news, executor.Report{Kind: executor.Ended, ID: j.ID, Time: time.Now()})
			})
		})
	}
	select {
	case s.wakeUp <- struct{}{}:
	default:
	}
}

func (x *pacedExecutor) count(n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.going += n
	x.most = max(x.most, x.going)
}

func (s *pacedSession) Start(jobs []executor.Job) error {
	s.change(func() { s.waiting = append(s.waiting, jobs...) })
	return nil
}

func (s *pacedSession) SetWidth(n int) {
	s.change(func() {
		s.width = n
		s.news = append(s.news, executor.Report{Kind: executor.Resized, Width: n})
	})
}

func (s *pacedSession) Close(context.Context) ([]int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	close(s.wakeUp)
	return nil, nil
}

func (s *pacedSession) Gates() bool                       { return false }
func (s *pacedSession) Stop([]executor.ID, time.Duration) {}
func (s *pacedSession) Retry()                            {}
func (s *pacedSession) Detach()                           {}

// TestManyWorkfilesOnFewSlots checks that the runs of many workfiles at the same time all end.
func TestManyWorkfilesOnFewSlots(t *testing.T) {
	for _, n := range []int{3, 5, 8, 20, 50} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			x := &pacedExecutor{}
			s := newSlots(2)
			dir := t.TempDir()
			ended := make(chan error, n)
			for i := range n {
				path := filepath.Join(dir, fmt.Sprintf("%d.wf", i))
				if err := os.WriteFile(path, []byte(plainWorkfile(1+i%4*3)), 0o644); err != nil {
					t.Fatal(err)
				}
				cfg := workspace.Config{Executor: x, State: filepath.Join(dir, "state"), Slots: sharedSlots{s},
					Version: "test", Log: Config{}.withDefaults().Log}
				w, err := workspace.Open(path, cfg)
				if err != nil {
					t.Fatal(err)
				}
				defer w.Close(context.Background())
				go func() { ended <- runOnce(w) }()
			}
			late := time.After(time.Minute)
			for left := n; left > 0; left-- {
				select {
				case err := <-ended:
					if err != nil {
						t.Fatal(err)
					}
				case <-late:
					used, total := s.inUse()
					t.Fatalf("%d of %d runs do not end; slots: %d of %d in use", left, n, used, total)
				}
			}
			if used, _ := s.inUse(); used != 0 || x.most > 2 {
				t.Errorf("%d slots in use at the end, %d commands at once", used, x.most)
			}
		})
	}
}

// plainWorkfile returns a workfile of n nodes, in which every third one has an edge from the one before.
func plainWorkfile(n int) string {
	var b strings.Builder
	b.WriteString(`<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="l" for="node" attr.name="label" attr.type="string"/><graph edgedefault="directed">`)
	for i := range n {
		fmt.Fprintf(&b, `<node id="n%d"><data key="l">true</data></node>`, i)
		if i%3 == 2 {
			fmt.Fprintf(&b, `<edge source="n%d" target="n%d"/>`, i-1, i)
		}
	}
	return b.String() + `</graph></graphml>`
}

// runOnce runs a workfile to its end.
func runOnce(w *workspace.Workspace) error {
	watcher, err := w.Watch(context.Background(), "c", api.WatchOptions{})
	if err != nil {
		return err
	}
	defer watcher.Close()
	if _, err := w.StartRun(context.Background(), "c", api.RunRequest{Env: []string{}}); err != nil {
		return err
	}
	for data := range watcher.Frames() {
		var frame api.Frame
		if err := json.Unmarshal(data, &frame); err != nil {
			return err
		}
		for _, ev := range frame.Events {
			if ev.Type != api.RunComplete {
				continue
			}
			if ev.Result != api.Succeeded {
				return fmt.Errorf("%s: %s", ev.Result, ev.Message)
			}
			return nil
		}
	}
	return fmt.Errorf("the watch ended")
}
