package shell

import (
	"strings"
)

// ReadVariables reads lines KEY=VALUE. It ignores empty lines and lines that begin with #. A value may be quoted, and export may
// stand before a key. wrong is the number of the first line that is not of this form, counted from 1; 0 = all are.
func ReadVariables(text string) (vars []string, wrong int) {
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		key, value, ok := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if ok {
			value, ok = withoutQuotes(value)
		}
		if !ok || key == "" || strings.ContainsAny(key, " \t\"'") || strings.ContainsRune(line, 0) {
			return nil, number
		}
		vars = append(vars, key+"="+value)
	}
	return vars, 0
}

// withoutQuotes removes the quotes around a value. In double quotes it expands \n, \t, \", \$ and \\. ok is false if a
// quote is not closed.
func withoutQuotes(value string) (text string, ok bool) {
	if value == "" || value[0] != '"' && value[0] != '\'' {
		return value, true
	}
	quote, inner := value[0], value[1:]
	if len(inner) == 0 || inner[len(inner)-1] != quote {
		return "", false
	}
	inner = inner[:len(inner)-1]
	if quote == '\'' {
		return inner, !strings.Contains(inner, "'")
	}
	var b strings.Builder
	for i := 0; i < len(inner); i++ {
		c := inner[i]
		if c == '"' {
			return "", false
		}
		if c == '\\' {
			if i++; i == len(inner) {
				return "", false
			}
			switch c = inner[i]; c {
			case 'n':
				c = '\n'
			case 't':
				c = '\t'
			case '"', '\\', '$', '`':
			default:
				b.WriteByte('\\')
			}
		}
		b.WriteByte(c)
	}
	return b.String(), true
}
