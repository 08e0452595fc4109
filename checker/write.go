package checker

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Write writes a history with one JSON object per line: the header, then all
// operations, leases, node events, accesses, facts and goals in the order of
// their lists. Read returns the same history, apart from line numbers. Write
// refuses a record that Read would refuse.
func Write(writer io.Writer, history *History) error {
	buffered := bufio.NewWriter(writer)
	encoder := json.NewEncoder(buffered)
	encoder.SetEscapeHTML(false)

	header := history.Header
	header.Kind = KindHeader
	if header.Clients == nil {
		header.Clients = []Client{}
	}
	if header.Nodes == nil {
		header.Nodes = []string{}
	}
	if err := writeRecord(encoder, &header, 1); err != nil {
		return err
	}
	line := 2
	if err := errors.Join(
		writeAll(encoder, &line, history.Operations, func(r *Operation) { r.Kind = KindOperation }),
		writeAll(encoder, &line, history.Leases, func(r *Lease) { r.Kind = KindLease }),
		writeAll(encoder, &line, history.NodeEvents, func(r *NodeEvent) { r.Kind = KindNode }),
		writeAll(encoder, &line, history.Accesses, func(r *Access) { r.Kind = KindAccess }),
		writeAll(encoder, &line, history.Facts, func(r *Fact) { r.Kind = KindFact }),
		writeAll(encoder, &line, history.Goals, func(r *Goal) { r.Kind = KindGoal }),
	); err != nil {
		return err
	}
	return buffered.Flush()
}

// writeAll writes copies of records, so that the caller's stay unchanged.
func writeAll[T any, P interface {
	*T
	record
}](encoder *json.Encoder, line *int, records []T, setKind func(*T)) error {
	for _, value := range records {
		setKind(&value)
		if err := writeRecord(encoder, P(&value), *line); err != nil {
			return err
		}
		*line++
	}
	return nil
}

func writeRecord(encoder *json.Encoder, value record, line int) error {
	if err := value.validate(); err != nil {
		return fmt.Errorf("record for line %d: %w", line, err)
	}
	return encoder.Encode(value)
}

// Numbered returns the history with the line number that Write would give to each
// record. A history that was read keeps its lines. So a history in memory and the
// same history in a file get the same verdict.
func Numbered(history *History) *History {
	if history.Header.Line > 0 {
		return history
	}
	result := *history
	result.Header.Line = 1
	line := 1
	next := func() int { line++; return line }
	result.Operations = withLines(history.Operations, func(r *Operation) { r.Line = next() })
	result.Leases = withLines(history.Leases, func(r *Lease) { r.Line = next() })
	result.NodeEvents = withLines(history.NodeEvents, func(r *NodeEvent) { r.Line = next() })
	result.Accesses = withLines(history.Accesses, func(r *Access) { r.Line = next() })
	result.Facts = withLines(history.Facts, func(r *Fact) { r.Line = next() })
	result.Goals = withLines(history.Goals, func(r *Goal) { r.Line = next() })
	return &result
}

func withLines[T any](records []T, number func(*T)) []T {
	result := append([]T(nil), records...)
	for i := range result {
		number(&result[i])
	}
	return result
}
