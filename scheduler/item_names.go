package scheduler

import "strings"

// maxItemWord is the greatest length of an item that replaces the number of its instance, in bytes.
const maxItemWord = 40

// ItemNames returns the names of the instances of a sub-flow, by number: sample[S5] is sample[4] if its
// item is S5, or data/S5. The name is "" if the item makes no name, or the same one as another item; such
// an instance is called by its number. key is the column that names items which are rows of a table; "" = none.
func ItemNames(items []any, key string) []string {
	words := make([]string, len(items))
	times := make(map[string]int, len(items))
	for k, item := range items {
		words[k] = ItemName(item, key)
		times[words[k]]++
	}
	for k, word := range words {
		if times[word] > 1 {
			words[k] = ""
		}
	}
	return words
}

// ItemText returns the text that stands for an item in paths: the item, or of a row of a table the value in the column key, or
// in its only column. ok is false if there is none.
func ItemText(item any, key string) (text string, ok bool) {
	if row, isRow := item.(map[string]any); isRow {
		if len(row) == 1 && key == "" {
			for column := range row {
				key = column
			}
		}
		item = row[key]
	}
	text, ok = item.(string)
	return text, ok
}

// ItemName returns an item as a name that a path can hold and that is not a number, or "" if it makes none. See ItemNames.
func ItemName(item any, key string) string {
	text, isText := ItemText(item, key)
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
