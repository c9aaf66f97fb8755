package daemon

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
)

// TestTokensAreComparedInConstantTime checks the source, because measurements are not reliable on a busy machine: the
// code in access.go compares a token only with the empty string, and passes it only to subtle.ConstantTimeCompare.
func TestTokensAreComparedInConstantTime(t *testing.T) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "access.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	careful := 0
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			compares := n.Op == token.EQL || n.Op == token.NEQ
			if compares && (isSecret(n.X) && !isEmptyText(n.Y) || isSecret(n.Y) && !isEmptyText(n.X)) {
				t.Errorf("%s: a token is compared with %s", files.Position(n.Pos()), n.Op)
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "ConstantTimeCompare" {
				careful++
				return false
			}
			for _, arg := range n.Args {
				if conversion, ok := arg.(*ast.CallExpr); ok && len(conversion.Args) == 1 {
					arg = conversion.Args[0]
				}
				if isSecret(arg) {
					t.Errorf("%s: a token is handed to another function", files.Position(n.Pos()))
				}
			}
		}
		return true
	})
	if careful != 1 {
		t.Errorf("%d comparisons in constant time", careful)
	}
}

// isSecret reports whether an expression is the token of access or the token in a request.
func isSecret(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		return e.Sel.Name == "token"
	case *ast.Ident:
		return e.Name == "given"
	}
	return false
}

func isEmptyText(e ast.Expr) bool {
	text, ok := e.(*ast.BasicLit)
	return ok && text.Value == `""`
}
