package shell

import "slices"

// Value returns the value of key in env, the last one if there are several.
func Value(env []string, key string) (string, bool) {
	for _, v := range slices.Backward(env) {
		if len(v) > len(key) && v[len(key)] == '=' && v[:len(key)] == key {
			return v[len(key)+1:], true
		}
	}
	return "", false
}
