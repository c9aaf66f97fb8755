package expression

import (
	"errors"
	"reflect"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/types"
)

// maxNodes bounds the size of the syntax tree of an expression.
const maxNodes = 2000

// settings are the names that the parser and the type checker know besides the language. It is made when the
// first expression is compiled, since most starts of the program compile none.
var settings = sync.OnceValue(func() *conf.Config {
	c := conf.CreateNew()
	c.MaxNodes = maxNodes
	c.Functions["uuid"] = &builtin.Function{Name: "uuid", Types: []reflect.Type{reflect.TypeFor[func() string]()},
		Func: func(...any) (any, error) { return "", nil }}
	env := types.Map{rootAttempt: types.Any}
	for _, root := range roots {
		env[root] = types.Any
	}
	c.WithEnv(env)
	return c
})

// parse makes a syntax tree. The limits come before the parser, which works by recursion.
func parse(text string) (*parser.Tree, error) {
	if strings.TrimSpace(text) == "" {
		return nil, &Error{Line: 1, Column: 1, Problem: "there is no expression"}
	}
	if len(text) > maxText {
		return nil, &Error{Line: 1, Column: 1, Problem: "is longer than 16 KiB", Remedy: "let a command do it"}
	}
	if !utf8.ValidString(text) {
		return nil, &Error{Line: 1, Column: 1, Problem: "is not UTF-8"}
	}
	depth := 0
	for i, r := range []rune(text) {
		switch r {
		case '(', '[', '{', '?':
			if depth++; depth > maxBrackets {
				return nil, (&failed{at: i, problem: "brackets are nested too deeply"}).in([]rune(text))
			}
		case ')', ']', '}', ':':
			depth = max(depth-1, 0)
		}
	}
	c := *settings() // a copy: the library writes to its cache of types
	tree, err := parser.ParseWithConfig(text, &c)
	if err != nil {
		return nil, libraryError(err, text)
	}
	return tree, nil
}

// check finds operators and functions that cannot fit their operands whatever the data is, and returns
// the kind of the value where it is certain.
func check(tree *parser.Tree, c *compiler) (kind string, err error) {
	config := *settings() // a copy, as in parse
	if _, err := checker.Check(tree, &config); err != nil {
		return "", libraryError(err, string(c.text))
	}
	return kindOfType(tree.Node), nil
}

func kindOfType(n ast.Node) string {
	t := n.Type()
	if t == nil {
		return ""
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Float64:
		return "a number"
	case reflect.String:
		return "a text"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map:
		return "a map"
	}
	return ""
}

// libraryError takes over the place and the first line of an error of the library.
func libraryError(err error, text string) *Error {
	var theirs *file.Error
	if !errors.As(err, &theirs) {
		return &Error{Line: 1, Column: 1, Problem: err.Error()}
	}
	problem := strings.TrimPrefix(theirs.Message, "compilation failed: ")
	problem = strings.NewReplacer("unexpected token EOF", "it ends too early", "Token", "", "interface {}", "any").Replace(problem)
	return (&failed{at: theirs.From, problem: problem}).in([]rune(text))
}
