package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"wf/api"
	"wf/executor"
	"wf/workspace/history"
)

// hookExecutor is a fakeExecutor that runs hooks as the test says.
type hookExecutor struct {
	*fakeExecutor
	answer func(ctx context.Context, q executor.Question) ([]byte, error)

	mu    sync.Mutex
	asked []executor.Question
}

func (x *hookExecutor) Ask(ctx context.Context, q executor.Question) ([]byte, error) {
	x.mu.Lock()
	x.asked = append(x.asked, q)
	x.mu.Unlock()
	return x.answer(ctx, q)
}

// hooks returns the hooks that were run, with the variables about them.
func (x *hookExecutor) hooks() (list []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, q := range x.asked {
		var vars []string
		for _, v := range q.Env {
			for _, key := range []string{"WF_HOOK=", "WF_RUN_ID=", "WF_RUN_RESULT=", "WF_RUN_FAILED="} {
				if value, ok := strings.CutPrefix(v, key); ok {
					vars = append(vars, value)
				}
			}
		}
		slices.Sort(vars)
		list = append(list, strings.TrimPrefix(q.Command, "exec 2>&1\n")+" "+strings.Join(vars, " "))
	}
	return list
}

// hookBed is a testbed whose workfile has hooks.
func hookBed(t *testing.T, answer func(ctx context.Context, q executor.Question) ([]byte, error)) (*testbed, *hookExecutor) {
	b := newTestbed(t)
	text := workfileText("a")
	for attr, value := range map[string]string{"before_run": "B", "after_run": "A", "hook_timeout": "3s"} {
		text = strings.Replace(text, "<graph ", `<key id="`+attr+`" for="graph" attr.name="`+attr+`" attr.type="string"/><graph `, 1)
		text = strings.Replace(text, `edgedefault="directed">`, `edgedefault="directed"><data key="`+attr+`">`+value+"</data>", 1)
	}
	b.write(text)
	x := &hookExecutor{fakeExecutor: b.fake, answer: answer}
	b.cfg.Executor = x
	return b, x
}

func nothing(context.Context, executor.Question) ([]byte, error) { return nil, nil }

func TestHooks(t *testing.T) {
	b, x := hookBed(t, func(_ context.Context, q executor.Question) ([]byte, error) {
		return []byte("said by " + q.Command[len("exec 2>&1\n"):]), nil
	})
	b.open()
	v := b.watch()
	_, s := b.run(api.RunRequest{Defaults: &api.RunDefaults{BeforeRun: "own B", AfterRun: "own A", HookTimeoutMS: 5}})
	b.play(v, s, nil)
	want := []string{"own B 1 before_run", "B 1 before_run"}
	if got := x.hooks(); !slices.Equal(got[:2], want) || len(got) != 4 || !strings.HasPrefix(got[2], "own A ") || !strings.Contains(got[3], "after_run succeeded") {
		t.Errorf("%q", got)
	}
	if q := x.asked[0]; q.Time != 3*time.Second || q.Cwd != filepath.Dir(b.w.path) || !slices.Contains(q.Env, "PATH=/bin") {
		t.Errorf("%+v", q)
	}
	text, err := b.w.Reader.Hooks(t.Context(), "1", false)
	if err != nil || strings.Count(string(text), "said by ") != 4 || strings.Count(string(text), "== ok after ") != 4 {
		t.Errorf("%s, %v", text, err)
	}
	for run, code := range map[string]api.Code{"2": api.CodeNotFound, "x": api.CodeInvalid} {
		if _, err := b.w.Reader.Hooks(t.Context(), run, false); apiCode(err) != code {
			t.Errorf("run %s: %v", run, err)
		}
	}
}

// TestRefusal checks that no node starts, that the reason stays, also after a restart, and that after_run does not come.
func TestRefusal(t *testing.T) {
	b, x := hookBed(t, func(context.Context, executor.Question) ([]byte, error) {
		return []byte("checking\nno space\n"), errors.New("exit status 1")
	})
	b.open()
	v := b.watch()
	acc, s := b.run(api.RunRequest{})
	e := v.wait(t, "the end", func(e api.Event) bool { return e.Type == api.RunComplete })
	if e.Result != api.ResFailed || *e.ExitCode != 1 || len(e.Notes) != 1 || !strings.Contains(e.Notes[0], "refused by before_run: no space") {
		t.Errorf("%+v", e)
	}
	if len(s.started) > 0 || len(x.hooks()) != 1 {
		t.Errorf("%d jobs were started, hooks %q", len(s.started), x.hooks())
	}
	for range 2 {
		info := b.w.presence.Info()
		if r := info.LastRun; r == nil || r.Run != acc.Run || r.Result != api.ResFailed || r.Cause != history.RefusedCause+"no space" {
			t.Errorf("%+v", r)
		}
		why, err := b.w.Reader.Why(t.Context(), "id-a", "")
		if err != nil || !strings.Contains(strings.Join(why.Text, " "), "the run was refused by before_run: no space") {
			t.Errorf("%q, %v", why.Text, err)
		}
		b.close(b.w)
		b.open()
	}
}

// TestStopDuringBeforeRun checks that a stop ends the hook and the run, and that no node starts.
func TestStopDuringBeforeRun(t *testing.T) {
	asked := make(chan struct{})
	b, _ := hookBed(t, func(ctx context.Context, q executor.Question) ([]byte, error) {
		if strings.HasSuffix(q.Command, "B") {
			close(asked)
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return nil, nil
	})
	b.open()
	v := b.watch()
	go func() {
		<-asked
		if _, err := b.w.StopAll(context.Background(), "c2", api.StopRequest{Cause: "SIGINT"}); err != nil {
			t.Error(err)
		}
	}()
	_, s := b.run(api.RunRequest{})
	e := v.wait(t, "the end", func(e api.Event) bool { return e.Type == api.RunComplete })
	if e.Result != api.Cancelled || *e.ExitCode != 130 || len(s.started) > 0 {
		t.Errorf("%+v, %d jobs", e, len(s.started))
	}
}

// TestStopDuringAfterRun checks that a second stop ends the hook.
func TestStopDuringAfterRun(t *testing.T) {
	asked := make(chan struct{})
	b, _ := hookBed(t, func(ctx context.Context, q executor.Question) ([]byte, error) {
		if strings.HasSuffix(q.Command, "A") {
			close(asked)
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return nil, nil
	})
	b.open()
	v := b.watch()
	acc, s := b.run(api.RunRequest{})
	b.next(s)
	first := make(chan error)
	go func() {
		_, err := b.w.StopRun(context.Background(), "c2", acc.Run, api.StopRequest{})
		first <- err
	}()
	<-asked
	if _, err := b.w.StopRun(t.Context(), "c2", acc.Run, api.StopRequest{}); err != nil {
		t.Error(err)
	}
	if err := <-first; err != nil {
		t.Error(err)
	}
	e := v.wait(t, "the end", func(e api.Event) bool { return e.Type == api.RunComplete })
	if e.Result != api.Cancelled || !slices.Contains(e.Notes, "after_run of the workfile was stopped") {
		t.Errorf("%+v", e)
	}
}

// TestEndDuringBeforeRun checks that the client is sent to the next daemon, where the run begins once, with its hook.
func TestEndDuringBeforeRun(t *testing.T) {
	asked := make(chan struct{})
	b, x := hookBed(t, func(ctx context.Context, q executor.Question) ([]byte, error) {
		close(asked)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	w := b.open()
	failed := make(chan error)
	go func() {
		_, err := w.StartRun(context.Background(), "c1", api.RunRequest{Env: []string{}, Key: "k"})
		failed <- err
	}()
	<-asked
	b.close(w)
	if err := <-failed; apiCode(err) != api.CodeGone {
		t.Errorf("%v", err)
	}
	x.answer = nothing
	b.open()
	if info := b.w.presence.Info(); info.LastRun != nil || len(info.Runs) > 0 {
		t.Errorf("%+v", info)
	}
	v := b.watch()
	_, s := b.run(api.RunRequest{Key: "k"})
	b.play(v, s, nil)
	if got := x.hooks(); len(got) != 3 {
		t.Errorf("%q", got)
	}
}

// TestEndDuringAfterRun checks that the next daemon runs the hook again, and then announces the end.
func TestEndDuringAfterRun(t *testing.T) {
	asked := make(chan struct{})
	b, x := hookBed(t, func(ctx context.Context, q executor.Question) ([]byte, error) {
		if strings.HasSuffix(q.Command, "A") {
			close(asked)
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return nil, nil
	})
	b.open()
	acc, s := b.run(api.RunRequest{})
	s.end(b.next(s).ID, executor.Exit{Code: 4})
	<-asked
	if info := b.w.presence.Info(); len(info.Runs) != 1 {
		t.Errorf("the end is announced before the hook: %+v", info)
	}
	b.close(b.w)
	x.answer = func(context.Context, executor.Question) ([]byte, error) {
		return []byte("no\n"), errors.New("exit status 2")
	}
	b.open()
	waitFor(t, "the end", func() bool { info := b.w.presence.Info(); return info.LastRun != nil && info.LastRun.Run == acc.Run })
	if r := b.w.presence.Info().LastRun; r.Result != api.ResFailed {
		t.Errorf("%+v", r)
	}
	if got := x.hooks(); len(got) != 3 || !strings.Contains(got[2], "failed") {
		t.Errorf("%q", got)
	}
	data, err := os.ReadFile(filepath.Join(b.cfg.State, "workspaces", b.w.id, "runs", acc.Run, history.HooksFile))
	if err != nil || !strings.Contains(string(data), "== exit status 2 after ") {
		t.Errorf("%s, %v", data, err)
	}
}
