package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"wf/web"
)

// A visitor is a tab of the web page that a script plays.
type visitor struct {
	origin, token, workspace string
	last                     []byte // the latest answer
}

// cmdPage does what a tab of the web page does, and prints the answer to standard output:
//
//	page WHO enter FILE            signs in with the address in FILE
//	page WHO workspace             takes the id in the latest answer for ID in later paths
//	page WHO METHOD PATH [BODY]    sends a request
//
// With !, the answer must be an error.
func cmdPage(ts *testscript.TestScript, neg bool, args []string) {
	w := sandboxOf(ts, false, args, 2, 4, "[!] page WHO enter FILE | workspace | METHOD PATH [BODY]")
	v := w.visitors[args[0]]
	if v == nil {
		v = &visitor{}
		for _, other := range w.visitors {
			v.origin = other.origin
		}
		if w.visitors == nil {
			w.visitors = map[string]*visitor{}
		}
		w.visitors[args[0]] = v
	}
	method, path, body := args[1], "", ""
	switch method {
	case "workspace":
		var info struct{ ID string }
		ts.Check(json.Unmarshal(v.last, &info))
		v.workspace = info.ID
		return
	case "enter":
		address := strings.TrimSpace(ts.ReadFile(args[2]))
		origin, code, _ := strings.Cut(address, "/#code=")
		v.origin, method, path, body = origin, http.MethodPost, "/session", `{"code":"`+code+`"}`
	default:
		path = strings.ReplaceAll(args[2], "/ID/", "/"+v.workspace+"/")
		if len(args) > 3 {
			body = args[3]
		}
	}
	req, err := http.NewRequest(method, v.origin+path, strings.NewReader(body))
	ts.Check(err)
	req.Header.Set("Authorization", "Bearer "+v.token)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	ts.Check(err)
	defer resp.Body.Close()
	v.last, err = io.ReadAll(resp.Body)
	ts.Check(err)
	if args[1] == "enter" {
		var session struct{ Token string }
		_ = json.Unmarshal(v.last, &session)
		v.token = session.Token
	}
	_, _ = ts.Stdout().Write(v.last)
	if (resp.StatusCode != http.StatusOK) != neg {
		ts.Fatalf("status %d: %s", resp.StatusCode, v.last)
	}
}

// endPages ends the web pages that the script serves.
func (w *sandbox) endPages() error {
	sockets, err := filepath.Glob(filepath.Join(w.home, "run", "web*.sock"))
	for _, socket := range sockets {
		if _, failed := web.AskStop(context.Background(), socket); !errors.Is(failed, web.ErrNotRunning) {
			err = errors.Join(err, failed)
		}
	}
	return err
}
