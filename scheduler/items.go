package scheduler

import "strings"

// maxItemWord bounds items that stand for the number of their instance, in bytes.
const maxItemWord = 40

// ItemNames are the words by which people call the instances of a sub-flow, by number: sample[S5] is
// sample[4] when the item is S5, or data/S5. An instance whose item is no word, or that of another one, has
// "": it is called by its number.
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

// ItemName returns an item as a word that a path can hold and that is no number, "" if there is none.
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
