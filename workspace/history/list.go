package history

import (
	"errors"
	"math"
	"os"
)

// Summary is one run in a list.
type Summary struct {
	Request         // without Scope and Names
	Result  *Result // nil while the run is not over
	Problem string  // for display; "" = none
}

// List returns all runs, newest first. It is fast, because it reads neither scopes nor journals.
func (s *Store) List() ([]Summary, error) { return s.Newest(math.MaxInt) }

// Newest returns at most limit runs, newest first.
func (s *Store) Newest(limit int) ([]Summary, error) {
	numbers, err := s.Numbers()
	if err != nil {
		return nil, err
	}
	numbers = numbers[:min(len(numbers), limit)]
	list := make([]Summary, 0, len(numbers))
	for _, n := range numbers {
		sum, err := s.Summary(n)
		if errors.Is(err, ErrNoRun) {
			continue // removed meanwhile
		}
		list = append(list, sum)
	}
	return list, nil
}

// Results calls f with the results of the runs that are over, newest first, until f returns false.
func (s *Store) Results(f func(n int, res Result) bool) {
	numbers, _ := s.Numbers() // a history that cannot be read has no results
	for _, n := range numbers {
		if res, over := s.result(n); over && !f(n, *res) {
			return
		}
	}
}

// Over reports whether run n is over. A result.json, even a damaged one, is enough: it is only written
// after the end of the journal is durable.
func (s *Store) Over(n int) bool {
	if _, err := os.Lstat(s.file(n, resultFile)); err == nil {
		return true
	}
	_, over := s.journalResult(n)
	return over
}

// Summary returns one entry of List; ErrNoRun is its only error.
func (s *Store) Summary(n int) (sum Summary, err error) {
	sum.Request, err = readRequestHead(s.disk, s.file(n, requestFile))
	if err != nil {
		if gone := s.exists(n); gone != nil {
			return sum, gone
		}
		sum.Request, sum.Problem = Request{Run: n}, err.Error()
	}
	sum.Result, _ = s.result(n)
	return sum, nil
}
