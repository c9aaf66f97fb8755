// Package editor lets users change texts of a workfile in their own editor: it stores unsaved texts on disk, runs
// $EDITOR, puts the commands of several nodes into one text, and computes edits from the edited text. Its callers ask
// questions and save the edits.
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

// Command returns a command that opens a file in an editor. A shell runs the command line, so it may contain options,
// as in other programs that use $EDITOR. Cancelling ctx ends the editor.
func Command(ctx context.Context, editor, path string) *exec.Cmd {
	return exec.CommandContext(ctx, "/bin/sh", "-c", editor+` "$1"`, "sh", path)
}

// Write writes a text to a new file in dir, so that the text outlives the program. It creates dir if necessary. The
// caller owns the file.
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

// WriteFolder writes files into a new folder in dir, so that they outlive the program, and returns the path of one of them. It
// creates dir if necessary. The caller owns the folder.
func WriteFolder(dir string, files map[string][]byte, name string) (path string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	folder, err := os.MkdirTemp(dir, "text-")
	if err != nil {
		return "", err
	}
	for file, data := range files {
		if err := os.WriteFile(filepath.Join(folder, file), data, 0o600); err != nil {
			os.RemoveAll(folder)
			return "", err
		}
	}
	return filepath.Join(folder, name), nil
}

// Folder returns the folder of unsaved texts, inside the folder of the user's state.
func Folder(state string) string { return filepath.Join(state, "edits") }

// noteMark begins the lines above a text that explain the problem with it.
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
