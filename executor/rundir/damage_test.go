package rundir

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestDamagedEnvironment checks that a damaged environment file is reported as incomplete. A file of a version without
// checksums can still be read.
func TestDamagedEnvironment(t *testing.T) {
	path := filepath.Join(t.TempDir(), EnvironmentFile)
	base := []string{"HOME=/home/x", "PATH=/bin", "TEXT=a\nb", "", "PWD=/tmp"}
	if err := WriteEnvironment(path, base); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	try := func(what string, text []byte) {
		t.Helper()
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if e, whole, err := ReadEnvironment(path); err != nil || whole {
			t.Errorf("%s: %+v, error %v", what, e, err)
		}
	}
	for at := range whole {
		try(fmt.Sprintf("cut at %d", at), whole[:at])
		if at < len(whole)-1 {
			try(fmt.Sprintf("zeros from %d", at), append(bytes.Clone(whole[:at]), make([]byte, len(whole)-at)...))
		}
		for bit := range 8 {
			flipped := bytes.Clone(whole)
			flipped[at] ^= 1 << bit
			try(fmt.Sprintf("byte %d with bit %d flipped", at, bit), flipped)
		}
	}
	try("zeros", make([]byte, 4096))
	try("garbage", []byte("\xff\xfe no environment"))
	if err := os.Truncate(path, 1<<30); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ReadEnvironment(path); err == nil {
		t.Error("a file of 1 GiB was read")
	}
	if err := os.WriteFile(path, []byte("A=1\x00B=\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	if e, _, err := ReadEnvironment(path); err != nil || !slices.Equal(e, []string{"A=1", "B="}) {
		t.Errorf("of an earlier version: %+v, %v", e, err)
	}
}
