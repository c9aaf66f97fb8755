package workspace

// endNotes returns notes about a run that is over, such as a case that matches no edge.
func (r *run) endNotes() []string { return append(r.UnmatchedNotes(), r.leftoverNotes()...) }
