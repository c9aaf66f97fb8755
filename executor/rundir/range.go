package rundir

// A Range is a part of a file in the folder of a run. The daemon's journals contain it as JSON.
type Range struct {
	File  string `json:"file"`  // slash-separated, relative to the folder; "" = no output
	Start int64  `json:"start"` // in bytes
	End   int64  `json:"end"`   // -1 = the file still grows
}
