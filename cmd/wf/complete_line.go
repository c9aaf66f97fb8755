package main

import (
	"bytes"
	"context"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// lineCommand is the hidden command that the completion scripts of the shells call:
//
//	wf __line SHELL LINE [WORD COLUMNS TYPE]
//
// LINE is the typed line up to the cursor. The shells do not evaluate it, so that pressing the tab key cannot
// execute anything. The further arguments come from bash, see bashReply. PowerShell writes the line to
// standard input.
const lineCommand = "__line"

// completeLine prints the completions for a completion script. If anything fails, it prints nothing.
func completeLine(e *env, args []string) error {
	if len(args) == 0 {
		return nil
	}
	shell, args := args[0], args[1:]
	if len(args) == 0 {
		line, _ := io.ReadAll(io.LimitReader(e.Stdin, maxTypedLine))
		args = []string{strings.TrimRight(string(line), "\r\n")}
	}
	typed := readTyped(args[0], shell, e.Get)
	if m := machineOfTyped(e, typed); m != nil {
		m.complete(append([]string{lineCommand, shell}, args...))
		return nil
	}
	a := e.answerTyped(typed)
	_, err := io.WriteString(e.Stdout, a.reply(shell, typed, args[1:]))
	return err
}

// maxTypedLine limits a line from standard input, in bytes.
const maxTypedLine = 1 << 20

// An answer is the set of completions for a typed line.
type answer struct {
	offers  []offer
	hint    string // for people, shown above the offers; "" for none
	noSpace bool   // more may follow in the same word
}

// answerTyped returns the completions of the last word of a line.
func (e *env) answerTyped(typed typedText) answer {
	if typed.redirect {
		c := &completion{e: e, word: typed.word}
		completeFile(c)
		return answer{offers: safeOffers(c.offers), noSpace: true}
	}
	var out bytes.Buffer
	root := newRoot(e)
	root.SetArgs(append(append([]string{cobra.ShellCompRequestCmd}, typed.words...), typed.word))
	root.SetOut(&out)
	root.SetErr(io.Discard)
	addCompletion(root, e)
	if err := root.ExecuteContext(context.Background()); err != nil {
		return answer{}
	}
	return readAnswer(out.String())
}

// readAnswer parses the output of cobra: one candidate per line, and the directive in the last line.
func readAnswer(text string) answer {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	number, err := strconv.Atoi(strings.TrimPrefix(lines[len(lines)-1], ":"))
	directive := cobra.ShellCompDirective(number)
	if err != nil || directive&cobra.ShellCompDirectiveError != 0 {
		return answer{}
	}
	a := answer{noSpace: directive&cobra.ShellCompDirectiveNoSpace != 0}
	help := cobra.AppendActiveHelp(nil, "")[0]
	for _, line := range lines[:len(lines)-1] {
		if hint, found := strings.CutPrefix(line, help); found {
			a.hint = hint
			continue
		}
		name, hint, _ := strings.Cut(line, "\t")
		a.offers = append(a.offers, offer{name, hint})
	}
	return a
}
