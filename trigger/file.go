package trigger

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"
)

// File waits for files: file: incoming/*.csv settle=10s
const File Kind = "file"

// Files are the options of a File.
type Files struct {
	Settle   time.Duration // how long size and time of a file must rest until it is complete
	Batch    int           // the most files of one run
	Existing bool          // files that exist when the trigger is armed count
	Reopened bool          // writers close a file and open it again, so only Settle says that it is complete
}

// Defaults and limits of Files.
const (
	DefaultSettle = 2 * time.Second
	DefaultBatch  = 1000
	mostSettle    = 24 * time.Hour
)

// fileOptions are the options that only a File has.
var fileOptions = []string{"settle", "batch", "existing", "reopened"}

func readSettle(t *Trigger, text string) error {
	return readSpan(&t.Files.Settle, text, 0, mostSettle)
}

func readBatch(t *Trigger, text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > DefaultBatch {
		return fmt.Errorf("a number from 1 to %d is needed", DefaultBatch)
	}
	t.Files.Batch = n
	return nil
}

func readYes(into *bool, text string) error {
	if text != "yes" && text != "no" {
		return fmt.Errorf("%q is neither yes nor no", text)
	}
	*into = text == "yes"
	return nil
}

// checkFile checks the options and the pattern of a File, and that other kinds have none of its options. seen are the options.
func (t Trigger) checkFile(seen map[string]bool) error {
	if t.Kind != File {
		for _, key := range fileOptions {
			if seen[key] {
				return fmt.Errorf("%s has no effect on %s; only file has it", key, t.Kind)
			}
		}
		return nil
	}
	for _, key := range []string{"catchup", "catchup_window", "jitter", "tz"} {
		if seen[key] {
			return fmt.Errorf("%s has no effect on file, which sees every file once; it has limit, %s", key, strings.Join(fileOptions, ", "))
		}
	}
	return checkPattern(t.Spec)
}

// checkPattern checks a pattern of files.
func checkPattern(pattern string) error {
	switch {
	case pattern == "":
		return errors.New("file needs a pattern; write file: incoming/*.csv")
	case strings.HasPrefix(pattern, "~"):
		return errors.New("~ is not replaced by a folder; write the whole path, or one relative to the folder of the workfile")
	case strings.ContainsRune(pattern, 0):
		return errors.New("a path cannot contain a zero byte")
	}
	for part := range strings.SplitSeq(pattern, "/") {
		if strings.Contains(part, "**") {
			return errors.New("** is not read; write a line for each depth: file: in/*.csv and file: in/*/*.csv")
		}
		if _, err := path.Match(part, ""); err != nil {
			return fmt.Errorf("%q has no matching ]; write \\[ for the character", part)
		}
	}
	if last := pattern[strings.LastIndexByte(pattern, '/')+1:]; last == "" || last == "." || last == ".." {
		return fmt.Errorf("%s is a folder; write %s for the files in it", pattern, path.Join(pattern, "*"))
	}
	return nil
}

// HasWildcard reports whether a part of a pattern stands for several names.
func HasWildcard(part string) bool { return strings.ContainsAny(part, `*?[\`) }

// MatchName reports whether the name of a file or folder matches a part of a pattern between slashes. As in a shell, a part that
// begins with a wildcard does not match names that begin with a dot.
func MatchName(part, name string) bool {
	if strings.HasPrefix(name, ".") && !strings.HasPrefix(part, ".") && !strings.HasPrefix(part, `\.`) {
		return false
	}
	ok, _ := path.Match(part, name) // checkPattern has read the part
	return ok
}
