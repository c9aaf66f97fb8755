package web

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"wf/api"
)

// TestCodesWorkOnce: A code is exchanged for one token, whoever comes first.
func TestCodesWorkOnce(t *testing.T) {
	s := serve(t, newFakeDaemon(t, two()))
	body := `{"code":"` + code(s.Invite(Visit{})) + `"}`
	const tries = 20
	statuses := make(chan int, tries)
	var group sync.WaitGroup
	for range tries {
		group.Go(func() {
			status, _, _ := s.request("POST", "/session", "", body, nil)
			statuses <- status
		})
	}
	group.Wait()
	close(statuses)
	entered := 0
	for status := range statuses {
		switch status {
		case http.StatusOK:
			entered++
		case http.StatusUnauthorized:
		default:
			t.Errorf("status %d", status)
		}
	}
	if entered != 1 {
		t.Errorf("the code worked %d times", entered)
	}
}

// TestCodesExpire: A code that nobody used becomes useless, and a token that is not used, too.
func TestCodesExpire(t *testing.T) {
	s := serve(t, newFakeDaemon(t, two()))
	late := code(s.Invite(Visit{}))
	s.clock.add(CodeTime - 1)
	if _, _, ok := s.sessions.exchange(late); !ok {
		t.Error("the code is too old before its time")
	}
	late = code(s.Invite(Visit{}))
	s.clock.add(CodeTime)
	if status, _, body := s.request("POST", "/session", "", `{"code":"`+late+`"}`, nil); status != http.StatusUnauthorized || !strings.Contains(body, "too old") {
		t.Errorf("%d %s", status, body)
	}
	token := s.enter(Visit{})
	for range 3 { // each request prolongs it
		s.clock.add(tokenTime - 1)
		if status, _, _ := s.request("GET", "/session", token, "", nil); status != http.StatusOK {
			t.Errorf("status %d", status)
		}
	}
	s.clock.add(tokenTime)
	if status, _, _ := s.request("GET", "/session", token, "", nil); status != http.StatusUnauthorized {
		t.Errorf("an old token: status %d", status)
	}
}

// TestCodesAreRandom: They are long, different, and no tokens.
func TestCodesAreRandom(t *testing.T) {
	s := serve(t, newFakeDaemon(t, two()))
	seen := map[string]bool{}
	for range 100 {
		c := code(s.Invite(Visit{}))
		if len(c) < 43 || seen[c] {
			t.Errorf("code %q", c)
		}
		seen[c] = true
		if _, ok := s.sessions.visit(c); ok {
			t.Error("a code is a token")
		}
	}
	token := s.enter(Visit{})
	if _, _, ok := s.sessions.exchange(token); ok {
		t.Error("a token is a code")
	}
}

// TestSessionsAreLimited: The oldest codes and sessions give way.
func TestSessionsAreLimited(t *testing.T) {
	s := serve(t, newFakeDaemon(t, two()))
	first := code(s.Invite(Visit{}))
	for range mostCodes {
		s.Invite(Visit{})
	}
	if _, _, ok := s.sessions.exchange(first); ok {
		t.Error("there are more codes than may be")
	}
	token := s.enter(Visit{})
	for range mostSessions {
		s.enter(Visit{})
	}
	if _, ok := s.sessions.visit(token); ok || s.sessions.count() != mostSessions {
		t.Errorf("%d sessions", s.sessions.count())
	}
}

// TestSecretsAreComparedInConstantTime checks the source, because measurements are not reliable on a busy machine: hashes are
// compared in one place only, and no secret is compared as it is.
func TestSecretsAreComparedInConstantTime(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	careful := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				for _, side := range []ast.Expr{n.X, n.Y} {
					if compares := n.Op == token.EQL || n.Op == token.NEQ; compares && isSecret(side) {
						t.Errorf("%s: a secret is compared with %s", set.Position(n.Pos()), n.Op)
					}
				}
			case *ast.SelectorExpr:
				if n.Sel.Name == "ConstantTimeCompare" {
					careful++
				}
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Equal" {
					t.Errorf("%s: Equal may compare secrets", set.Position(n.Pos()))
				}
			}
			return true
		})
	}
	if careful != 1 {
		t.Errorf("%d comparisons in constant time", careful)
	}
}

// isSecret reports whether an expression is a code, a token or a hash of one.
func isSecret(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		return e.Sel.Name == "Code" || e.Sel.Name == "Token" || e.Sel.Name == "hash"
	case *ast.Ident:
		return e.Name == "code" || e.Name == "token" || e.Name == "hash"
	}
	return false
}

// TestSecretsAreInNoAddress: The page asks for nothing with its token in an address. What the browser remembers and others
// log are addresses.
func TestSecretsAreInNoAddress(t *testing.T) {
	s := serve(t, newFakeDaemon(t, two()))
	token := s.open(Visit{})
	for _, path := range []string{"/session?token=" + token, "/workfiles?access_token=" + token, api.GetStatus.At("ws") + "?token=" + token} {
		if status, _, _ := s.request("GET", path, "", "", nil); status != http.StatusUnauthorized {
			t.Errorf("a token in an address works: %d", status)
		}
	}
	if status, _, _ := s.request("POST", "/session?code="+code(s.Invite(Visit{})), "", "{}", nil); status != http.StatusUnauthorized {
		t.Errorf("a code in an address works: %d", status)
	}
	s.daemon.mu.Lock()
	defer s.daemon.mu.Unlock()
	if bytes.Contains([]byte(strings.Join(s.daemon.asked, "\n")), []byte(token)) {
		t.Error("the daemon got the token")
	}
}
