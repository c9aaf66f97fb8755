package api

// AcceptRequest declares that what is there is the result of nodes. Of the RunRequest, the selectors, the parameters and the
// environment count: the values are those that a run with them would have.
type AcceptRequest struct {
	RunRequest
}

// AcceptResult is the answer to an AcceptRequest.
type AcceptResult struct {
	Nodes []string `json:"nodes"` // handles or paths of the nodes that are up to date now
}
