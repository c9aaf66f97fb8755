package scheduler

import "strings"

// maxItemWord is the greatest length of an item that replaces the number of its instance, in bytes.
const maxItemWord = 40

// ItemNames returns the names of the instances of a sub-flow, by number: sample[S5] is sample[4] if its
// item is S5, or data/S5. The name is "" if the item makes no name, or the same one as another item; such
// an instance is called by its number.
func ItemNames(items []any) []string {
	words := make([]string, len(items))
	times := make(map[string]int, len(items))
	for k, item := range items {
		words[k] = ItemName(item)
		times[words[k]]++
	}
	for k, word := range words {
		if times[word] > 1 {
			words[k] = ""
		}
	}
	return words
}

// ItemName returns an item as a name that a path can hold and that is not a number, or "" if it makes none.
func ItemName(item any) string {
	text, isText := item.(string)
	if !isText {
		return ""
	}
	text = text[strings.LastIndexByte(text, '/')+1:]
	if text == "" || len(text) > maxItemWord || strings.Trim(text, "0123456789-") == "" {
		return ""
	}
	for _, r := range text {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '.' && r != '-' {
			return ""
		}
	}
	return text
}
