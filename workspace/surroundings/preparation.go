package surroundings

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"

	"wf/workspace/history"
)

// environmentsFolder is the folder of the state folder with the environments, one folder each. Removing one is allowed while no
// run uses it: it is made again.
const environmentsFolder = "environments"

// LockFolder is the folder of the state folder with the locks of preparations.
const LockFolder = environmentsFolder

// ReadyFile is the file in the folder of an environment that says that it is complete.
const ReadyFile = "ready"

// A Preparation makes something that commands need, before the first of them starts.
type Preparation struct {
	Key    string // names it among all preparations of the user
	What   string // for people: conda env.yml
	Doing  string // creating the environment conda env.yml
	Folder string // where it is made; "" = the engine keeps it
	Look   string // for sh: succeeds if nothing is to be made; "" = then there is ReadyFile in Folder
	Script string // for sh: makes it, and ReadyFile at last
	Args   []string
	Quiet  bool // it takes no time worth telling
	// Path is the file that describes the environment, Sum its sum when the run started; "" = there is none.
	Path, Sum string
}

// Changed returns why the environment cannot be made as it was described when the run started; "" if it can.
func (p *Preparation) Changed() string {
	if p.Path == "" || p.Sum == "" {
		return ""
	}
	now, err := sumOf(p.Path)
	switch {
	case err != nil:
		return p.Path + " cannot be used: " + obstacle(err)
	case now.Sum != p.Sum:
		return p.Path + " has changed since the run started; start the run again"
	}
	return ""
}

// Folder returns the folder of an environment.
func Folder(state string, e *history.Environment) string {
	return filepath.Join(state, environmentsFolder, environmentKey(e))
}

func environmentKey(e *history.Environment) string {
	return e.Kind + "-" + short(e.Kind, e.Path, e.Ref, e.Name, e.Sum)
}

func boxKey(box *history.Box) string { return box.Engine + "-" + short(box.Image) }

func short(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:10])
}

// pulls reports whether an image has to be fetched.
func pulls(box *history.Box) bool { return !isFile(box.Image) }

// Prepared returns what the surroundings need, nil if that is nothing.
func Prepared(s *history.Surroundings, state string) *Preparation {
	switch {
	case s == nil:
		return nil
	case s.Box != nil:
		return boxPreparation(s.Box, state)
	case s.Environment != nil:
		return environmentPreparation(s.Environment, state)
	}
	return nil
}

func boxPreparation(box *history.Box, state string) *Preparation {
	if !pulls(box) {
		return nil
	}
	p := &Preparation{Key: boxKey(box), What: "image " + box.Image, Doing: "pulling the image " + box.Image}
	if box.Engine == "apptainer" {
		p.Folder = filepath.Join(state, environmentsFolder, p.Key)
		p.Script, p.Args = pullFile, []string{p.Folder, imageAddress(box.Image)}
		return p
	}
	p.Look, p.Script, p.Args = `"$1" image inspect "$2"`, `exec "$1" pull "$2"`, []string{box.Engine, box.Image}
	return p
}

func environmentPreparation(e *history.Environment, state string) *Preparation {
	p := &Preparation{Key: environmentKey(e), What: e.Kind + " " + e.Ref, Folder: Folder(state, e), Path: e.Path, Sum: e.Sum}
	p.Doing = "creating the environment " + p.What
	switch {
	case e.Kind == "conda" && e.Path == "":
		p.Doing, p.Quiet = "looking for the environment "+p.What, true
		p.Script, p.Args = findConda, []string{p.Folder, e.Program, e.Name}
	case e.Kind == "conda":
		p.Script, p.Args = createConda, []string{p.Folder, e.Program, e.Path}
	case e.Kind == "pixi":
		p.Script, p.Args = installPixi, []string{p.Folder, e.Program, e.Path, e.Name}
	default:
		p.Script, p.Args = nixShell, []string{p.Folder, e.Program, nixSource(e), nixRef(e)}
	}
	return p
}

// nixSource returns the option before what names a development shell.
func nixSource(e *history.Environment) string {
	if filepath.Base(e.Path) != "flake.nix" && e.Path != "" {
		return "--file"
	}
	return ""
}

// nixRef returns what names a development shell: the file, or a flake.
func nixRef(e *history.Environment) string {
	if e.Path == "" || nixSource(e) != "" {
		if e.Path != "" {
			return e.Path
		}
		return e.Ref
	}
	_, output, named := strings.Cut(e.Ref, "#")
	ref := "path:" + filepath.Dir(e.Path)
	if named {
		ref += "#" + output
	}
	return ref
}

// The scripts. They are executed under the lock of their preparation, so what they find in their folder is what an interrupted one
// has left.
const (
	pullFile = `set -e
rm -rf "$1"; mkdir -p "$1"
apptainer pull "$1/image.sif" "$2"
: > "$1/ready"`

	createConda = `set -e
rm -rf "$1"; mkdir -p "$1"
case ${2##*/} in
micromamba) "$2" create --yes --prefix "$1/prefix" --file "$3" ;;
*) "$2" env create --prefix "$1/prefix" --file "$3" ;;
esac
: > "$1/ready"`

	findConda = `set -e
mkdir -p "$1"
found=$("$2" run --name "$3" printenv CONDA_PREFIX)
[ -d "$found" ]
[ "$(readlink "$1/prefix")" = "$found" ] || { rm -f "$1/prefix"; ln -s "$found" "$1/prefix"; }`

	installPixi = `set -e
rm -rf "$1"; mkdir -p "$1"
"$2" install --manifest-path "$3" ${4:+--environment "$4"}
"$2" shell-hook --shell bash --manifest-path "$3" ${4:+--environment "$4"} > "$1/activate"
: > "$1/ready"`

	nixShell = `set -e
rm -rf "$1"; mkdir -p "$1"
"$2" --extra-experimental-features 'nix-command flakes' print-dev-env --profile "$1/profile" ${3:+"$3"} "$4" > "$1/activate"
: > "$1/ready"`
)
