package main

import (
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/creack/pty"
)

//go:generate go test . -run TestPicture -write-picture

var writePicture = flag.Bool("write-picture", false, "rewrite docs/picture.svg from a real screen")

// pictureBytes limits the picture, because the README loads it.
const pictureBytes = 60 << 10

// TestPicture checks docs/picture.svg and its size. With -write-picture it replaces the picture by the screen of an example
// that wf runs on a terminal.
func TestPicture(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "picture.svg")
	if *writePicture {
		if err := os.WriteFile(path, drawScreen(photograph(t)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > pictureBytes {
		t.Errorf("the picture has %d bytes, more than %d", len(data), pictureBytes)
	}
	for dec := xml.NewDecoder(strings.NewReader(string(data))); ; {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// pictured is the example: a run with succeeded, failed, running and blocked nodes.
const pictured = `digraph {
  fetch  [command="seq 15000 > reads; echo 15000 reads"]
  trim_a [command="split -n 1/5 reads > a.fq; echo kept 2871 of 3000"]
  trim_b [command="split -n 2/5 reads > b.fq; echo kept 2790 of 3000"]
  trim_c [command="split -n 3/5 reads > c.fq; echo kept 2903 of 3000"]
  trim_d [command="split -n 4/5 reads > d.fq; echo kept 2966 of 3000"]
  trim_e [command="split -n 5/5 reads > e.fq; echo kept 2754 of 3000"]
  align_a [command="sort a.fq > a.sam"]
  align_b [command="echo loading the index of genome.fa; echo error: b.fq: no quality line after read 512 >&2; exit 1"]
  align_c [command="sort c.fq > c.sam; cat go"]
  align_d [command="sort d.fq > d.sam"]
  align_e [command="sort e.fq > e.sam"]
  sort_a [command="sort -n a.sam > a.bam"]
  sort_b [command="sort -n b.sam > b.bam"]
  sort_c [command="sort -n c.sam > c.bam"]
  sort_d [command="sort -n d.sam > d.bam"]
  sort_e [command="sort -n e.sam > e.bam"]
  call   [command="cat ?.bam > variants"]
  report [command="wc -l variants"]
  stats  [command="wc -l a.bam > stats"]
  fetch -> trim_a -> align_a -> sort_a -> call
  fetch -> trim_b -> align_b -> sort_b -> call
  fetch -> trim_c -> align_c -> sort_c -> call -> report
  fetch -> trim_d -> align_d -> sort_d -> call
  fetch -> trim_e -> align_e -> sort_e -> call
  sort_a -> stats -> report
}
`

// photograph runs the example on a terminal and returns its screen.
func photograph(t *testing.T) *emulator {
	home, err := os.MkdirTemp("", "wf") // a short path, for the socket
	if err != nil {
		t.Fatal(err)
	}
	w := &sandbox{home: home, bin: buildProgram(t), started: map[string]*started{}}
	work := filepath.Join(t.TempDir(), "variants")
	w.vars = append(os.Environ(), "PATH="+w.bin+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+work, "LANG=C.UTF-8",
		"TERM=xterm-256color", "WF_RUNTIME_DIR="+filepath.Join(home, "run"), "WF_STATE_DIR="+filepath.Join(home, "state"))
	defer func() {
		if err := w.end(); err != nil {
			t.Error(err)
		}
	}()
	shell := exec.Command("sh", "-eu")
	shell.Env, shell.Stdin = w.vars, strings.NewReader("mkdir "+work+"; cd "+work+"; mkfifo go; cat > graph.dot <<'END'\n"+pictured+"END\n"+
		"wf new Workfile --from dot graph.dot; wf run --detach; until wf status | grep -q ' 14/19 '; do sleep 0.1; done")
	if out, err := shell.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(filepath.Join(w.bin, "wf"))
	cmd.Dir, cmd.Env = work, w.vars
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 124, Rows: 17})
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	c := newEmulator(124, 17)
	go io.Copy(c, tty) // ends with EIO when wf has closed the terminal
	for _, step := range []struct{ wait, keys string }{
		{`graph +19 nodes`, "O"}, {`✗ align_b`, "n"}, {`no quality line`, ""},
	} {
		pattern := regexp.MustCompile(step.wait)
		if !await(func() bool { return pattern.MatchString(c.text()) }) {
			t.Fatalf("no match in time for %q on the screen:\n%s", step.wait, c.text())
		}
		if _, err := tty.WriteString(step.keys); err != nil {
			t.Fatal(err)
		}
	}
	shot := newEmulator(124, 17)
	c.mu.Lock()
	for y, row := range c.main {
		copy(shot.main[y], row)
	}
	c.mu.Unlock()
	if _, err := tty.WriteString("q"); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	return shot
}

// Sizes in the picture, in pixels.
const (
	cellWidth  = 8.4
	cellHeight = 18
	margin     = 14
)

// A look is a style in the picture.
type look struct {
	ink, paper         string
	bold, dim, swapped bool
}

const (
	paperColor = "#16181d"
	inkColor   = "#d5d9e0"
)

// paletteColors are the sixteen colours of terminals, for a dark background.
var paletteColors = [16]string{"#2b2f38", "#f07178", "#98c379", "#e5c07b", "#6cb6ff", "#c792ea", "#56c8d8", "#d5d9e0",
	"#737b8c", "#ff8b92", "#b5e08f", "#ffd894", "#8dc8ff", "#dcb0ff", "#86e1ee", "#ffffff"}

// lookOf parses the parameters of a style.
func lookOf(style string) look {
	l := look{ink: inkColor}
	fields := strings.Split(style, ";")
	for i := 0; i < len(fields) && style != ""; i++ {
		n, _ := strconv.Atoi(fields[i])
		switch {
		case n == 0:
			l = look{ink: inkColor}
		case n == 1:
			l.bold = true
		case n == 2:
			l.dim = true
		case n == 7:
			l.swapped = true
		case n == 22:
			l.bold, l.dim = false, false
		case n == 27:
			l.swapped = false
		case n == 39:
			l.ink = inkColor
		case n == 49:
			l.paper = ""
		case n == 38 || n == 48:
			color := ""
			color, i = longColor(fields, i)
			if n == 38 {
				l.ink = color
			} else {
				l.paper = color
			}
		case n >= 30 && n < 38:
			l.ink = paletteColors[n-30]
		case n >= 90 && n < 98:
			l.ink = paletteColors[n-82]
		case n >= 40 && n < 48:
			l.paper = paletteColors[n-40]
		case n >= 100 && n < 108:
			l.paper = paletteColors[n-92]
		}
	}
	if l.swapped {
		l.ink, l.paper = either(l.paper, paperColor), l.ink
	}
	return l
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// longColor parses 38;5;N or 38;2;R;G;B from field i on, and returns the index of its last field.
func longColor(fields []string, i int) (color string, end int) {
	at := func(k int) int {
		if k >= len(fields) {
			return 0
		}
		n, _ := strconv.Atoi(fields[k])
		return n
	}
	if at(i+1) == 2 {
		return fmt.Sprintf("#%02x%02x%02x", at(i+2), at(i+3), at(i+4)), i + 4
	}
	n := at(i + 2)
	switch {
	case n < 16:
		color = paletteColors[n]
	case n < 232:
		level := func(v int) int { return map[bool]int{true: 55 + 40*v}[v > 0] }
		color = fmt.Sprintf("#%02x%02x%02x", level((n-16)/36), level((n-16)/6%6), level((n-16)%6))
	default:
		color = fmt.Sprintf("#%02[1]x%02[1]x%02[1]x", 8+10*(n-232))
	}
	return color, i + 2
}

// drawScreen returns the SVG of a screen. Box characters are drawn as lines, because fonts leave gaps between them.
func drawScreen(c *emulator) []byte {
	width, height := float64(c.width)*cellWidth+2*margin, float64(c.height*cellHeight+2*margin)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img">`+"\n", width, height, width, height)
	b.WriteString("<title>The terminal interface of wf: a drawing of a workflow, the log of the node that failed, and keys</title>\n")
	fmt.Fprintf(&b, `<rect x="0.5" y="0.5" width="%.0f" height="%.0f" rx="9" fill="%s" stroke="#5b6270"/>`+"\n", width-1, height-1, paperColor)
	b.WriteString(`<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14" xml:space="preserve">` + "\n")
	lines := map[string]*strings.Builder{}
	var order []string
	for y, row := range c.main {
		for x := 0; x < len(row); {
			end := x + 1
			for end < len(row) && row[end].style == row[x].style {
				end++
			}
			drawPaper(&b, lookOf(row[x].style), x, y, end-x)
			drawWords(&b, row[x:end], x, y)
			x = end
		}
		for x, cell := range row {
			path := linePath(cell.text, x, y)
			if path == "" {
				continue
			}
			l := lookOf(cell.style)
			key := fmt.Sprintf(`stroke="%s" stroke-width="%s"%s`, l.ink, map[bool]string{false: "1.2", true: "2.2"}[isHeavy(cell.text)], l.opacity())
			if lines[key] == nil {
				lines[key] = &strings.Builder{}
				order = append(order, key)
			}
			lines[key].WriteString(path)
		}
	}
	for _, key := range order {
		fmt.Fprintf(&b, `<path fill="none" %s d="%s"/>`+"\n", key, lines[key])
	}
	b.WriteString("</g>\n</svg>\n")
	return []byte(b.String())
}

func (l look) opacity() string {
	if l.dim {
		return ` opacity="0.6"`
	}
	return ""
}

// drawPaper draws the background of n cells.
func drawPaper(b *strings.Builder, l look, x, y, n int) {
	if l.paper != "" {
		fmt.Fprintf(b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", margin+float64(x)*cellWidth, margin+y*cellHeight, float64(n)*cellWidth, cellHeight, l.paper)
	}
}

// drawWords draws the text of cells of one style, word by word, so that the width of a font has little effect.
func drawWords(b *strings.Builder, row []cell, x, y int) {
	l := lookOf(row[0].style)
	weight := ""
	if l.bold {
		weight = ` font-weight="bold"`
	}
	for i := 0; i < len(row); {
		from := i
		var text strings.Builder
		for i < len(row) && row[i].text != " " && linePath(row[i].text, 0, 0) == "" {
			text.WriteString(row[i].text)
			i++
		}
		if i == from {
			i++
			continue
		}
		var word strings.Builder
		_ = xml.EscapeText(&word, []byte(text.String())) // a Builder returns no errors
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" fill="%s"%s%s textLength="%.1f">%s</text>`+"\n", margin+float64(x+from)*cellWidth,
			margin+float64(y)*cellHeight+13.5, l.ink, weight, l.opacity(), float64(i-from)*cellWidth, word.String())
	}
}

// boxArms contains the directions of the lines of box characters: left, right, up, down.
var boxArms = map[string]string{
	"─": "lr", "│": "ud", "┌": "rd", "┐": "ld", "└": "ru", "┘": "lu", "├": "rud", "┤": "lud", "┬": "lrd", "┴": "lru", "┼": "lrud",
	"╭": "rd", "╮": "ld", "╰": "ru", "╯": "lu", "╴": "l", "╶": "r", "╵": "u", "╷": "d",
	"━": "lr", "┃": "ud", "┏": "rd", "┓": "ld", "┗": "ru", "┛": "lu", "┣": "rud", "┫": "lud", "┳": "lrd", "┻": "lru", "╋": "lrud",
}

func isHeavy(text string) bool { return strings.Contains("━┃┏┓┗┛┣┫┳┻╋", text) }

// linePath returns the lines of a box character in its cell, from the middle to the sides.
func linePath(text string, x, y int) string {
	var b strings.Builder
	left, top := margin+float64(x)*cellWidth, float64(margin+y*cellHeight)
	for _, arm := range boxArms[text] {
		toX, toY := left+cellWidth/2, top+cellHeight/2
		switch arm {
		case 'l':
			toX = left
		case 'r':
			toX = left + cellWidth
		case 'u':
			toY = top
		case 'd':
			toY = top + cellHeight
		}
		fmt.Fprintf(&b, "M%.1f %.1fL%.1f %.1f", left+cellWidth/2, top+cellHeight/2, toX, toY)
	}
	return b.String()
}
