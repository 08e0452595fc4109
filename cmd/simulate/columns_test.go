package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	mostColumns = 120 // of a line of code; a tab counts four
	tableRows   = 3   // a literal with as many elements of one line each is a table
)

// TestColumns holds the lines of code to mostColumns columns. A string literal counts as its
// two quotes, since a sentence reads better in one piece, and rows of tables do not count.
func TestColumns(t *testing.T) {
	var found []string
	files, root := 0, filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if hidden := path != root && strings.HasPrefix(entry.Name(), "."); hidden || entry.Name() == "out" {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		files++
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		long, err := longLines(source)
		for _, line := range long {
			found = append(found, fmt.Sprintf("%s:%d has %d columns; allowed: %d", path, line.number, line.columns, mostColumns))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range found {
		t.Error(line)
	}
	if files < 300 {
		t.Errorf("only %d files were looked at", files)
	}
}

// longLine is a line of code, counted from 1, that has too many columns.
type longLine struct{ number, columns int }

// longLines lists the lines of a Go file that have too many columns.
func longLines(source []byte) ([]longLine, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	excepted := make([]bool, len(source)) // bytes that do not count
	except := func(from, to token.Pos) {
		for i := set.Position(from).Offset; i < set.Position(to).Offset; i++ {
			excepted[i] = true
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				except(n.Pos()+1, n.End()-1)
			}
		case *ast.CompositeLit:
			for _, row := range rowsOf(set, n) {
				except(row.Pos(), row.End())
			}
		}
		return true
	})
	var long []longLine
	offset, number := 0, 0
	for line := range strings.Lines(string(source)) {
		number++
		columns := 0
		for i, r := range strings.TrimSuffix(line, "\n") {
			switch {
			case excepted[offset+i]:
			case r == '\t':
				columns += 4
			default:
				columns++
			}
		}
		if columns > mostColumns {
			long = append(long, longLine{number, columns})
		}
		offset += len(line)
	}
	return long, nil
}

// rowsOf lists the elements of a literal if they are the rows of a table: as many as tableRows
// stand on a line of their own.
func rowsOf(set *token.FileSet, literal *ast.CompositeLit) []ast.Expr {
	var rows []ast.Expr
	line := func(p token.Pos) int { return set.Position(p).Line }
	for i, element := range literal.Elts {
		begin := line(element.Pos())
		alone := begin == line(element.End()) && begin > line(literal.Lbrace) && begin < line(literal.Rbrace) &&
			(i == 0 || line(literal.Elts[i-1].End()) < begin) &&
			(i == len(literal.Elts)-1 || line(literal.Elts[i+1].Pos()) > begin)
		if alone {
			rows = append(rows, element)
		}
	}
	if len(rows) < tableRows {
		return nil
	}
	return rows
}

// TestColumnsCatch shows which planted lines are too long.
func TestColumnsCatch(t *testing.T) {
	const begin = "package p\n\nfunc f() {\n"
	name, text := strings.Repeat("n", 50), strings.Repeat("text ", 30)
	for _, planted := range []struct {
		name, code string
		want       []longLine
	}{
		{"as long as allowed", "\t_ = " + strings.Repeat("n", 112), nil},
		{"one column more", "\t_ = " + strings.Repeat("n", 113), []longLine{{4, 121}}},
		{"a comment", "\t// " + strings.Repeat("n", 120), []longLine{{4, 127}}},
		{"letters are no bytes", "\t_ = " + strings.Repeat("é", 112), nil},
		{"a sentence", "\tg(\"" + text + "\")", nil},
		{"code around a sentence", "\tg(\"" + text + "\", " + name + ", " + name + ", " + name + ")", []longLine{{4, 165}}},
		{"lines of one text", "\tg(`\n" + text + "\n" + text + "`)", nil},
		{"a table", "\t_ = []int{\n" + strings.Repeat(name+" + "+name+" + "+name+",\n", 3) + "}", nil},
		{"too few rows", "\t_ = []int{\n" + strings.Repeat(name+" + "+name+" + "+name+",\n", 2) + "}",
			[]longLine{{5, 157}, {6, 157}}},
		{"no row of its own", "\t_ = []int{" + name + ", " + name + ", " + name + "}", []longLine{{4, 169}}},
	} {
		found, err := longLines([]byte(begin + planted.code + "\n}\n"))
		if err != nil || !slices.Equal(found, planted.want) {
			t.Errorf("%s: found %v, want %v; %v", planted.name, found, planted.want, err)
		}
	}
}
