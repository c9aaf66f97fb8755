// Package page has the files of the web page: HTML, style, and modules of JavaScript without a build step, as they are in
// the folder assets. It serves them and knows nothing else.
package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
)

//go:embed assets
var embedded embed.FS

// Files returns the files of the page.
func Files() fs.FS {
	files, err := fs.Sub(embedded, "assets")
	if err != nil {
		panic("internal error: " + err.Error()) // the folder is part of the program
	}
	return files
}

// kinds are the types of the files, by the ends of their names.
var kinds = map[string]string{".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8"}

// A file is ready to be sent.
type file struct {
	plain, packed []byte
	kind, tag     string
}

// ready returns the files by their paths, and packs them when the first one is asked for.
var ready = sync.OnceValue(func() map[string]file {
	files := map[string]file{}
	_ = fs.WalkDir(Files(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(Files(), name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		files["/"+name] = file{data, pack(data), kinds[path.Ext(name)], `"` + hex.EncodeToString(sum[:12]) + `"`}
		return nil
	})
	files["/"] = files["/index.html"]
	return files
})

func pack(data []byte) []byte {
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // the level is valid
	_, _ = z.Write(data)                                    // a buffer takes everything
	_ = z.Close()
	return out.Bytes()
}

// Serve answers with the file that a request names. A browser asks each time whether the file has changed, because the next
// version of the program has other files at the same address.
func Serve(w http.ResponseWriter, r *http.Request) {
	f, known := ready()[r.URL.Path]
	if !known {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", f.tag)
	h.Set("Vary", "Accept-Encoding")
	if r.Header.Get("If-None-Match") == f.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	data := f.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		data = f.packed
	}
	_, _ = w.Write(data)
}
