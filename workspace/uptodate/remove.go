package uptodate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// RemoveOutputs removes the outputs that an execution without success has left, so that nothing takes half a file for a whole
// one. It leaves what is not inside the folder, also through links, and what is, contains, or is in, one of the inputs; these are
// paths of any command of the workfile, in which an expression that was not evaluated stands for any text. It returns what it has removed. Outputs that do not exist are no error.
func RemoveOutputs(folder string, outputs, inputs []string) (removed []string, err error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	whole, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return nil, err
	}
	for _, path := range outputs {
		place := resolved(within(folder, literal(path)))
		local, err := filepath.Rel(whole, place)
		if err != nil || local == "." || !filepath.IsLocal(local) || isInput(folder, place, inputs) {
			continue
		}
		if _, err := root.Lstat(local); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := root.RemoveAll(local); err != nil {
			return removed, fmt.Errorf("cannot remove the incomplete output %s: %w", path, err)
		}
		removed = append(removed, path)
	}
	return removed, nil
}

// resolved returns a path without links, as far as it exists. The last element stays: removing a link removes the link.
func resolved(path string) string {
	dir, name := filepath.Split(path)
	dir = filepath.Clean(dir)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return filepath.Join(real, name)
	}
	if dir == path {
		return path
	}
	return filepath.Join(resolved(dir), name)
}

// isInput reports whether a resolved path is one of the declared inputs, or in it, or around it.
func isInput(folder, place string, inputs []string) bool {
	for _, declared := range inputs {
		if strings.Contains(declared, "${{") {
			if mayBeInput(folder, place, declared) {
				return true
			}
			continue
		}
		if !isPattern(declared) {
			input := resolved(within(folder, literal(declared)))
			if holds(input, place) || holds(place, input) {
				return true
			}
			continue
		}
		base, pattern := doublestar.SplitPattern(declared)
		base = resolved(within(folder, base))
		if holds(place, base) {
			return true
		}
		for at := place; holds(base, at) && at != base; at = filepath.Dir(at) {
			local, err := filepath.Rel(base, at)
			if err != nil || doublestar.MatchUnvalidated(pattern, local) {
				return true
			}
		}
	}
	return false
}

// mayBeInput is isInput for a path with expressions, with all their values.
func mayBeInput(folder, place, declared string) bool {
	before, _, _ := strings.Cut(declared, "${{")
	if at := strings.IndexAny(before, `*?[{\`); at >= 0 {
		before = before[:at]
	}
	slash := strings.LastIndexByte(before, '/') + 1
	base := resolved(within(folder, before[:slash]))
	begin := base + "/" + before[slash:]
	if holds(place, base) || strings.HasPrefix(place, begin) && isFolder(place) {
		return true
	}
	text := regexp.QuoteMeta(begin)
	for rest := declared[len(before):]; rest != ""; {
		end := "" // of what stands for many texts
		switch {
		case strings.HasPrefix(rest, "${{"):
			end = "}}"
		case rest[0] == '[':
			end = "]"
		case rest[0] == '{':
			end = "}"
		}
		_, after, ended := strings.Cut(rest, end)
		switch {
		case end != "" && ended:
			text, rest = text+".*", after
		case strings.IndexByte(`*?[]{}\`, rest[0]) >= 0:
			text, rest = text+".*", rest[1:]
		default:
			text, rest = text+regexp.QuoteMeta(rest[:1]), rest[1:]
		}
	}
	pattern, err := regexp.Compile("(?s)^" + text + "(/.*)?$")
	return err != nil || pattern.MatchString(place)
}

func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// holds reports whether a path is the other one, or a folder around it.
func holds(path, other string) bool {
	return path == other || strings.HasPrefix(other, strings.TrimSuffix(path, "/")+"/")
}
