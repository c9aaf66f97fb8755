package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// completeWorkfile offers folders and what is called like a workfile.
func completeWorkfile(c *typedLine, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	found := filesBeginning(c.e, word, workfileName)
	if !c.wantsFolders(word) {
		found = slices.DeleteFunc(found, func(path string) bool { return strings.HasSuffix(path, "/") })
	}
	return found, filesDirective(found)
}

// completeFiles offers folders and the files whose names are wanted.
func completeFiles(wanted func(name string) bool) completer {
	return func(c *typedLine, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		found := filesBeginning(c.e, word, wanted)
		return found, filesDirective(found)
	}
}

func anyName(string) bool { return true }

// filesDirective says whether something may follow in the same word: behind a folder, what is in it.
func filesDirective(found []cobra.Completion) cobra.ShellCompDirective {
	if slices.ContainsFunc(found, func(path string) bool { return strings.HasSuffix(path, "/") }) {
		return noSpace
	}
	return noFiles
}

// filesBeginning are the folders, with a slash at the end, and the wanted files whose paths begin with word.
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

// wantsFolders says whether a folder may be meant. The first word of all is a command far more
// often, and the space after a command would be missing if folders were offered beside it.
func (c *typedLine) wantsFolders(word string) bool {
	return c.cmd.HasParent() || word != "" && !slices.ContainsFunc(commandNames(c.cmd), func(name string) bool { return strings.HasPrefix(name, word) })
}
