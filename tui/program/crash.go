// Package program runs a Bubble Tea model with a limit on the screens per second, and restores the terminal after a
// panic in any goroutine. It contains nothing about what the model shows.
package program

import (
	"fmt"
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"
)

// A Crash is a panic, caused by a bug in the interface or in a library. Run returns it as its error after it has
// restored the terminal.
type Crash struct {
	Value any
	Stack []byte // of the goroutine that panicked
}

// Error returns the value of the panic as text, without the stack.
func (c *Crash) Error() string { return fmt.Sprint(c.Value) }

// Catch is deferred by goroutines that no tea.Cmd waits for. It recovers a panic and passes it to carry. The caller
// hands it to a tea.Cmd, which panics with it again.
func Catch(carry func(*Crash)) {
	if r := recover(); r != nil {
		carry(crashOf(r))
	}
}

// crashOf converts the result of recover into a Crash. The result may be a Crash already, from another goroutine.
func crashOf(r any) *Crash {
	if c, ok := r.(*Crash); ok {
		return c
	}
	return &Crash{r, debug.Stack()}
}

// guard returns cmd with its panics, and those of all commands of its batches, converted into messages of type
// *Crash, because only the model's goroutine can restore the terminal before the crash is reported.
func guard(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer Catch(func(c *Crash) { msg = c })
		msg = cmd()
		if list, ok := msg.(tea.BatchMsg); ok {
			for i := range list {
				list[i] = guard(list[i])
			}
		}
		return msg
	}
}

// A shield is a model that ends its program in order after a panic, its own or one of its commands, as if the user
// had left: the program waits for its reader of keys and restores the terminal.
type shield struct {
	tea.Model
	bug  *Crash
	quit func() // ends the program; it may wait for the model
}

// hit recovers a panic. It is deferred by the methods that call the model.
func (s *shield) hit() {
	if r := recover(); r != nil {
		s.bug = crashOf(r)
		go s.quit()
	}
}

func (s *shield) Init() tea.Cmd { return guard(s.Model.Init()) }

func (s *shield) Update(msg tea.Msg) (m tea.Model, cmd tea.Cmd) {
	m = s // also after a panic
	defer s.hit()
	if c, ok := msg.(*Crash); ok {
		panic(c)
	}
	if s.bug == nil {
		_, cmd = s.Model.Update(msg)
	}
	return m, guard(cmd)
}

func (s *shield) View() (v tea.View) {
	defer s.hit()
	if v.AltScreen = true; s.bug == nil {
		v = s.Model.View()
	}
	return v
}

// Run runs a model until its program ends, with a limit on the screens per second. After a panic in the model, or in
// Bubble Tea where it can be recovered, Run restores the terminal and returns a *Crash. Before the program starts it
// calls made with it.
func Run(m tea.Model, made func(*tea.Program), opts ...tea.ProgramOption) (err error) {
	s := &shield{Model: newPaced(m)}
	p := tea.NewProgram(s, append(opts, tea.WithoutCatchPanics(), tea.WithFPS(int(time.Second/Interval)))...)
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
