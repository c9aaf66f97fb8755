package history

import "errors"

// Newest returns at most limit runs, newest first, like List.
func (s *Store) Newest(limit int) ([]Summary, error) {
	numbers, err := s.numbers()
	if err != nil {
		return nil, err
	}
	var list []Summary
	for _, n := range numbers[:min(len(numbers), limit)] {
		sum, err := s.summary(n)
		if errors.Is(err, ErrNoRun) {
			continue // removed meanwhile
		}
		list = append(list, sum)
	}
	return list, nil
}
