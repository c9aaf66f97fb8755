package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// completeWorkfile offers folders and files with the name of a workfile.
func completeWorkfile(c *typedLine, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	found := filesBeginning(c.e, word, workfileName)
	if !c.wantsFolders(word) {
		found = slices.DeleteFunc(found, func(path string) bool { return strings.HasSuffix(path, "/") })
	}
	return found, filesDirective(found)
}

// completeFiles offers folders and the files whose names satisfy wanted.
func completeFiles(wanted func(name string) bool) completer {
	return func(c *typedLine, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		found := filesBeginning(c.e, word, wanted)
		return found, filesDirective(found)
	}
}

func anyName(string) bool { return true }

// filesDirective forbids the space after a completion if one of them is a folder.
func filesDirective(found []cobra.Completion) cobra.ShellCompDirective {
	if slices.ContainsFunc(found, func(path string) bool { return strings.HasSuffix(path, "/") }) {
		return noSpace
	}
	return noFiles
}

// filesBeginning returns the folders (with a slash at the end) and wanted files whose paths begin with word.
func filesBeginning(e *env, word string, wanted func(name string) bool) []cobra.Completion {
	dir, begun := filepath.Split(word)
	entries, err := os.ReadDir(e.Abs(dir))
	if err != nil {
		return nil
	}
	var found []cobra.Completion
	for _, entry := range entries {
		name := entry.Name()
		switch {
		case !strings.HasPrefix(name, begun), strings.HasPrefix(name, ".") && begun == "":
		case isFolder(filepath.Join(e.Abs(dir), name), entry):
			found = append(found, dir+name+"/")
		case wanted(name):
			found = append(found, dir+name)
		}
	}
	return limited(found)
}

// isFolder says whether an entry is a folder, or a link to one.
func isFolder(path string, entry os.DirEntry) bool {
	if entry.Type()&os.ModeSymlink == 0 {
		return entry.IsDir()
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// wantsFolders says whether folders are offered. The first word is usually a command, and offering folders
// beside commands would suppress the space after the command.
func (c *typedLine) wantsFolders(word string) bool {
	return c.cmd.HasParent() || word != "" && !slices.ContainsFunc(commandNames(c.cmd), func(name string) bool { return strings.HasPrefix(name, word) })
}
