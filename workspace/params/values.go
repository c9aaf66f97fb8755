package params

import (
	"encoding/json"

	"wf/scheduler/expression"
)

// Decode decodes a JSON object of values for use in expressions. It returns nil if there are none.
func Decode(data []byte) (map[string]any, error) {
	if len(data) == 0 {
		return nil, nil
	}
	var values expression.Values
	if err := json.Unmarshal(data, &values); err != nil {
		return nil, err
	}
	return values, nil
}

// Exact converts the values of a request for use in expressions. Numbers keep their notation.
func Exact(values map[string]any) (map[string]any, error) {
	if len(values) == 0 {
		return values, nil
	}
	data, err := json.Marshal(values)
	if err != nil {
		return nil, err
	}
	return Decode(data)
}
