package executor

import (
	"encoding/json"
)

// decode reads a line from the daemon.
func (c *command) decode(line []byte) error { return json.Unmarshal(line, c) }

// decode reads a line of the record or of the news.
func (e *entry) decode(line []byte) error { return json.Unmarshal(line, e) }
