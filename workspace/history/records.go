package history

// Request returns what was asked for when run n began, scope included.
func (s *Store) Request(n int) (Request, error) {
	if err := s.exists(n); err != nil {
		return Request{}, err
	}
	return readRequest(s.disk, s.file(n, requestFile))
}

// Replay gives the records of run n to f in order, whether the run is over or not. An error of f
// ends the reading and is returned; damage ends it too, after the records before it.
func (s *Store) Replay(n int, f func(Record) error) (Request, error) {
	req, err := s.Request(n)
	if err != nil {
		return req, err
	}
	_, err = readLog(s.disk, s.file(n, journalFile), recordReader(func(rec *Record) error { return f(*rec) }))
	return req, err
}
