package history

// Request returns the request of run n, including the scope.
func (s *Store) Request(n int) (Request, error) {
	if err := s.exists(n); err != nil {
		return Request{}, err
	}
	return readRequest(s.disk, s.file(n, requestFile))
}

// Replay calls f for the records of run n in order, whether the run is over or not. It stops at an error
// of f and at damage, and returns the error.
func (s *Store) Replay(n int, f func(Record) error) (Request, error) {
	req, err := s.Request(n)
	if err != nil {
		return req, err
	}
	_, err = readLog(s.disk, s.file(n, journalFile), recordReader(func(rec *Record) error { return f(*rec) }))
	return req, err
}
