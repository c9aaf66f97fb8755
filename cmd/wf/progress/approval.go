package progress

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"wf/api"
	"wf/client/runview"
	"wf/cmd/wf/exit"
	"wf/tui/plain"
	"wf/tui/words"
)

// What a command that shows a run does when a node waits for a person.
const (
	ApprovalAuto = "auto" // ask if there is a terminal, otherwise wait
	ApprovalAsk  = "ask"
	approvalWait = "wait"
	ApprovalFail = "fail"
)

var ApprovalWords = []string{ApprovalAuto, ApprovalAsk, approvalWait, ApprovalFail}

// causeApproval is the cause of a stop by --approval fail in the history.
const causeApproval = "approval"

// approvalState is the state of the questions of approvals. It belongs to the goroutine of loop.
type approvalState struct {
	Approval   string            // one of the words
	pending    runview.Questions // open questions; the first one is shown
	confirming byte              // 'a', 'r' or the digit of a choice after that key: the next key confirms; otherwise 0
	unanswered string            // the node because of which --approval fail stops the run; "" = none
}

// asksApproval reports whether questions are asked on the terminal.
func (f *Follower) asksApproval() bool {
	if f.view.keyboard == nil {
		return false
	}
	switch f.Approval {
	case ApprovalAsk:
		return true
	case ApprovalAuto, "":
		return f.view.progress() && !f.opt.Quiet && !f.opt.JSON
	}
	return false
}

// applyApproval applies an event to the open questions.
func (f *Follower) applyApproval(ev api.Event) {
	asked, closed := f.pending.Apply(ev)
	if asked == nil && closed < 0 {
		return
	}
	if asked != nil {
		f.stopUnanswered(*asked)
		if f.asksApproval() {
			f.requestApprovals() // the event does not tell the possible answers
		}
	}
	if closed == 0 {
		f.confirming = 0
	}
	f.showQuestion()
}

// stopUnanswered stops the run because of a new question if --approval fail was given and the question has no
// timeout.
func (f *Follower) stopUnanswered(a api.Approval) {
	if f.Approval != ApprovalFail || a.Until != nil || f.unanswered != "" || f.asked > 0 {
		return
	}
	f.unanswered = a.Name
	ms := f.Grace.Milliseconds()
	f.sendStop(api.StopRequest{GraceMS: &ms, Cause: causeApproval})
}

// requestApprovals asks the daemon for the questions that are older than the snapshot, and for the possible answers.
func (f *Follower) requestApprovals() {
	f.inquire(func() func() {
		list, err := f.target.Workspace.Approvals(f.ctx)
		return func() {
			if err != nil {
				return // the run is shown without them
			}
			for _, a := range list.Approvals {
				switch {
				case a.Run != f.Run:
				case f.pending.Add(a):
					f.view.printApproval(time.Now(), a)
					f.stopUnanswered(a)
				case f.pending.Complete(a):
					a.Text = "" // has been printed
					printQuestion(f.view, a)
				}
			}
			f.showQuestion()
		}
	})
}

// showQuestion shows the first open question on the terminal, or removes it: below the redrawn rows, or
// as a line if nothing is redrawn.
func (f *Follower) showQuestion() {
	if f.asking || !f.asksApproval() {
		return // another question is open
	}
	text := f.approvalQuestion()
	if l := f.view.live; l != nil {
		l.question, l.dirty = text, true
		return
	}
	switch {
	case text == "":
		f.view.keyboard.Close()
	case f.view.term.Foreground() && f.view.keyboard.Listen():
		f.view.print("%s", text)
	}
}

// approvalQuestion returns the text of the question that is open; "" for none.
func (f *Follower) approvalQuestion() string {
	if len(f.pending) == 0 || f.unanswered != "" {
		return ""
	}
	a := f.pending[0]
	name := plain.Line(a.Name)
	switch c := chosen(a, f.confirming); {
	case c != nil:
		return "approve " + name + ": " + words.Outcome(*c) + "?  [y]es  any other key: no"
	case f.confirming == 'a':
		return "approve " + name + "?  [y]es  any other key: no"
	case f.confirming == 'r':
		return "reject " + name + "?  [y]es  any other key: no"
	}
	text := name + " waits for a person:"
	for i, c := range a.Choices[:min(len(a.Choices), mostChoices)] {
		text += fmt.Sprintf("  [%d] %s", i+1, plain.Line(c.Case))
	}
	if !a.NeedsCase {
		text += "  [a]pprove"
	}
	text += "  [r]eject"
	if rest := len(f.pending) - 1; rest > 0 {
		text += "  [n]ext of " + words.Plural(rest+1, "question")
	}
	return text
}

// mostChoices is the number of choices that have a key.
const mostChoices = 9

// chosen returns the choice of a digit, or nil.
func chosen(a api.Approval, key byte) *api.ApprovalChoice {
	if i := int(key) - '1'; i >= 0 && i < min(len(a.Choices), mostChoices) {
		return &a.Choices[i]
	}
	return nil
}

// answerKey handles a key while a question about an approval is open. It reports whether the key was part
// of an answer.
func (f *Follower) answerKey(key byte) bool {
	if f.asking || len(f.pending) == 0 || f.unanswered != "" || !f.asksApproval() {
		return false
	}
	verb := f.confirming
	f.confirming = 0
	switch {
	case verb != 0 && (key == 'y' || key == 'Y'):
		f.answer(verb)
	case verb != 0: // not confirmed
	case strings.IndexByte("rR", key) >= 0, strings.IndexByte("aA", key) >= 0 && !f.pending[0].NeedsCase:
		f.confirming = key | 0x20 // in lower case
	case chosen(f.pending[0], key) != nil:
		f.confirming = key
	case key == 'n' && len(f.pending) > 1:
		f.pending.Next()
	default:
		return false
	}
	f.showQuestion()
	return true
}

// answer sends the decision of a key to the daemon. The event that follows is shown.
func (f *Follower) answer(key byte) {
	a, approved := f.pending[0], key != 'r'
	d := api.Decision{Node: a.Node, Run: a.Run, Approved: approved, User: f.e.User()}
	if c := chosen(a, key); c != nil {
		d.Values = map[string]any{"case": c.Case}
	}
	f.pending = slices.Delete(f.pending, 0, 1)
	f.inquire(func() func() {
		_, err := f.target.Workspace.Decide(f.ctx, d)
		return func() {
			if err != nil {
				f.view.print("note: %s was not %s: %s", plain.Line(a.Name), words.Decided(approved), plain.Line(reasonOf(err)))
				f.requestApprovals()
			}
		}
	})
}

// reasonOf returns an error as one line, with the problem of each value of an answer.
func reasonOf(err error) string {
	var refused *api.Error
	if !errors.As(err, &refused) || len(refused.Problems) == 0 {
		return err.Error()
	}
	return refused.Message + ": " + strings.ReplaceAll(refused.Why, "\n", ", ") + ": " + refused.Fix
}

// printApproval prints that a node waits for a person, its question, and how to answer.
func (v *Display) printApproval(at time.Time, a api.Approval) {
	if v.opt.JSON && v.opt.Progress == "auto" {
		return
	}
	v.at(at, "%s %s waits for a person%s", v.p.Glyph(api.StateWaiting), v.p.Strong(plain.Line(a.Name)), words.DecidedByItself(a, at))
	printQuestion(v, a)
	rest := words.Quote(a.Name) + " --run " + a.Run + v.target.FileFlag
	set := ""
	if a.NeedsCase {
		set = " --set case=" + words.Quote(a.Choices[0].Case)
	}
	v.print("    wf approve %s%s    wf reject %s", rest, set, rest)
}

func printQuestion(v *Display, a api.Approval) {
	for _, line := range words.QuestionLines(a) {
		v.print("    %s", line)
	}
}

// noAnswer returns the error of a command whose run was stopped because of --approval fail.
func (f *Follower) noAnswer() error {
	return &exit.Failure{Status: exit.Unanswered, What: plain.Line(f.unanswered) + " waits for a person",
		Why: "run " + f.Run + " was stopped: --approval fail", Fix: "wf resume --approval wait" + f.target.FileFlag}
}
