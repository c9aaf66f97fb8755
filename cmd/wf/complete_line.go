package main

import (
	"bytes"
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// lineCommand is the hidden command that the completion scripts of the shells ask:
//
//	wf __line SHELL LINE [WORD COLUMNS TYPE]
//
// LINE is the line up to the cursor, as it was typed. Shells evaluate nothing of it, so that pressing a key
// cannot execute what somebody else has put there. What follows is bash's, see bashReply. PowerShell writes
// the line to standard input.
const lineCommand = "__line"

// completeLine answers a completion script. Whatever goes wrong, it offers nothing and says nothing.
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
	a := e.answerTyped(typed)
	_, err := io.WriteString(e.Stdout, a.reply(shell, typed, args[1:]))
	return err
}

// maxTypedLine bounds a line that comes from standard input, in bytes.
const maxTypedLine = 1 << 20

// An answer is what wf offers for a typed line.
type answer struct {
	offers  []offer
	hint    string // for people, shown above the offers; "" for none
	noSpace bool   // more may follow in the same word
}

// An offer is one thing that the last word may become: the whole word, but for the flag before an equals sign.
type offer struct{ text, hint string }

// answerTyped asks the commands what the last word of a line may become.
func (e *env) answerTyped(typed typedText) answer {
	if typed.redirect {
		return answer{offers: offersOf(gate(filesBeginning(e, typed.word, anyName))), noSpace: true}
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

// readAnswer reads what cobra prints: a candidate a line, and at the end what to do with them.
func readAnswer(text string) answer {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	directive := parseDirective(lines[len(lines)-1])
	if directive&cobra.ShellCompDirectiveError != 0 {
		return answer{}
	}
	a := answer{noSpace: directive&cobra.ShellCompDirectiveNoSpace != 0}
	help := cobra.AppendActiveHelp(nil, "")[0]
	for _, line := range lines[:len(lines)-1] {
		if hint, found := strings.CutPrefix(line, help); found {
			a.hint = hint
			continue
		}
		a.offers = append(a.offers, offersOf([]string{line})...)
	}
	return a
}

func offersOf(candidates []cobra.Completion) []offer {
	var list []offer
	for _, c := range candidates {
		text, hint, _ := strings.Cut(c, "\t")
		list = append(list, offer{text, hint})
	}
	return list
}

// parseDirective reads cobra's last line, ":4".
func parseDirective(line string) cobra.ShellCompDirective {
	var d cobra.ShellCompDirective
	for _, digit := range strings.TrimPrefix(line, ":") {
		if digit < '0' || digit > '9' {
			return cobra.ShellCompDirectiveError
		}
		d = d*10 + cobra.ShellCompDirective(digit-'0')
	}
	return d
}
