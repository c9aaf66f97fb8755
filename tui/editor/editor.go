// Package editor is how people change texts of a workfile in the editor that they are used to: it
// keeps the text on disk while it is not saved, runs $EDITOR, and makes one text of the commands of
// nodes and edits of such a text. It asks no questions and saves nothing: its callers do.
package editor

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Choose returns the command line of the user's editor: $VISUAL, otherwise $EDITOR, otherwise vi.
func Choose(get func(name string) string) string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if editor := get(name); editor != "" {
			return editor
		}
	}
	return "vi"
}

// Command opens a file in an editor. A shell runs the command line, so it may have options, as $EDITOR has for
// other programs. The end of ctx ends it.
func Command(ctx context.Context, editor, path string) *exec.Cmd {
	return exec.CommandContext(ctx, "/bin/sh", "-c", editor+` "$1"`, "sh", path)
}

// Write puts a text into a new file of dir, which it makes if it is missing, so that the text outlives the
// program. The file belongs to the caller.
func Write(dir, text string) (path string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, "commands-*.sh")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if shut := f.Close(); err == nil {
		err = shut
	}
	if err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// Folder returns the folder of texts that are not saved yet, below the folder of the user's state.
func Folder(state string) string { return filepath.Join(state, "edits") }

// noteMark begins the lines above a text that explain what was wrong with it.
const noteMark = "#wf: "

// Annotate puts a message above a text, as comments that Bare removes.
func Annotate(text, message string) string {
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimRight(message, "\n"), "\n") {
		b.WriteString(strings.TrimRight(noteMark+line, " ") + "\n")
	}
	return b.String() + text
}

// Bare returns a text without the comments that Annotate put above it.
func Bare(text string) string {
	for strings.HasPrefix(text, strings.TrimRight(noteMark, " ")) {
		_, rest, _ := strings.Cut(text, "\n")
		text = rest
	}
	return text
}
