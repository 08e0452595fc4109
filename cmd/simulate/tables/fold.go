package tables

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// Standard is the width where there is no terminal that tells its own.
const Standard = 100

// gap is the space between two columns.
const gap = 2

// narrowest is the least width that a column is folded to.
const narrowest = 9

// Width returns how wide output may be: that of the terminal, or of the environment
// variable COLUMNS, or [Standard].
func Width(out io.Writer) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if file, ok := out.(*os.File); ok {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return Standard
}

// Writer takes lines of cells with tabs between them, as package text/tabwriter does.
// Where the table is wider than the window, it folds cells of the widest columns at blanks
// and goes on below. A rune is one column. See [New].
type Writer struct {
	out   io.Writer
	width int
	text  strings.Builder
}

// New returns a writer of one table, as wide as [Width] says, with heads.
func New(out io.Writer, heads ...string) *Writer {
	w := &Writer{out: out, width: Width(out)}
	if len(heads) > 0 {
		w.Row(heads...)
	}
	return w
}

// Row adds a line of cells.
func (w *Writer) Row(cells ...string) { w.text.WriteString(strings.Join(cells, "\t") + "\n") }

// Write collects text: cells with tabs between them, one line each.
func (w *Writer) Write(text []byte) (int, error) { return w.text.Write(text) }

// Flush writes the table.
func (w *Writer) Flush() error {
	var rows [][]string
	for line := range strings.Lines(w.text.String()) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	w.text.Reset()
	widths := fit(rows, w.width)
	starts := make([]int, len(widths)+1) // of the columns
	for i, width := range widths {
		starts[i+1] = starts[i] + width + gap
	}
	var text strings.Builder
	for _, row := range rows { // on as many lines as its longest folded cell needs
		lines := make([]string, 1)
		for i, cell := range row {
			for n, part := range Fold(cell, widths[i]) {
				if n == len(lines) {
					lines = append(lines, "")
				}
				lines[n] = fmt.Sprintf("%-*s%s", starts[i], lines[n], part)
			}
		}
		for _, line := range lines {
			text.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
	_, err := io.WriteString(w.out, text.String())
	return err
}

// fit returns the widths of the columns: those of their widest cells, and where the sum is
// too large, less for the widest columns.
func fit(rows [][]string, width int) []int {
	var widths, least []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths, least = append(widths, 0), append(least, narrowest)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
			for word := range strings.FieldsSeq(cell) {
				least[i] = max(least[i], utf8.RuneCountInString(word))
			}
		}
	}
	for {
		sum, widest := -gap, -1
		for i, w := range widths {
			sum += w + gap
			if w > least[i] && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if sum <= width || widest < 0 {
			return widths
		}
		widths[widest]--
	}
}

// Fold breaks a cell at blanks into lines of at most so many columns. A longer word stays
// whole. Blanks at the beginning are kept, on every line.
func Fold(cell string, width int) []string {
	if utf8.RuneCountInString(cell) <= width {
		return []string{cell}
	}
	indent := cell[:len(cell)-len(strings.TrimLeft(cell, " "))]
	var lines []string
	line := indent
	for word := range strings.FieldsSeq(cell) {
		switch {
		case line == indent:
			line += word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width:
			lines, line = append(lines, line), indent+word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}
