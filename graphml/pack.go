package graphml

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
)

// A form describes how the text of a document is encoded and packed in its file.
type form struct {
	charset charset
	crlf    bool // the first line ends with a carriage return and a line feed
	packed  bool // with gzip
	header  gzip.Header
}

// A limitError reports that a text is too large.
type limitError string

func (e limitError) Error() string { return string(e) }

// unpack turns a file into UTF-8 text. For most files that is the file itself.
func unpack(data []byte, limit int) (text []byte, f form, err error) {
	if len(data) > limit {
		return nil, f, limitError(fmt.Sprintf("the file has %d bytes, more than the limit of %d", len(data), limit))
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
	if i := bytes.IndexByte(text, '\n'); i > 0 {
		f.crlf = text[i-1] == '\r'
	}
	if len(text) > limit {
		return nil, f, limitError(fmt.Sprintf("the text has %d bytes as UTF-8, more than the limit of %d", len(text), limit))
	}
	return text, f, nil
}

// gunzip unpacks a file twice, first only to find the size, so that a small file cannot fill the memory.
func gunzip(data []byte, limit int) ([]byte, gzip.Header, error) {
	header, size, err := gunzipTo(io.Discard, data, limit)
	if err != nil {
		return nil, header, err
	}
	text := bytes.NewBuffer(make([]byte, 0, size))
	_, _, err = gunzipTo(struct{ io.Writer }{text}, data, limit) // not ReadFrom, which would grow the buffer
	return text.Bytes(), header, err
}

// gunzipTo unpacks all members of a file and ignores zero padding after them, which tapes and some
// programs add.
func gunzipTo(w io.Writer, data []byte, limit int) (header gzip.Header, size int64, err error) {
	packed := bytes.NewReader(data)
	z, err := gzip.NewReader(packed)
	if err != nil {
		return header, 0, fmt.Errorf("unpack gzip: %w", err)
	}
	for header = z.Header; ; {
		z.Multistream(false)
		n, err := io.Copy(w, io.LimitReader(z, int64(limit)+1-size))
		if size += n; size > int64(limit) {
			return header, size, limitError(fmt.Sprintf("unpacked, the file has more than the limit of %d bytes", limit))
		}
		rest := data[len(data)-packed.Len():]
		if err == nil && len(bytes.TrimLeft(rest, "\x00")) == 0 {
			return header, size, nil
		}
		if err == nil {
			err = z.Reset(packed)
		}
		if err != nil {
			return header, size, fmt.Errorf("unpack gzip: %w", err)
		}
	}
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
		z.Write(p) // to memory: cannot fail
	}
	z.Close()
	return Pieces{packed.Bytes()}
}
