package api

// Scopes of keys.
const (
	KVMachine  = "machine"  // all of this user on this machine
	KVWorkfile = "workfile" // the workfile
	KVRun      = "run"      // one run of it; they go with the run
)

// KVValueMost bounds a value, in bytes.
const KVValueMost = 1 << 20

// KVPageMost bounds the keys in one answer.
const KVPageMost = 1000

// KVScope says where a key is looked for.
type KVScope struct {
	Scope    string `json:"scope" query:"scope"`
	Workfile string `json:"workfile,omitempty" query:"workfile"` // absolute; of all scopes but the machine's
	Run      string `json:"run,omitempty" query:"run"`           // its number; of KVRun only
}

// KVSet gives a key a value.
type KVSet struct {
	KVScope
	Key      string  `json:"key"`
	Value    []byte  `json:"value"`
	TTLMS    int64   `json:"ttl_ms,omitempty"`    // from now to the expiry; 0 = it stays
	IfAbsent bool    `json:"if_absent,omitempty"` // only if the key has no value
	If       *[]byte `json:"if,omitempty"`        // only if it has this one
}

// KVDelete takes the value of a key away.
type KVDelete struct {
	KVScope
	Key string  `json:"key"`
	If  *[]byte `json:"if,omitempty"` // only if it has this value
}

// KVIncr adds to a value that is a whole number of 64 bits. No value counts as 0.
type KVIncr struct {
	KVScope
	Key   string `json:"key"`
	By    int64  `json:"by"`
	TTLMS int64  `json:"ttl_ms,omitempty"` // 0 = the expiry stays as it is
}

// KVAnswer is what is there after a question or a change, which is on the disk then.
type KVAnswer struct {
	Done    bool   `json:"done"` // a change was made; else its condition was not met, or nothing was there to delete
	Found   bool   `json:"found"`
	Value   []byte `json:"value,omitempty"`
	Expires string `json:"expires,omitempty"` // RFC 3339; "" = never
}

// KVKeys are keys in the order of their bytes. More: others follow, behind the last one.
type KVKeys struct {
	Keys []KVKey `json:"keys"`
	More bool    `json:"more,omitempty"`
}

// A KVKey is one of them.
type KVKey struct {
	Key     string `json:"key"`
	Bytes   int    `json:"bytes"`             // of the value
	Expires string `json:"expires,omitempty"` // RFC 3339; "" = never
}
