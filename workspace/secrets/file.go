package secrets

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"wf/executor/ownfile"
)

// File is the file in the folder of a run with its masks. Each line is JSON: the first has the key, each further one a mask. It
// does not contain the values, and only who guesses a value can find it with the file.
const File = "masks"

// maxFile bounds the size of the file, in bytes.
const maxFile = 4 << 20

// header is the first line of the file.
type header struct {
	Key hexBytes `json:"key"`
}

type hexBytes []byte

// MarshalText returns hexadecimal digits.
func (h hexBytes) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, h), nil }

// UnmarshalText reads hexadecimal digits.
func (h *hexBytes) UnmarshalText(text []byte) (err error) {
	*h, err = hex.AppendDecode(nil, text)
	return err
}

// MarshalText returns hexadecimal digits.
func (d digest) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, d[:]), nil }

// UnmarshalText reads hexadecimal digits.
func (d *digest) UnmarshalText(text []byte) error {
	if hex.DecodedLen(len(text)) != len(d) {
		return fmt.Errorf("a digest has %d digits", 2*len(d))
	}
	_, err := hex.Decode(d[:], text)
	return err
}

// create makes masks that are kept in the folder of a run. They are durable when it returns. Earlier ones are replaced.
func create(dir string, values []string) (*Masks, error) {
	m := New(values...)
	text, err := json.Marshal(header{m.set.key})
	if err != nil {
		return nil, err
	}
	data := append(text, '\n')
	for _, list := range []map[uint16][]mask{m.set.narrow, m.set.wide} {
		for _, masks := range list {
			if data, err = encode(data, masks); err != nil {
				return nil, err
			}
		}
	}
	m.file = filepath.Join(dir, File)
	return m, ownfile.Replace(m.file, data, true)
}

// encode appends lines with masks.
func encode(data []byte, masks []mask) ([]byte, error) {
	for _, k := range masks {
		line, err := json.Marshal(k)
		if err != nil {
			return data, err
		}
		data = append(append(data, line...), '\n')
	}
	return data, nil
}

// appendMasks adds masks to the file. If a crash cut the last line, they begin a new one.
func appendMasks(path string, added []mask) error {
	data, err := encode([]byte("\n"), added)
	if err != nil {
		return err
	}
	f, err := ownfile.Open(path, os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// read reads the masks of a run from its folder; nil = it has none. Lines that a crash has cut are skipped.
func read(dir string) (*Masks, error) {
	path := filepath.Join(dir, File)
	data, err := ownfile.Read(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	var h header
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &h) != nil || len(h.Key) != len(newKey()) {
		return nil, fmt.Errorf("%s: it is damaged, so it is not known which values in the outputs of this run are secret", path)
	}
	m := &Masks{set: newSet(h.Key), file: path}
	for lines.Scan() {
		var k mask
		if json.Unmarshal(lines.Bytes(), &k) == nil {
			m.set.add(k)
		}
	}
	return m, lines.Err()
}
