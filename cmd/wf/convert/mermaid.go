package convert

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"wf/graph/pattern"
)

// readMermaid reads a flowchart. The text of a node is its command; a dotted arrow is a non-blocking edge;
// subgraphs become groups; a label that is a condition becomes the condition of its edge. Other attributes
// are in comments: see mermaid_notes.go. Styles, classes and links to pages are ignored.
func readMermaid(b *builder, data []byte) {
	p := &mermaidParser{b: b, text: strings.ReplaceAll(string(data), "\r\n", "\n"), line: 1, subgraphs: map[string]int{}, around: map[string][]mermaidGroup{}}
	p.header()
	for p.skipBlank(); p.pos < len(p.text); p.skipBlank() {
		p.statement()
	}
	if n := len(p.open); n > 0 {
		fail(p.open[n-1].line, "the subgraph has no end")
	}
	p.describe()
	for id, line := range p.subgraphs {
		if i, both := b.at[id]; both {
			fail(max(line, b.lines[i]), "%s is a subgraph: an edge from or to one cannot be kept, only from node to node", id)
		}
	}
}

type mermaidParser struct {
	b    *builder
	text string
	pos  int
	line int

	latest    string                    // the brackets of the latest text, with a quote if it was quoted
	open      []mermaidGroup            // the enclosing subgraphs
	subgraphs map[string]int            // lines, by id
	around    map[string][]mermaidGroup // of nodes, by id: the enclosing subgraphs, outermost first
	notes     []mermaidNote
}

// A mermaidGroup is a subgraph that has not ended.
type mermaidGroup struct {
	id, title string
	line      int
}

func (p *mermaidParser) rest() string { return p.text[p.pos:] }

// take skips n bytes.
func (p *mermaidParser) take(n int) string {
	taken := p.text[p.pos : p.pos+n]
	p.line += strings.Count(taken, "\n")
	p.pos += n
	return taken
}

// skip skips some characters.
func (p *mermaidParser) skip(chars string) {
	p.take(len(p.rest()) - len(strings.TrimLeft(p.rest(), chars)))
}

// takes skips text if it comes next, and reports whether it did.
func (p *mermaidParser) takes(text string) bool {
	found := strings.HasPrefix(p.rest(), text)
	if found {
		p.take(len(text))
	}
	return found
}

// The white space within a line, and within a statement of several lines.
const (
	blanks = " \t"
	spaces = " \t\n"
)

// skipBlank skips blanks, ends of statements and comments.
func (p *mermaidParser) skipBlank() {
	for {
		p.skip(spaces + ";\ufeff")
		switch rest := p.rest(); {
		case strings.HasPrefix(rest, "%%{"):
			if end := strings.Index(rest, "}%%"); end >= 0 {
				p.take(end + 3)
				continue
			}
			p.take(lineEnd(rest))
		case strings.HasPrefix(rest, "%%"):
			p.note(rest[:lineEnd(rest)])
			p.take(lineEnd(rest))
		default:
			return
		}
	}
}

var mermaidHead = pattern.Of(`^(flowchart-elk|flowchart|graph)\b[ \t]*(TB|TD|BT|RL|LR|[<>v^])?[ \t]*(\n|;|$)`)

// header reads the part before the first statement.
func (p *mermaidParser) header() {
	p.skipBlank()
	if strings.HasPrefix(p.rest(), "---\n") {
		end := strings.Index(p.rest()[3:], "\n---")
		if end < 0 {
			fail(p.line, "the part between --- and --- has no end")
		}
		p.take(3 + end + len("\n---"))
		p.take(lineEnd(p.rest()))
	}
	p.skipBlank()
	head := mermaidHead.Get().FindString(p.rest())
	if head == "" {
		word := p.rest()[:lineEnd(p.rest())]
		fail(p.line, "%q where a flowchart was expected: of the diagrams of Mermaid only flowcharts are graphs of commands", clip(word))
	}
	p.take(len(head))
}

// clip shortens text for a message.
func clip(text string) string {
	const most = 40
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

var (
	mermaidSkipped = pattern.Of(`^(direction|classDef|class|style|linkStyle|click|accTitle|accDescr)\b[^\n;{]*`)
	mermaidWord    = pattern.Of(`^(subgraph|end)([ \t\n;]|$)`)
)

func (p *mermaidParser) statement() {
	rest := p.rest()
	word, skipped := mermaidWord.Get().FindStringSubmatch(rest), mermaidSkipped.Get().FindString(rest)
	switch {
	case word != nil && word[1] == "subgraph":
		p.subgraph()
	case word != nil:
		if len(p.open) == 0 {
			fail(p.line, "end without a subgraph")
		}
		p.take(len("end"))
		p.open = p.open[:len(p.open)-1]
	case skipped != "" && !strings.HasPrefix(strings.TrimLeft(rest[len(skipped):], blanks), "-"):
		p.take(len(skipped))
		if strings.HasPrefix(p.rest(), "{") {
			end := strings.IndexByte(p.rest(), '}')
			if end < 0 {
				fail(p.line, "the description has no end")
			}
			p.take(end + 1)
		}
	default:
		p.chain()
	}
}

var mermaidTitle = pattern.Of(`^([^\s\[\]"]+)?[ \t]*(?:\[[ \t]*"?([^"\n]*?)"?[ \t]*\])?[ \t]*$`)

// subgraph reads the start of one: "subgraph id", "subgraph id [title]" or "subgraph some title".
func (p *mermaidParser) subgraph() {
	if len(p.open) >= maxNesting {
		fail(p.line, "subgraphs are nested more than %d deep", maxNesting)
	}
	line := p.line
	p.take(len("subgraph"))
	head := p.take(lineEnd(p.rest()))
	head = strings.TrimSpace(strings.TrimRight(head, "; \t"))
	id, title := "", strings.Trim(head, `"`)
	if m := mermaidTitle.Get().FindStringSubmatch(head); m != nil && head != "" {
		if id = m[1]; id != "" {
			p.subgraphs[m[1]] = line
			title = m[1]
		}
		if m[2] != "" {
			title = mermaidText(m[2])
		}
	}
	p.open = append(p.open, mermaidGroup{id, title, line})
}

// chain reads nodes, and edges to further nodes.
func (p *mermaidParser) chain() {
	from := p.nodes()
	for {
		p.skip(blanks)
		if p.pos == len(p.text) || strings.IndexByte("\n;", p.text[p.pos]) >= 0 || strings.HasPrefix(p.rest(), "%%") {
			return
		}
		line := p.line
		l, seen := p.link()
		p.skip(spaces)
		to := p.nodes()
		for _, a := range from {
			for _, b := range to {
				if seen {
					p.b.edge(a, b, l, line)
				}
			}
		}
		from = to
	}
}

// nodes reads "a & b & c".
func (p *mermaidParser) nodes() (ids []string) {
	for {
		ids = append(ids, p.node())
		if p.skip(blanks); !p.takes("&") {
			return ids
		}
		p.skip(blanks)
	}
}

var mermaidClass = pattern.Of(`^:::[\w-]+`)

func (p *mermaidParser) node() (id string) {
	if id = mermaidID(p.rest()); id == "" {
		fail(p.line, "%q where a node was expected", clip(p.rest()[:lineEnd(p.rest())]))
	}
	p.take(len(id))
	p.b.node(id, p.line)
	if p.around[id] == nil {
		p.around[id] = slices.Clone(p.open)
	}
	if strings.HasPrefix(p.rest(), "@{") {
		p.described(id)
		return id
	}
	if strings.HasPrefix(p.rest(), "{") && !strings.HasPrefix(p.rest(), "{{") {
		p.b.decisions[p.b.at[id]] = true
	}
	if text, found := p.shape(); found {
		setCommand(p.b.node(id, p.line), text)
		p.b.shapes[id] = p.latest
	}
	p.take(len(mermaidClass.Get().FindString(p.rest())))
	return id
}

// mermaidID returns the id at the start of text. A hyphen belongs to it unless a link starts there.
func mermaidID(text string) string {
	for i, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r >= utf8.RuneSelf && !unicode.IsSpace(r):
		case i > 0 && (r == '.' || r == '/' || r == '-' || r == ':'):
			next, _ := utf8.DecodeRuneInString(text[i+1:])
			if !(unicode.IsLetter(next) || unicode.IsDigit(next) || next == '_') {
				return text[:i]
			}
		default:
			return text[:i]
		}
	}
	return text
}

// mermaidShapes are the brackets around texts. Longer ones come before their prefixes.
var mermaidShapes = []struct {
	open  string
	close []string
}{
	{"(((", []string{")))"}}, {"((", []string{"))"}}, {"([", []string{"])"}}, {"(", []string{")"}},
	{"[[", []string{"]]"}}, {"[(", []string{")]"}}, {"[/", []string{"/]", `\]`}}, {`[\`, []string{`\]`, "/]"}}, {"[", []string{"]"}},
	{"{{", []string{"}}"}}, {"{", []string{"}"}}, {">", []string{"]"}},
}

// shape reads the text of a node, in any brackets.
func (p *mermaidParser) shape() (text string, found bool) {
	for _, s := range mermaidShapes {
		begin := p.line
		if !p.takes(s.open) {
			continue
		}
		p.latest = s.open
		if strings.HasPrefix(strings.TrimLeft(p.rest(), spaces), `"`) {
			p.skip(spaces)
			p.take(1)
			p.latest += `"`
			end := strings.IndexByte(p.rest(), '"')
			if end < 0 {
				fail(begin, "the text has no end")
			}
			text = p.take(end)
			p.take(1)
			if p.skip(spaces); !slices.ContainsFunc(s.close, p.takes) {
				fail(p.line, "%s of a node is not closed by %s", s.open, s.close[0])
			}
			return mermaidText(text), true
		}
		text, shut := p.until(s.close)
		if shut == "" {
			fail(begin, "%s of a node is not closed by %s in its line", s.open, s.close[0])
		}
		return mermaidText(strings.TrimSpace(text)), true
	}
	return "", false
}

// until returns the text before the first of the marks in this line, and that mark.
func (p *mermaidParser) until(marks []string) (text, mark string) {
	line := p.rest()[:lineEnd(p.rest())]
	at := len(line)
	for _, m := range marks {
		if i := strings.Index(line, m); i >= 0 && i < at {
			at, mark = i, m
		}
	}
	if mark == "" {
		return "", ""
	}
	text = p.take(at)
	p.take(len(mark))
	return text, mark
}

var (
	mermaidLinkID   = pattern.Of(`^[\w-]+@`)
	mermaidLink     = pattern.Of(`^([<xo]?)(~~~+|--+[->ox]|-\.+-[>ox]?|==+[=>ox])`)
	mermaidLinkText = pattern.Of(`^([<xo]?)(--|-\.|==)[ \t]*([^\n]*?)[ \t]*(--+[->ox]|\.+-[>ox]?|==+[=>ox])`)
	mermaidLabel    = pattern.Of(`^[ \t]*\|([^|\n]*)\|`)
)

// link reads a link between nodes. seen is false for links that only affect the layout.
func (p *mermaidParser) link() (l link, seen bool) {
	p.take(len(mermaidLinkID.Get().FindString(p.rest())))
	label := ""
	m := mermaidLink.Get().FindStringSubmatch(p.rest())
	if m == nil {
		if m = mermaidLinkText.Get().FindStringSubmatch(p.rest()); m == nil {
			fail(p.line, "%q where an arrow was expected", clip(p.rest()[:lineEnd(p.rest())]))
		}
		label = m[3]
		m[2] += m[4]
	}
	line := p.line
	p.take(len(m[0]))
	if found := mermaidLabel.Get().FindStringSubmatch(p.rest()); found != nil {
		label = found[1]
		p.take(len(found[0]))
	}
	switch {
	case strings.HasPrefix(m[2], "~"):
		return l, false
	case m[1] != "":
		panic(&Error{Line: line, Msg: m[0] + " points both ways", Fix: "write an arrow for each way"})
	case !strings.HasSuffix(m[2], ">"):
		panic(&Error{Line: line, Msg: m[0] + " has no arrow: it does not say which node comes first", Fix: "write --> or -.->"})
	}
	l.weak = strings.HasPrefix(m[2], "-.")
	if label = strings.TrimSpace(label); len(label) > 1 && label[0] == '"' && label[len(label)-1] == '"' {
		label = label[1 : len(label)-1]
	}
	if label = strings.TrimSpace(mermaidText(label)); condition(label) != "" {
		l.when = label
	} else {
		l.label = label
	}
	return l, true
}

var (
	mermaidBreak  = pattern.Of(`(?i)<br[ \t]*/?>`)
	mermaidEntity = pattern.Of(`#(\d+|[a-z]+);`)
	mermaidNames  = map[string]string{"quot": `"`, "amp": "&", "lt": "<", "gt": ">", "apos": "'", "nbsp": " ", "semi": ";", "num": "#"}
)

// mermaidText returns the text that a drawing would show: with line breaks and character references
// resolved, and without backquotes around formatted text.
func mermaidText(text string) string {
	if len(text) >= 2 && text[0] == '`' && text[len(text)-1] == '`' {
		text = text[1 : len(text)-1]
	}
	text = mermaidBreak.Get().ReplaceAllString(text, "\n")
	return mermaidEntity.Get().ReplaceAllStringFunc(text, func(entity string) string {
		name := entity[1 : len(entity)-1]
		if char, ok := mermaidNames[name]; ok {
			return char
		}
		if code, err := strconv.ParseUint(name, 10, 31); err == nil && utf8.ValidRune(rune(code)) {
			return string(rune(code))
		}
		return entity
	})
}
