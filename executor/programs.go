package executor

import "strings"

// programs remembers where in PATH a program was found, since a look-up takes a system call for
// each folder on the way, more than starting the program takes otherwise. What it remembers holds
// until anything changes in these folders or on the way to them: a command may install a program
// that hides another, and the next one must get that. The zero value is ready.
type programs struct {
	list    string            // the PATH that found is about
	found   map[string]string // by name
	folders *folderWatch      // nil: nobody could tell of a change, so nothing is remembered
	gaveUp  bool
	hits    int
	forgot  int // how often everything was forgotten
}

// patience is how often things may change before what is remembered pays: a folder in which files
// come and go all the time is better not watched.
const patience = 20

// find is findProgram with a memory.
func (p *programs) find(name string, env []string) (path string, ok bool) {
	if strings.Contains(name, "/") {
		return findProgram(name, env)
	}
	list, _ := value(env, "PATH")
	if !p.holds(list) {
		return searchPath(name, list)
	}
	if path, ok = p.found[name]; ok {
		p.hits++
		return path, true
	}
	if path, ok = searchPath(name, list); ok {
		p.found[name] = path
	}
	return path, ok
}

// holds reports whether what is remembered is about list and still true. It begins anew if not, and
// returns false only where nothing can be remembered.
func (p *programs) holds(list string) bool {
	if p.gaveUp {
		return false
	}
	if p.folders != nil && p.list == list && !p.folders.changed() {
		return true
	}
	if p.forgot > patience+p.hits/patience {
		p.close()
		p.gaveUp = true
		return false
	}
	p.forgot++
	p.close()
	p.list, p.found = list, make(map[string]string)
	p.folders = watchFolders(strings.Split(list, ":")) // before anything is looked up
	p.gaveUp = p.folders == nil
	return !p.gaveUp
}

func (p *programs) close() {
	if p.folders != nil {
		p.folders.close()
		p.folders = nil
	}
}
