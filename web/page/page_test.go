package page

import (
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// mostPacked is what all files of the page may have together, packed, in bytes.
const mostPacked = 150 << 10

func TestSize(t *testing.T) {
	packed, plain := 0, 0
	for path, f := range ready() {
		if path != "/" {
			packed, plain = packed+len(f.packed), plain+len(f.plain)
		}
	}
	t.Logf("%d bytes, %d packed", plain, packed)
	if packed > mostPacked {
		t.Errorf("the files have %d bytes packed, more than %d", packed, mostPacked)
	}
}

// forbidden is what would make an element of a text, need an exception in the policy, or ask another server.
var forbidden = map[string]string{
	`innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment|srcdoc|setHTML`: "a text must not become elements",
	`\beval\(|new Function|javascript:|setTimeout\(['"]|importScripts|\bon[a-z]+="`:                            "a text must not become a program",
	`document\.cookie`:                       "no cookies: they are sent to other ports of this machine, too",
	`https?://`:                              "nothing is loaded from elsewhere",
	`<style|style="|<script(?: [^>]*)?>[^<]`: "no inline style or script",
}

func TestForbidden(t *testing.T) {
	_ = fs.WalkDir(Files(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(data), "http://www.w3.org/2000/svg", "") // a name, not an address
		for pattern, why := range forbidden {
			if found := regexp.MustCompile(pattern).FindString(text); found != "" {
				t.Errorf("%s has %q: %s", name, found, why)
			}
		}
		if strings.HasSuffix(name, ".js") && !strings.HasPrefix(text, "// ") {
			t.Errorf("%s does not say what it is for", name)
		}
		if n := strings.Count(text, "\n"); n > 500 {
			t.Errorf("%s has %d lines", name, n)
		}
		return nil
	})
}

// TestEveryFileIsUsed: Each file is named by another one, and each name is that of a file.
func TestEveryFileIsUsed(t *testing.T) {
	files, named := map[string]bool{}, map[string]bool{"index.html": true}
	_ = fs.WalkDir(Files(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files[name] = true
		data, _ := fs.ReadFile(Files(), name)
		for _, m := range regexp.MustCompile(`(?:from '\./|import\('\./|(?:src|href)="/|src: '/)([\w.-]+)`).FindAllStringSubmatch(string(data), -1) {
			named[m[1]] = true
		}
		return nil
	})
	for name := range files {
		if !named[name] {
			t.Errorf("nothing uses %s", name)
		}
	}
	for name := range named {
		if !files[name] {
			t.Errorf("there is no %s", name)
		}
	}
}

func TestServe(t *testing.T) {
	get := func(path string, header ...string) *http.Response {
		r := httptest.NewRequest("GET", path, nil)
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		Serve(w, r)
		return w.Result()
	}
	first := get("/main.js")
	if kind := first.Header.Get("Content-Type"); first.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "text/javascript") {
		t.Errorf("%d %s", first.StatusCode, kind)
	}
	want, _ := io.ReadAll(first.Body)
	if again := get("/main.js", "If-None-Match", first.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
		t.Errorf("unchanged: %d", again.StatusCode)
	}
	packed := get("/main.js", "Accept-Encoding", "gzip, br")
	z, err := gzip.NewReader(packed.Body)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := io.ReadAll(z); string(got) != string(want) {
		t.Error("packed, it is another file")
	}
	for _, path := range []string{"/assets/main.js", "/../page.go", "/page.go", "/nothing", "//main.js"} {
		if resp := get(path); resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", path, resp.StatusCode)
		}
	}
	if resp := get("/"); !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		t.Errorf("/ is %s", resp.Header.Get("Content-Type"))
	}
}
