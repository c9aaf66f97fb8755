package graphml

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
)

// A form is how the text of a document lies in its file.
type form struct {
	charset charset
	packed  bool // with gzip
	header  gzip.Header
}

// unpack turns a file into UTF-8 text. In the common case that is the file itself.
func unpack(data []byte, limit int) (text []byte, f form, err error) {
	if len(data) > limit {
		return nil, f, fmt.Errorf("the file has %d bytes, more than the limit of %d", len(data), limit)
	}
	if f.packed = bytes.HasPrefix(data, []byte("\x1F\x8B")); f.packed {
		if data, f.header, err = gunzip(data, limit); err != nil {
			return nil, f, err
		}
	}
	if f.charset, err = detect(data); err != nil {
		return nil, f, err
	}
	if text, err = f.charset.decode(data); err != nil {
		return nil, f, err
	}
	if len(text) > limit {
		return nil, f, fmt.Errorf("the text has %d bytes as UTF-8, more than the limit of %d", len(text), limit)
	}
	return text, f, nil
}

// gunzip reads one byte more than allowed at most, so that a small file cannot fill the memory.
func gunzip(data []byte, limit int) ([]byte, gzip.Header, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, gzip.Header{}, fmt.Errorf("unpack gzip: %w", err)
	}
	header := z.Header
	text, err := io.ReadAll(io.LimitReader(z, int64(limit)+1))
	if err != nil {
		return nil, header, fmt.Errorf("unpack gzip: %w", err)
	}
	if len(text) > limit {
		return nil, header, fmt.Errorf("unpacked, the file has more than the limit of %d bytes", limit)
	}
	return text, header, nil
}

// pack is the inverse of unpack for text in pieces.
func (f *form) pack(pieces Pieces) Pieces {
	if f.charset != utf8Charset {
		var encoded []byte
		for _, p := range pieces {
			encoded = f.charset.encode(encoded, p)
		}
		pieces = Pieces{encoded}
	}
	if !f.packed {
		return pieces
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Header = f.header
	for _, p := range pieces {
		z.Write(p) // into memory: it cannot fail
	}
	z.Close()
	return Pieces{packed.Bytes()}
}
