package tui

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"wf/api"
)

// mockOf parses the result of a node that is not executed.
func mockOf(nodes, text string) (api.Mock, error) {
	mock := api.Mock{Nodes: nodes}
	if code, ok := strings.CutPrefix(strings.TrimSpace(text), "exit:"); ok {
		n, err := strconv.Atoi(code)
		if err != nil || n < 0 || n > 255 {
			return mock, errors.New("an exit code is a number from 0 to 255")
		}
		mock.Exit = n
		return mock, nil
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&mock.Outputs); err != nil || mock.Outputs == nil || dec.More() {
		return mock, errors.New("must be exit:N or a JSON object")
	}
	return mock, nil
}
