package tui

import (
	"fmt"
	"strings"
)

// Keys returns the help page about the keys, generated from the registry.
func Keys() string {
	keys := registry()
	var b strings.Builder
	b.WriteString(`KEYS

wf FILE, or wf in a folder with a Workfile, opens the terminal interface. It runs nothing by
itself, and leaving it stops nothing. ? shows the keys of the current screen, and : finds any of
these actions by its name. It asks before anything is lost, and the first answer is no.
`)
	for _, part := range []struct {
		where place
		title string
	}{
		{atDrawing, "THE DRAWING"}, {atSide | atLog, "LOGS AND REASONS"}, {atRuns | atHome, "RUNS AND WORKFILES"}, {atInbox, "WHAT WAITS FOR PEOPLE"}, {atDigest, "FAILURES"},
	} {
		fmt.Fprintf(&b, "\n%s\n\n", part.title)
		for i := range keys {
			if a := &keys[i]; a.where&part.where != 0 && a.where&atHelp == 0 && firstPart(a.where) == part.where {
				fmt.Fprintf(&b, "  %-20s %s\n", docKeys(a), a.help)
			}
		}
	}
	b.WriteString("\nEVERYWHERE\n\n")
	for i := range keys {
		if a := &keys[i]; a.where&atHome != 0 && a.where&atDrawing != 0 {
			fmt.Fprintf(&b, "  %-20s %s\n", docKeys(a), a.help)
		}
	}
	b.WriteString(mousePage)
	return strings.TrimRight(b.String(), "\n")
}

const mousePage = `
MOUSE

  A click selects, a double click opens, the wheel scrolls what is under the pointer, the line
  between the panes can be dragged, the right button lists what can be done. Shift-drag selects
  text, as in other programs.

SUB-FLOWS AND QUESTIONS

  A sub-flow is one row with counts: how many instances succeeded, of how many, then how many
  failed, wait and run. Enter opens it: its nodes, the instances that failed, wait or run, and
  the others in pages of twenty; # goes to an instance by its number. Enter on an instance opens
  its nodes, which have logs, reasons and stops like any other node. A failure or a question in a
  sub-flow has a row even while the sub-flow is folded.

  The header counts the nodes that wait for a person. A lists them, those of other workfiles
  included; y approves, with KEY=VALUE lines for the command, x rejects. Enter on a node that
  waits asks, too.

THE GRAPH

  The graph is drawn in the largest form that fits the pane: boxes with state and time, lines
  with names and times, short names. If that is too much, similar nodes share a box (×8), with
  the number of those that are done and of those that failed, wait or run. Enter draws them one
  by one in their place, Backspace puts them together again; n goes to a failed node in a box
  that stays closed. z draws another size, also a larger one that scrolls, 0 what fits.

  Lines end in arrowheads; where two only cross, one is not drawn. The path of the selection,
  all that leads to it and follows it, has the colours of the states it comes from; everything
  else is dim, until t shows all lines alike. A condition stands on the line where it leaves its
  node. A line that was not taken is dim and has a cross; a dashed one does not block; a dotted
  one leads through nodes that the filter hides.

  v lists the nodes instead, with the lines on the left. If more than six lines would stand side
  by side, only those of the selected node are shown: those that lead to it on the left of the
  signs of the states, those that lead on from it on their right.

TIMES, TINTS AND REPLAY

  Beside the list, where there is room, a strip shows when each node ran: a bar for each attempt,
  in the colour of how it ended, and dashes while it could run and waited. t hides the strip.

  T colours the names by how long the nodes took, in five steps, each twice the one before, then
  by the critical path, the one of wf runs show. A sign before the time says the same.

  F lets the selection follow what runs longest, until you move it. , and . go through the run
  that is shown, or the latest one, from its history: the drawing, the times and the header are
  those of that moment. Home and End go to the ends of the run, Esc goes back to now.

  While a choice of the run menu is selected, the drawing shows what it would run, what may run
  after certain outcomes, and what is kept: the plan of wf plan.

LOGS

  A line has the time by which it was written: a run measures its outputs once a second. Lines
  that arrive while they are watched have the time of their arrival. The time is blank where it
  is not known: for runs of earlier versions, and outputs that came with the file.

  Standard error has a sign before each line and a colour of its own where the streams are kept
  apart (output=split). Otherwise both are one output, and nothing tells which line is which.

  After scrolling up, the last row says how many lines have arrived below; G goes there.

COLOURS

  The palette follows the terminal: dark or light, as the terminal says, or 16 colours. --palette,
  WF_PALETTE or the setting palette choose another one: dark, light, colorblind, 16 or none.
  NO_COLOR switches colours off. A click on a sign or a line says what it means.

FILTERS

  Terms with blanks between them must all hold; commas stand between alternatives; ! negates.

  align bwa       letters of the handle in this order, or a part of the command
  s:failed        by state
  g:align         by group; patterns too
  +x  x+          x and all that leads to it, or follows it
  dur>1m dur<5s   by how long it ran`

// firstPart returns the part of the page that has an action of these places.
func firstPart(where place) place {
	switch {
	case where&atDrawing != 0 && where&atHome == 0:
		return atDrawing
	case where&(atSide|atLog) != 0 && where&atHome == 0:
		return atSide | atLog
	case where == atInbox, where == atDigest:
		return where
	case where&atDrawing == 0:
		return atRuns | atHome
	}
	return 0
}

// docKeys returns the keys of an action in ASCII, for manual pages.
func docKeys(a *action) string {
	if len(a.keys) == 0 {
		return ": " + a.name
	}
	names := make([]string, 0, 4)
	for _, key := range a.keys {
		if len(names) == 4 && len(a.keys) > 4 {
			break
		}
		names = append(names, keyName(key, true))
	}
	return strings.Join(names, " ")
}
