package tui

import (
	"fmt"
	"runtime/debug"

	tea "charm.land/bubbletea/v2"
)

// A Crash is a panic: a bug in the interface, or in what it is made of. Run returns it as its error when
// the terminal is as it was.
type Crash struct {
	Value any
	Stack []byte // of the goroutine that panicked
}

// Error is what was panicked with, without the stack.
func (c *Crash) Error() string { return fmt.Sprint(c.Value) }

// catch is deferred by a goroutine whose panics are to be carried to the model and to panic there again:
// only there can the terminal be restored before they are told.
func catch(carry func(*Crash)) {
	if r := recover(); r != nil {
		carry(crashOf(r))
	}
}

// crashOf is the crash that r, which was recovered in a deferred function, is about: it may have been
// carried from another goroutine.
func crashOf(r any) *Crash {
	if c, ok := r.(*Crash); ok {
		return c
	}
	return &Crash{r, debug.Stack()}
}

// guarded is cmd with its panics carried to the model, as those are that it puts together with others.
func guarded(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer catch(func(c *Crash) { msg = c })
		msg = cmd()
		if list, ok := msg.(tea.BatchMsg); ok {
			for i := range list {
				list[i] = guarded(list[i])
			}
		}
		return msg
	}
}

// A shield is a model whose panics end its program in order, as leaving does: what reads keys is waited
// for, and the terminal is given back.
type shield struct {
	tea.Model
	bug  *Crash
	quit func() // ends the program; it may wait for the model
}

// hit is deferred by what may panic.
func (s *shield) hit() {
	if r := recover(); r != nil {
		s.bug = crashOf(r)
		go s.quit()
	}
}

func (s *shield) Update(msg tea.Msg) (m tea.Model, cmd tea.Cmd) {
	m = s // also after a panic
	defer s.hit()
	if s.bug == nil {
		_, cmd = s.Model.Update(msg)
	}
	return m, cmd
}

func (s *shield) View() (v tea.View) {
	defer s.hit()
	if v.AltScreen = true; s.bug == nil {
		v = s.Model.View()
	}
	return v
}

// run runs a model. A panic in it is an error when the terminal has been given back, and so is one in
// Bubble Tea where that can be caught; made is told the program.
func run(m tea.Model, made func(*tea.Program), opts ...tea.ProgramOption) (err error) {
	s := &shield{Model: m}
	p := tea.NewProgram(s, append(opts, tea.WithoutCatchPanics())...)
	s.quit = p.Quit
	made(p)
	defer func() {
		if r := recover(); r != nil {
			err = crashOf(r)
			p.Kill()
		}
	}()
	if _, err = p.Run(); s.bug != nil {
		return s.bug
	}
	return err
}
