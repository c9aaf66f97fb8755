package workspace

import (
	"encoding/json"

	"wf/api"
)

// inputRecord encodes inputs for the journal.
func inputRecord(in *api.Inputs) json.RawMessage {
	if in == nil {
		return nil
	}
	data, _ := json.Marshal(in) // texts and numbers
	return data
}
