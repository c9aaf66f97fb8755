package expression

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"time"
)

// Format returns a value as text, for environment variables and texts with ${{ }}: texts unchanged, whole
// numbers without a point, nil as nothing, lists and maps as compact JSON, times as RFC 3339.
func Format(value any) string {
	switch x := value.(type) {
	case nil:
		return ""
	case string:
		return x
	case bool:
		return strconv.FormatBool(x)
	case int:
		return strconv.Itoa(x)
	case int64:
		return strconv.FormatInt(x, 10)
	case float64:
		return formatFloat(x)
	case time.Time:
		return x.Format(time.RFC3339Nano)
	case time.Duration:
		return x.String()
	}
	buffer := &bytes.Buffer{}
	encoder := json.NewEncoder(buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(printable(value)); err != nil {
		return ""
	}
	return string(bytes.TrimSuffix(buffer.Bytes(), []byte("\n")))
}

// formatFloat writes whole numbers without a point or an exponent while they are exact.
func formatFloat(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1<<53 {
		return strconv.FormatInt(int64(x), 10)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// printable replaces values that JSON cannot represent, within lists and maps, by texts.
func printable(value any) any {
	switch x := value.(type) {
	case []any:
		list := make([]any, len(x))
		for i := range x {
			list[i] = printable(x[i])
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(x))
		for key := range x {
			m[key] = printable(x[key])
		}
		return m
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return Format(x)
		}
		return json.Number(formatFloat(x))
	case time.Time, time.Duration:
		return Format(x)
	}
	return value
}

// Decode reads one JSON value with the types of expressions: whole numbers that fit are int, others
// float64.
func Decode(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("there is no JSON value")
		}
		return nil, err
	}
	end := d.InputOffset()
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, &trailingError{end}
	}
	return numbers(value)
}

// trailingError says that there is text after the JSON value, which ends at the offset.
type trailingError struct{ end int64 }

func (e *trailingError) Error() string { return "there is text after the JSON value" }

// numbers replaces json.Number everywhere in a value, in place.
func numbers(value any) (any, error) {
	var err error
	switch x := value.(type) {
	case json.Number:
		if whole, err := strconv.Atoi(x.String()); err == nil {
			return whole, nil
		}
		return x.Float64()
	case []any:
		for i := range x {
			if x[i], err = numbers(x[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for key := range x {
			if x[key], err = numbers(x[key]); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

// kindOf returns the name of the kind of a value for messages.
func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "nil"
	case bool:
		return "a truth value"
	case int, float64:
		return "a number"
	case string:
		return "a text"
	case []any:
		return "a list"
	case map[string]any:
		return "a map"
	case time.Time:
		return "a time"
	case time.Duration:
		return "a duration"
	case Node:
		return "a node"
	}
	return "something else"
}

// normalized converts a value of Env to the kinds of the evaluation.
func normalized(value any) any {
	switch x := value.(type) {
	case int64:
		return int(x)
	case int32:
		return int(x)
	case float32:
		return float64(x)
	case json.Number:
		if n, err := numbers(x); err == nil {
			return n
		}
		return x.String()
	case []string:
		list := make([]any, len(x))
		for i := range x {
			list[i] = x[i]
		}
		return list
	}
	return value
}

// Values is named values. In JSON they keep their types, as Decode gives them.
type Values map[string]any

// UnmarshalJSON reads an object.
func (v *Values) UnmarshalJSON(data []byte) (err error) {
	*v, err = decodeAs[map[string]any](data, "named values are a JSON object")
	return err
}

// List is values in order. In JSON they keep their types, as Decode gives them.
type List []any

// UnmarshalJSON reads a list.
func (l *List) UnmarshalJSON(data []byte) (err error) {
	*l, err = decodeAs[[]any](data, "a list of values is a JSON list")
	return err
}

// decodeAs decodes a value of a type, or null. problem is the error for a value of another type.
func decodeAs[T any](data []byte, problem string) (t T, err error) {
	value, err := Decode(data)
	if err != nil || value == nil {
		return t, err
	}
	t, ok := value.(T)
	if !ok {
		err = errors.New(problem)
	}
	return t, err
}
