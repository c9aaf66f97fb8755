package expression

import (
	"encoding/base64"
	"math"
	"strconv"
	"strings"
)

// numeric makes a function of one number; whole numbers stay whole.
func numeric(f func(float64) float64) func(k *call) any {
	return func(k *call) any {
		switch x := k.args[0].(type) {
		case int:
			if x < 0 && f(-1) == 1 {
				return subtract(k.v, k.at, 0, x)
			}
			return x
		case float64:
			return f(x)
		}
		number(k.at, k.name, k.args[0])
		return nil
	}
}

func toInt(k *call) any {
	switch x := k.args[0].(type) {
	case int:
		return x
	case float64:
		if math.Abs(x) < 1<<62 {
			return int(x)
		}
		fail(k.at, "%s does not fit into a whole number", Format(x))
	case string:
		n, err := strconv.Atoi(strings.TrimSpace(x))
		if err == nil {
			return n
		}
		fail(k.at, "%s is not a whole number", describe(x))
	}
	failWith(k.at, remedyForNumber(k.args[0]), "int needs a number or a text, not %s", describe(k.args[0]))
	return nil
}

func toFloat(k *call) any {
	switch x := k.args[0].(type) {
	case int, float64:
		return float(x)
	case string:
		f, err := strconv.ParseFloat(strings.TrimSpace(x), 64)
		if err == nil {
			return f
		}
		fail(k.at, "%s is not a number", describe(x))
	}
	failWith(k.at, remedyForNumber(k.args[0]), "float needs a number or a text, not %s", describe(k.args[0]))
	return nil
}

func trim(k *call) any {
	if len(k.args) == 2 {
		if len(k.text(1)) > 100 {
			fail(k.at, "trim takes away at most 100 different characters")
		}
		return strings.Trim(k.text(0), k.text(1))
	}
	return strings.TrimSpace(k.text(0))
}

func split(k *call) any {
	text, by, limit := k.text(0), k.text(1), -1
	if len(k.args) == 3 {
		limit = whole(k.at, k.args[2])
	}
	k.v.spend(k.at, 2*(1+strings.Count(text, by)))
	parts := strings.SplitN(text, by, limit)
	return normalized(parts)
}

func replace(k *call) any {
	text, old, by := k.text(0), k.text(1), k.text(2)
	count := strings.Count(text, old)
	k.spendBytes(len(text) + product(count, len(by)))
	return strings.ReplaceAll(text, old, by)
}

func repeat(k *call) any {
	text, times := k.text(0), whole(k.at, k.args[1])
	if times < 0 {
		fail(k.at, "repeat needs a number from 0, not %d", times)
	}
	k.spendBytes(product(len(text), times))
	return strings.Repeat(text, times)
}

// product returns a*b, or more than any budget if that would overflow.
func product(a, b int) int {
	if a != 0 && b > maxSteps*8/a {
		return maxSteps * 8
	}
	return a * b
}

func join(k *call) any {
	list, glue := k.list(0), ""
	if len(k.args) == 2 {
		glue = k.text(1)
	}
	parts, size := make([]string, len(list)), 0
	for i := range list {
		s, ok := list[i].(string)
		if !ok {
			failWith(k.at, "map(LIST, string(#)) makes texts", "join needs texts, not %s", describe(list[i]))
		}
		parts[i] = s
		size += len(s) + len(glue)
	}
	k.spendBytes(size)
	return strings.Join(parts, glue)
}

// jsonText is Format, but texts are quoted and nil is null.
func jsonText(value any) string {
	switch value.(type) {
	case []any, map[string]any:
		return Format(value)
	}
	list := Format([]any{value})
	return list[1 : len(list)-1]
}

func fromJSON(k *call) any {
	text := k.text(0)
	k.v.spend(k.at, len(text))
	value, err := Decode([]byte(text))
	if err != nil {
		fail(k.at, "the text is not JSON: %v", err)
	}
	return value
}

func fromBase64(k *call) any {
	k.spendBytes(len(k.text(0)))
	data, err := base64.StdEncoding.DecodeString(k.text(0))
	if err != nil {
		fail(k.at, "the text is no base64: %v", err)
	}
	return string(data)
}
