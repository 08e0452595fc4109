package main

import (
	"io"

	"redlocklab/scenarios/atlas"
)

func (p *program) writeMapPage(w io.Writer, m *atlas.Map, lines []atlas.Line, told *mapTold, cite string) error {
	return nil
}
