package remote

import "io"

// ask passes a question of ssh on to the first caller that can answer. Callers that have ended meanwhile are skipped.
func (k *Keeper) ask(asker *caller, req Request) {
	asked := map[*caller]bool{}
	for {
		to := k.nextToAsk(asked)
		if to == nil {
			if !req.Show {
				k.setAsked(req.Prompt)
			}
			_ = writeLine(asker.conn, answer{})
			return
		}
		if to.ask(asker, req) {
			return
		}
		asked[to] = true
	}
}

// nextToAsk returns a caller that waits and can answer questions, nil if there is none.
func (k *Keeper) nextToAsk(asked map[*caller]bool) *caller {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range k.waiting {
		if c.interactive && !asked[c] {
			return c
		}
	}
	return nil
}

// ask passes a question on to this caller, and its answer to the program that asks for ssh. It returns false if the caller has
// ended.
func (c *caller) ask(asker *caller, req Request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if req.Show {
		if writeLine(c.conn, reply{Note: req.Prompt}) != nil {
			return false
		}
		_, _ = io.Copy(io.Discard, asker.in) // ssh ends the program
		return true
	}
	var a answer
	if writeLine(c.conn, reply{Ask: req.Prompt, Secret: secret(req.Prompt)}) != nil || readLine(c.in, &a) != nil {
		return false
	}
	_ = writeLine(asker.conn, a)
	return true
}

// setAsked stores a question that no caller could answer.
func (k *Keeper) setAsked(question string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked = question
}

// unanswered returns the last question that no caller could answer, "" if there was none since the start of ssh.
func (k *Keeper) unanswered() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.asked
}
