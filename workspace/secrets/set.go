package secrets

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

// Least is the length of the shortest value that is hidden, in bytes. Shorter ones occur everywhere.
const Least = 4

// most bounds the number of masks of a run. Later values are not hidden.
const most = 10_000

// A mask finds one value: it has its length, a few bits of a hash of its first bytes, and a keyed digest of all of it.
type mask struct {
	Length int    `json:"n"`
	Sign   uint16 `json:"p"` // of the first wide bytes, or of the first Least if it has fewer than wide
	Digest digest `json:"h"`
}

type digest [16]byte

// wide is the number of bytes that a sign depends on, if the value has as many.
const wide = 8

// A set is the masks of a run. The search looks at each position once: it computes the sign of the bytes there, and only
// where a bit of a table says that a value may begin there, it compares digests.
type set struct {
	key     []byte // of the digests
	factor  uint64 // of the signs
	longest int    // length of the longest value; 0 = none
	count   int

	narrows, wides [1 << 16 / 64]uint64 // bits of the signs
	narrow, wide   map[uint16][]mask    // by sign
}

// newKey returns a random key.
func newKey() []byte {
	key := make([]byte, 32)
	rand.Read(key)
	return key
}

func newSet(key []byte) *set {
	return &set{key: key, factor: binary.LittleEndian.Uint64(key) | 1, narrow: map[uint16][]mask{}, wide: map[uint16][]mask{}}
}

func (s *set) wideSign(text []byte) uint16 {
	return uint16(binary.LittleEndian.Uint64(text) * s.factor >> 48)
}

func (s *set) narrowSign(text []byte) uint16 {
	return uint16(uint64(binary.LittleEndian.Uint32(text)) * s.factor >> 48)
}

// maskOf returns the mask of a value, which has at least Least bytes and no line end.
func (s *set) maskOf(value []byte) mask {
	k := mask{Length: len(value), Digest: s.digestOf(value)}
	if len(value) < wide {
		k.Sign = s.narrowSign(value)
	} else {
		k.Sign = s.wideSign(value)
	}
	return k
}

// digestOf returns the digest of a value.
func (s *set) digestOf(value []byte) digest {
	var short [128]byte
	sum := sha256.Sum256(append(append(short[:0], s.key...), value...))
	return digest(sum[:len(digest{})])
}

// add adds a mask. It returns false if the set has it already, or has no room.
func (s *set) add(k mask) bool {
	bits, by := &s.wides, s.wide
	if k.Length < wide {
		bits, by = &s.narrows, s.narrow
	}
	if k.Length < Least || s.count == most || slices.Contains(by[k.Sign], k) {
		return false
	}
	bits[k.Sign>>6] |= 1 << (k.Sign & 63)
	by[k.Sign] = append(by[k.Sign], k)
	s.count++
	s.longest = max(s.longest, k.Length)
	return true
}

// A span is a part of a text.
type span struct{ from, to int }

// finder is the state of one search.
type finder struct {
	*set
	text  []byte
	whole bool // nothing follows the text
	line  int  // where the last line of the text begins
	list  []span
}

// find returns where values are in the text that begin at from or later, in order of their starts. whole says that nothing
// follows. Otherwise a value may go on behind the text: then undecided is the first position where one may begin, and find
// looked at the positions before it. It is len(text) if there is none. A value contains no line end.
func (s *set) find(text []byte, from int, whole bool) (list []span, undecided int) {
	if s.longest == 0 {
		return nil, len(text)
	}
	f := finder{set: s, text: text, whole: whole, line: bytes.LastIndexByte(text, '\n') + 1}
	f.line += bytes.LastIndexByte(text[f.line:], '\r') + 1
	i := from
	for factor, narrow := s.factor, len(s.narrow) > 0; i+wide <= len(text); i++ {
		v := binary.LittleEndian.Uint64(text[i : i+wide])
		p := v * factor
		hit := s.wides[p>>54]>>(p>>48&63)&1 != 0
		if narrow && !hit {
			q := uint64(uint32(v)) * factor
			hit = s.narrows[q>>54]>>(q>>48&63)&1 != 0
		}
		if hit && !f.look(i) {
			return f.list, i
		}
	}
	for ; i < len(text); i++ {
		if f.open(i) && (len(s.wide) > 0 || i+Least > len(text)) {
			return f.list, i
		}
		if i+Least <= len(text) && !f.look(i) {
			return f.list, i
		}
	}
	return f.list, len(text)
}

// open reports whether a value that begins at i could go on behind the text.
func (f *finder) open(i int) bool { return !f.whole && i >= f.line }

// look compares the values that may begin at i. It returns false if one of them could go on behind the text.
func (f *finder) look(i int) bool {
	rest := f.text[i:]
	end := 0
	try := func(list []mask) bool {
		for _, k := range list {
			if k.Length > len(rest) {
				if f.open(i) {
					return false
				}
				continue
			}
			if k.Length <= end {
				continue
			}
			if f.digestOf(rest[:k.Length]) == k.Digest {
				end = k.Length
			}
		}
		return true
	}
	if !try(f.narrow[f.narrowSign(rest)]) || len(rest) >= wide && !try(f.wide[f.wideSign(rest)]) {
		return false
	}
	if end > 0 {
		f.list = append(f.list, span{i, i + end})
	}
	return true
}
