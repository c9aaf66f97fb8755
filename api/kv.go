package api

// Scopes of keys.
const (
	KVMachine  = "machine"  // shared by everything of this user on this machine
	KVWorkfile = "workfile" // the workfile
	KVRun      = "run"      // one run of the workfile; removed with the run
)

// KVValueMost bounds a value, in bytes.
const KVValueMost = 1 << 20

// KVPageMost bounds the keys in one answer.
const KVPageMost = 1000

// KVScope is the scope of a key.
type KVScope struct {
	Scope    string `json:"scope" query:"scope"`
	Workfile string `json:"workfile,omitempty" query:"workfile"` // absolute; for all scopes but KVMachine
	Run      string `json:"run,omitempty" query:"run"`           // the number of the run, for KVRun
}

// KVSet sets the value of a key.
type KVSet struct {
	KVScope
	Key      string  `json:"key"`
	Value    []byte  `json:"value"`
	TTLMS    int64   `json:"ttl_ms,omitempty"`    // from now to the expiry; 0 = never
	IfAbsent bool    `json:"if_absent,omitempty"` // only if the key has no value
	If       *[]byte `json:"if,omitempty"`        // only if the value is this one
}

// KVDelete removes the value of a key.
type KVDelete struct {
	KVScope
	Key string  `json:"key"`
	If  *[]byte `json:"if,omitempty"` // only if the value is this one
}

// KVIncr adds to a value that is a 64-bit integer. A key without a value counts as 0.
type KVIncr struct {
	KVScope
	Key   string `json:"key"`
	By    int64  `json:"by"`
	TTLMS int64  `json:"ttl_ms,omitempty"` // 0 = the expiry does not change
}

// KVAnswer is the state of a key after a read or a change. A change is already on the disk.
type KVAnswer struct {
	Done    bool   `json:"done"` // the value was changed; otherwise the condition was not met, or there was nothing to delete
	Found   bool   `json:"found"`
	Value   []byte `json:"value,omitempty"`
	Expires string `json:"expires,omitempty"` // RFC 3339; "" = never
}

// KVKeys is a page of keys, ordered by their bytes. More reports whether others follow the last one.
type KVKeys struct {
	Keys []KVKey `json:"keys"`
	More bool    `json:"more,omitempty"`
}

// A KVKey describes a key.
type KVKey struct {
	Key     string `json:"key"`
	Bytes   int    `json:"bytes"`             // of the value
	Expires string `json:"expires,omitempty"` // RFC 3339; "" = never
}
