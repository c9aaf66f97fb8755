package uptodate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Paths splits the value of the attributes inputs and outputs: one path in each line, or several with commas between them.
// Blanks around a path do not belong to it, and a comma in braces or behind a backslash does not end it.
func Paths(declared string) []string {
	var list []string
	depth, start := 0, 0
	cut := func(end int) {
		if path := strings.TrimSpace(declared[start:end]); path != "" {
			list = append(list, strings.ReplaceAll(path, `\,`, ","))
		}
		depth, start = 0, end+1
	}
	for i := 0; i < len(declared); i++ {
		switch c := declared[i]; {
		case c == '\\' && i+1 < len(declared) && declared[i+1] != '\n':
			i++
		case c == '{':
			depth++
		case c == '}':
			depth = max(depth-1, 0)
		case c == '\n' || c == ',' && depth == 0:
			cut(i)
		}
	}
	cut(len(declared))
	return list
}

// A MissingError names declared files that do not exist.
type MissingError struct {
	What  string // "input" or "output"
	Paths []string
}

// Error names the files.
func (e *MissingError) Error() string {
	if len(e.Paths) == 1 {
		return fmt.Sprintf("missing %s %s", e.What, e.Paths[0])
	}
	return fmt.Sprintf("missing %ss %s", e.What, strings.Join(e.Paths, ", "))
}

// Expand returns the files and folders that declared inputs mean, sorted and without duplicates, relative to the folder if they
// are declared so. Patterns (*, ?, [a-z], {a,b}, and ** for folders at any depth) stand for what exists; they may match
// nothing. Paths without a pattern must exist: a *MissingError names those that do not.
func Expand(folder string, declared []string) ([]string, error) {
	var list, missing []string
	for _, path := range declared {
		if isPattern(path) {
			found, err := expand(folder, path)
			if err != nil {
				return nil, fmt.Errorf("inputs %s: %w", path, err)
			}
			list = append(list, found...)
			continue
		}
		path = literal(path)
		_, err := os.Stat(within(folder, path))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, path)
		case err != nil:
			return nil, fmt.Errorf("input %s: %w", path, err)
		}
		list = append(list, filepath.Clean(path))
	}
	if missing != nil {
		return nil, &MissingError{What: "input", Paths: missing}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// expand returns what a pattern matches. Only the part from the first special character on is a pattern: the folder may have
// any name.
func expand(folder, path string) ([]string, error) {
	base, pattern := doublestar.SplitPattern(path)
	options := []doublestar.GlobOption{doublestar.WithFailOnIOErrors()}
	if strings.Contains(pattern, "**") {
		options = append(options, doublestar.WithFilesOnly()) // which are all that is in the folders
	}
	found, err := doublestar.Glob(os.DirFS(within(folder, base)), pattern, options...)
	for i := range found {
		found[i] = filepath.Join(base, found[i])
	}
	return found, err
}

// CheckPaths reports the first of the declared paths that cannot be one. Only inputs may be patterns.
func CheckPaths(declared []string, patterns bool) error {
	for _, path := range declared {
		switch {
		case strings.ContainsRune(path, 0):
			return fmt.Errorf("%q contains a NUL character", path)
		case !isPattern(path):
		case !patterns:
			return fmt.Errorf("%s is a pattern, and outputs need names; write a backslash before a character that is meant as it is", path)
		case !doublestar.ValidatePathPattern(path):
			return fmt.Errorf("%s is not a pattern: a bracket or a brace is not closed", path)
		}
	}
	return nil
}

// isPattern reports whether a declared path has a special character without a backslash before it.
func isPattern(path string) bool {
	for i := 0; i < len(path); i++ {
		switch path[i] {
		case '\\':
			i++
		case '*', '?', '[', '{':
			return true
		}
	}
	return false
}

// literal returns a declared path without the backslashes that take special characters their meaning.
func literal(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		if path[i] == '\\' && i+1 < len(path) && strings.IndexByte(`*?[]{}\`, path[i+1]) >= 0 {
			i++
		}
		b.WriteByte(path[i])
	}
	return b.String()
}

// Literally returns a path as it is declared if none of its characters has a meaning.
func Literally(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		if strings.IndexByte(`*?[]{}\`, path[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(path[i])
	}
	return b.String()
}

// within returns the place of a path.
func within(folder, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(folder, path)
}
