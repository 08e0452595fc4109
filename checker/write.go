package checker

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// Write writes a history with one JSON object per line: the header, then all
// operations, leases, node events, accesses, facts and goals in the order of
// their lists. Read returns the same history, apart from line numbers. Write
// refuses a record that Read would refuse.
func Write(writer io.Writer, history *History) error {
	buffered := bufio.NewWriter(writer)
	encoder := json.NewEncoder(buffered)
	encoder.SetEscapeHTML(false)
	numbered, records := inLines(history)
	if numbered.Header.Clients == nil {
		numbered.Header.Clients = []Client{}
	}
	if numbered.Header.Nodes == nil {
		numbered.Header.Nodes = []string{}
	}
	for _, record := range records {
		if err := record.validate(); err != nil {
			return fmt.Errorf("record for line %d: %w", record.head().Line, err)
		}
		if err := encoder.Encode(record); err != nil {
			return err
		}
	}
	return buffered.Flush()
}

// Numbered returns the history with the line number that Write would give to each
// record. A history that was read keeps its lines. So a history in memory and the
// same history in a file get the same verdict.
func Numbered(history *History) *History {
	if history.Header.Line > 0 {
		return history
	}
	numbered, _ := inLines(history)
	return numbered
}

// inLines copies a history, gives each record of the copy its kind and the number of its line, and
// lists them in the order of the lines.
func inLines(history *History) (*History, []record) {
	result := &History{Header: history.Header}
	result.Header.Head = Head{KindHeader, 1}
	records := []record{&result.Header}
	result.Operations = addLines(&records, KindOperation, history.Operations)
	result.Leases = addLines(&records, KindLease, history.Leases)
	result.NodeEvents = addLines(&records, KindNode, history.NodeEvents)
	result.Accesses = addLines(&records, KindAccess, history.Accesses)
	result.Facts = addLines(&records, KindFact, history.Facts)
	result.Goals = addLines(&records, KindGoal, history.Goals)
	return result, records
}

func addLines[T any, P recordOf[T]](records *[]record, kind Kind, list []T) []T {
	list = slices.Clone(list)
	for i := range list {
		record := P(&list[i])
		*record.head() = Head{kind, len(*records) + 1}
		*records = append(*records, record)
	}
	return list
}
