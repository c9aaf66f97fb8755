package flow

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ParseTime reads a point in time as the attribute wait_until has it (RFC 3339). The error contains what is
// wrong and what to write, without the text itself.
func ParseTime(text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, strings.TrimSpace(text))
	if err != nil {
		return time.Time{}, fmt.Errorf("is not a time; write it like 2026-01-31T18:00:00Z or 2026-01-31T18:00:00+01:00")
	}
	return t, nil
}

// parseCodes reads a list of exit codes: 2,10-20.
func parseCodes(text string) (Codes, error) {
	var codes Codes
	for word := range strings.FieldsFuncSeq(text, isSeparator) {
		low, high, ranged := strings.Cut(word, "-")
		a, errA := strconv.Atoi(low)
		b, errB := a, error(nil)
		if ranged {
			b, errB = strconv.Atoi(high)
		}
		switch {
		case errA != nil || errB != nil:
			return nil, fmt.Errorf("%s is not an exit code; write codes like 2,10-20", shown(word))
		case a < 0 || b > 255:
			return nil, fmt.Errorf("%s is not an exit code: exit codes are 0 to 255", shown(word))
		case a > b:
			return nil, fmt.Errorf("%s is empty; write %d-%d", shown(word), b, a)
		}
		codes = append(codes, [2]int{a, b})
	}
	if codes == nil {
		return nil, fmt.Errorf("no exit code is named; write codes like 2,10-20")
	}
	return codes, nil
}

func isSeparator(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' || r == '\r' }

// parseOn reads the attribute retry_on: exit:CODES and names of failures, in any order.
func (r *Retry) parseOn(text string) error {
	const last = len(RetryReasons) - 1
	codes := &strings.Builder{}
	for word := range strings.FieldsFuncSeq(text, isSeparator) {
		rest, exit := strings.CutPrefix(word, "exit:")
		switch {
		case exit:
			codes.WriteString("," + rest)
		case slices.Contains(RetryReasons[:], word):
			r.On.Reasons = append(r.On.Reasons, word)
		case codes.Len() > 0 && word[0] >= '0' && word[0] <= '9':
			codes.WriteString("," + word)
		default:
			return fmt.Errorf("%s is unknown; write exit:CODES, %s or %s, with commas between them", shown(word),
				strings.Join(RetryReasons[:last], ", "), RetryReasons[last])
		}
	}
	if codes.Len() == 0 {
		return nil
	}
	var err error
	r.On.Exit, err = parseCodes(codes.String())
	return err
}

// parsePool reads the attribute pool: gpu:1,license:2. A pool without a number means one unit.
func parsePool(text string) ([]PoolUse, error) {
	var uses []PoolUse
	named := map[string]bool{}
	for word := range strings.FieldsFuncSeq(text, isSeparator) {
		name, number, given := strings.Cut(word, ":")
		units := 1
		if given {
			var err error
			if units, err = strconv.Atoi(number); err != nil || units < 1 {
				return nil, fmt.Errorf("%s needs a whole number from 1 after the colon; write it like gpu:1", shown(word))
			}
		}
		if name == "" || strings.Trim(name, nameCharacters) != "" {
			return nil, fmt.Errorf("%s needs a name of letters, digits, _ . and -; write it like gpu:1", shown(word))
		}
		if named[name] {
			return nil, fmt.Errorf("the pool %s is named twice; write the sum", name)
		}
		named[name] = true
		uses = append(uses, PoolUse{name, units})
	}
	return uses, nil
}
