package store

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// writerVariable makes the test binary a writer, see write. Its value is the prefix of the keys, a colon, and the path of
// the file.
const writerVariable = "STORE_TEST_WRITER"

// writers is how many goroutines write at once.
const writers = 8

// write sets keys as fast as possible and prints each key that is set, until it is killed. Every key gets two values, so
// that the test detects if the older one comes back.
func write(where string) {
	prefix, path, _ := strings.Cut(where, ":")
	s := New(path, func(string, int) bool { return true })
	lines := make(chan string)
	for w := range writers {
		go func() {
			for i := 0; ; i++ {
				key := fmt.Sprintf("%s/%d/%d", prefix, w, i/2)
				value := strings.Repeat(fmt.Sprintf("%s=%d;", key, i%2), 1+i%50*20)
				if _, err := s.Set(context.Background(), Machine(), key, []byte(value), Terms{}); err != nil {
					lines <- "error " + err.Error()
				}
				if _, err := s.Add(context.Background(), Machine(), "sum", 1, 0); err != nil {
					lines <- "error " + err.Error()
				}
				lines <- fmt.Sprintf("%s %d", key, i%2)
			}
		}()
	}
	for line := range lines {
		fmt.Println(line)
	}
}

// TestKilled kills a program that writes: every acknowledged key has the value that was acknowledged last or the one that
// was being written, and the file is intact.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kv.db")
	acknowledged, sums := map[string]string{}, 0
	for round := range 5 {
		for _, line := range killWriter(t, fmt.Sprint(round, ":", path), 100+37*round) {
			key, version, ok := strings.Cut(line, " ")
			if !ok || key == "error" {
				t.Fatalf("the writer prints %q", line)
			}
			acknowledged[key], sums = version, sums+1
		}
		s := open(t, path)
		for key, version := range acknowledged {
			value := s.mustGet(t, Machine(), key)
			set := strings.Repeat(key+"="+version+";", strings.Count(value, ";"))
			later := strings.Repeat(key+"=1;", strings.Count(value, ";"))
			if value == "" || value != set && value != later {
				t.Fatalf("round %d: version %s of %s was set, there is %.60q", round, version, key, value)
			}
		}
		var sum int
		if fmt.Sscan(s.mustGet(t, Machine(), "sum"), &sum); sum < sums || sum > sums+5*2*writers {
			t.Fatalf("%d were added, the sum is %d", sums, sum)
		}
		s.Close()
	}
}

// killWriter kills a writer after n lines of output, and returns all of its lines.
func killWriter(t *testing.T, where string, n int) []string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), writerVariable+"="+where)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var lines []string
	kill := sync.OnceFunc(func() { cmd.Process.Kill() })
	for scan := bufio.NewScanner(out); scan.Scan(); {
		if lines = append(lines, scan.Text()); len(lines) >= n {
			kill()
		}
	}
	kill()
	if cmd.Wait(); len(lines) < n {
		t.Fatalf("the writer ended after %d lines", len(lines))
	}
	return lines
}
