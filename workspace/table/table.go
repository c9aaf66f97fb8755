// Package table reads tables of items: the files of foreach=table:FILE. The first line of a table names its columns,
// each further line is one item, which is a text for each column.
//
// A file that ends in .csv is separated by commas, and double quotes around a value may contain commas, line ends and
// doubled quotes (RFC 4180). One that ends in .tsv, .tab or .txt is separated by tabs and has no quoting: a quote is a
// character like any other, and a value cannot contain a tab or a line end. Both may begin with a byte order mark and
// end their lines with CRLF. Empty lines are skipped.
package table

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"wf/scheduler/expression"
	"wf/scheduler/flow"
)

// Limits bound a table. The zero value of MaxRows is no bound.
type Limits struct {
	Key     string // the column that names the items: its values must be there and differ; "" = none
	MaxRows int
}

// MaxBytes is how long a table, and its items as JSON, may be: the items become one record of the journal.
const MaxBytes = 8 << 20

// A Mistake is what is wrong with a table. Error names file, line, problem and remedy.
type Mistake struct {
	File    string
	Line    int // from 1; 0 = it is about the whole file
	Problem string
	Remedy  string
}

func (m *Mistake) Error() string {
	at := m.File
	if m.Line > 0 {
		at = fmt.Sprintf("%s:%d", m.File, m.Line)
	}
	return at + ": " + m.Problem + "; " + m.Remedy
}

// parser collects the items of one table.
type parser struct {
	file    string
	limits  Limits
	columns []string
	items   []any
	keys    map[string]int // lines of the values of the key
	key     int            // position of the key column; -1 = none
	size    int            // of the items as JSON, about
}

// Parse returns the items of a table: a map[string]any from column to text for each row, never nil. name is the name of
// the file in messages, and its ending decides the format. The error is a *Mistake.
func Parse(name string, data []byte, l Limits) ([]any, error) {
	p := &parser{file: name, limits: l, keys: map[string]int{}, key: -1, items: []any{}}
	separate, err := p.format()
	if err != nil {
		return nil, err
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	if err := p.checkText(text); err != nil {
		return nil, err
	}
	if err := separate(text); err != nil {
		return nil, err
	}
	if p.columns == nil {
		return nil, p.mistake(0, "the table is empty", "its first line must name the columns")
	}
	return p.items, nil
}

func (p *parser) mistake(line int, problem, remedy string) error {
	return &Mistake{File: p.file, Line: line, Problem: problem, Remedy: remedy}
}

// format returns the function that reads the rows of a file with this name.
func (p *parser) format() (func(string) error, error) {
	switch strings.ToLower(filepath.Ext(p.file)) {
	case ".csv":
		return p.readCSV, nil
	case ".tsv", ".tab", ".txt":
		return p.readTSV, nil
	}
	return nil, p.mistake(0, "the name does not say how the columns are separated",
		"let it end in .csv for commas, or in .tsv for tabs")
}

// checkText refuses what cannot be a table in any format.
func (p *parser) checkText(text string) error {
	if len(text) > MaxBytes {
		return p.mistake(0, fmt.Sprintf("the table is larger than %d bytes", MaxBytes), "leave out columns, or split it into several tables")
	}
	if !utf8.ValidString(text) {
		line := 1
		for rest := text; ; line++ {
			first, more, found := strings.Cut(rest, "\n")
			if rest = more; !found || !utf8.ValidString(first) {
				break
			}
		}
		remedy := "convert it: iconv -f LATIN1 -t UTF-8"
		if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
			remedy = "it is UTF-16: save it as UTF-8, or convert it: iconv -f UTF-16 -t UTF-8"
		}
		return p.mistake(line, "the text is not UTF-8", remedy)
	}
	if at := strings.IndexByte(text, 0); at >= 0 {
		return p.mistake(1+strings.Count(text[:at], "\n"), "a NUL byte is in it, which no variable can hold", "remove it")
	}
	return nil
}

// readTSV reads lines whose columns are separated by tabs.
func (p *parser) readTSV(text string) error {
	line := 0
	for row := range strings.Lines(text) {
		line++
		row = strings.TrimSuffix(strings.TrimSuffix(row, "\n"), "\r")
		if row == "" {
			continue
		}
		if strings.Contains(row, "\r") {
			return p.mistake(line, "a carriage return is within the line", "end the lines with LF or CRLF")
		}
		if err := p.row(line, strings.Split(row, "\t")); err != nil {
			return err
		}
	}
	return nil
}

// readCSV reads a table in CSV: commas separate the columns, and values may be quoted.
func (p *parser) readCSV(text string) error {
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord, r.ReuseRecord = -1, true // row says which line is wrong
	for {
		fields, err := r.Read()
		if err == io.EOF {
			return nil
		}
		var wrong *csv.ParseError
		switch {
		case errors.As(err, &wrong) && errors.Is(err, csv.ErrBareQuote):
			return p.mistake(wrong.Line, "a quote is within a value that does not begin with one", `write the value as "…", with each quote in it doubled`)
		case errors.As(err, &wrong):
			return p.mistake(wrong.StartLine, "a quoted value is not closed, or text follows its closing quote", "double the quotes within a value, and end it with a quote")
		case err != nil:
			return p.mistake(0, err.Error(), "write the table anew")
		}
		line, _ := r.FieldPos(0)
		if err := p.row(line, fields); err != nil {
			return err
		}
	}
}

// row takes the header, or an item.
func (p *parser) row(line int, values []string) error {
	if p.columns == nil {
		return p.header(line, slices.Clone(values))
	}
	if len(values) != len(p.columns) {
		return p.mistake(line, fmt.Sprintf("it has %s, and the header has %d", several(len(values), "column"), len(p.columns)),
			"write one value for each of "+strings.Join(p.columns, ", ")+"; it may be empty")
	}
	if most := p.limits.MaxRows; most > 0 && len(p.items) == most {
		return p.mistake(line, fmt.Sprintf("more than %s are too many for this run", several(most, "row")),
			"write fewer, or a larger max_instances for the workfile: wf edit set-graph max_instances N")
	}
	if p.key >= 0 {
		if err := p.checkKey(line, values[p.key]); err != nil {
			return err
		}
	}
	item := make(map[string]any, len(values))
	for k, value := range values {
		item[p.columns[k]] = strings.Clone(value) // a field of a quoted row shares the memory of the row
		p.size += len(p.columns[k]) + len(value) + 6
	}
	if p.size > MaxBytes {
		return p.mistake(line, fmt.Sprintf("the rows so far are larger than %d bytes with the names of their columns", MaxBytes),
			"leave out columns, or split it into several tables")
	}
	p.items = append(p.items, item)
	return nil
}

// header takes the names of the columns.
func (p *parser) header(line int, names []string) error {
	if len(names) == 1 && strings.ContainsAny(names[0], ";\t") && strings.EqualFold(filepath.Ext(p.file), ".csv") {
		return p.mistake(line, "the columns are not separated by commas", "write commas, or let the name end in .tsv if they are tabs")
	}
	variables := map[string]string{}
	for k, name := range names {
		name = strings.TrimSpace(name)
		names[k] = name
		if name == "" {
			return p.mistake(line, fmt.Sprintf("column %d has no name", k+1), "the first line must name each column")
		}
		variable := flow.ItemVariable(name)
		switch other, taken := variables[variable]; {
		case taken && other == name:
			return p.mistake(line, fmt.Sprintf("two columns are called %s", name), "the first line must give each its own name")
		case taken:
			return p.mistake(line, fmt.Sprintf("the columns %q and %q are both the variable %s", other, name, variable), "rename one of them")
		}
		variables[variable] = name
	}
	p.columns = names
	if p.limits.Key == "" {
		return nil
	}
	if p.key = slices.Index(names, p.limits.Key); p.key < 0 {
		return p.mistake(line, fmt.Sprintf("there is no column %q, which key names", p.limits.Key),
			strings.TrimSpace("the first line must name the columns, and it names "+strings.Join(names, ", ")+". "+expression.DidYouMean(p.limits.Key, names)))
	}
	return nil
}

// checkKey refuses a value of the key that names no item, or two.
func (p *parser) checkKey(line int, value string) error {
	if strings.TrimSpace(value) == "" {
		return p.mistake(line, fmt.Sprintf("the key %s is empty", p.limits.Key), "each row needs a value of its own there, or choose another key")
	}
	if before := p.keys[value]; before > 0 {
		return p.mistake(line, fmt.Sprintf("the key %s is %q, as in line %d", p.limits.Key, value, before), "each row needs a value of its own there, or choose another key")
	}
	p.keys[value] = line
	return nil
}

func several(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
