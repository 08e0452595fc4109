package checker

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

// maxPageCalls bounds how many calls of one partition the page shows.
const maxPageCalls = 400

// ErrNothingToDraw is the error for a history in which no call took effect. The
// liveness of such a history may still be violated.
var ErrNothingToDraw = errors.New("the history has no calls to draw")

// WriteVisualization writes porcupine's HTML page for a history. It shows every
// partition with the order that was found, or with the partial orders that fail,
// and below them the beliefs, the nodes' votes and the facts. Of a partition with
// more than 400 calls it shows the segment that fails, or else the beginning. It
// refuses a history with problems.
func WriteVisualization(writer io.Writer, record *History, options Options) error {
	options = options.withDefaults()
	record = Numbered(record)
	if problems := problemsOf(record); len(problems) > 0 {
		return fmt.Errorf("the history contradicts itself: %v", problems[0])
	}
	idx := newIndex(record)
	page := page{index: idx, rows: map[string]int{}, from: forever}
	for i, client := range record.Header.Clients {
		page.rows[client.Name] = i
	}
	// Real time, as in judgeLinearizability. It limits what the page shows; no
	// verdict depends on it.
	deadline := time.Now().Add(options.TimeLimit)
	var pieces [][]porcupine.Operation
	for _, part := range partitions(idx) {
		if operations := page.operations(part, options, deadline); len(operations) > 0 {
			pieces = append(pieces, operations)
		}
	}
	if len(pieces) == 0 {
		return ErrNothingToDraw
	}
	model := pageModel(pieces)
	_, information := porcupine.CheckOperationsVerbose(model, slices.Concat(pieces...), options.TimeLimit)
	for _, orders := range information.PartialLinearizations() {
		slices.SortFunc(orders, slices.Compare) // porcupine keeps them in a set
	}
	information.AddAnnotations(page.annotations())
	var drawn bytes.Buffer
	if err := porcupine.Visualize(model, information, &drawn); err != nil {
		return err
	}
	named, err := page.named(drawn.String())
	if err != nil {
		return err
	}
	_, err = io.WriteString(writer, named)
	return err
}

// rowNames are how porcupine's page numbers the rows of clients, in its two places.
var rowNames = []string{"i < realClients ? i.toString() :", "i < realClients ? i :"}

// named gives porcupine's rows the names of clients. Porcupine knows numbers only.
func (p *page) named(drawn string) (string, error) {
	var names []string
	for _, suffix := range []string{"", " extends"} {
		for _, client := range p.Header.Clients {
			names = append(names, client.Name+suffix)
		}
	}
	list, err := json.Marshal(names)
	if err != nil {
		return "", err
	}
	for _, found := range rowNames {
		if strings.Count(drawn, found) != 1 {
			return "", fmt.Errorf("porcupine's page has %d places with %q; allowed: one", strings.Count(drawn, found), found)
		}
		drawn = strings.Replace(drawn, found, fmt.Sprintf("i < realClients ? %s[i] :", list), 1)
	}
	return drawn, nil
}

// page is the HTML page of a history.
type page struct {
	*index
	rows        map[string]int // of the clients
	from, until int64          // the time that it shows
}

// pageCall is a call on the page. It carries the state before its partition, as each
// partition has a state of its own kind.
type pageCall struct {
	input
	start state
}

func pageModel(pieces [][]porcupine.Operation) porcupine.Model {
	return porcupine.Model{
		Partition: func([]porcupine.Operation) [][]porcupine.Operation { return pieces },
		Init:      func() any { return nil },
		Step: func(before, in, _ any) (bool, any) {
			step := in.(pageCall)
			now, begun := before.(state)
			if !begun {
				now = step.start
			}
			next, legal := now.step(step.call, step.latest)
			return legal, next
		},
		DescribeOperation: func(in, _ any) string {
			c := in.(pageCall).call
			return c.client + ": " + c.String()
		},
		DescribeState:             func(now any) string { return now.(state).String() },
		DescribeOperationMetadata: func(metadata any) string { return metadata.(string) },
	}
}

// operations lists the calls of a partition that the page shows.
func (p *page) operations(part *partition, options Options, deadline time.Time) []porcupine.Operation {
	calls, start := part.calls, part.start
	if len(calls) > maxPageCalls {
		s := &search{options, deadline}
		failed, err := s.firstFailure(start, cut(calls, segmentCalls))
		if err == nil && failed != nil {
			calls, start = slices.Concat(failed.before[0].open, failed.segment.calls), failed.before[0].state
		}
		calls = slices.Clone(calls)
		slices.SortStableFunc(calls, func(a, b *call) int { return cmp.Compare(a.call, b.call) })
		calls = calls[:min(len(calls), maxPageCalls)]
	}
	var result []porcupine.Operation
	for _, c := range calls {
		begin, end := c.call, min(c.end, p.Header.EndNS+1)
		if operation := p.index.operations[c.operation]; operation != nil && part.sort == SortLock {
			begin = operation.CallNS // so that the page shows the wait
		}
		row := p.rows[c.client]
		if c.action == ActionExtend {
			row += len(p.rows) // extensions overlap with other calls
		}
		p.from, p.until = min(p.from, begin), max(p.until, end)
		result = append(result, porcupine.Operation{
			ClientId: row, Call: begin, Return: end, Metadata: part.name(),
			Input: pageCall{input{call: c, latest: end}, start},
		})
	}
	return result
}

// outcomeColours are the colours of operations by how they ended. The details say it, too.
var outcomeColours = map[Outcome]string{
	OutcomeOK: "#bfe3c8", OutcomeFail: "#f3b8ae", OutcomeUnknown: "#d9d9d9",
}

// annotations lists the operations, beliefs, votes and facts in the time that the page
// shows: one row for each client, node and kind of fact.
func (p *page) annotations() []porcupine.Annotation {
	var result []porcupine.Annotation
	window := interval{p.from, p.until + 1}
	add := func(tag string, when interval, text, details, color string) {
		if !when.overlaps(window) || len(result) >= 10*maxPageCalls {
			return
		}
		result = append(result, porcupine.Annotation{
			Tag: tag, Start: max(when.from, window.from), End: min(when.until, window.until),
			Description: text, Details: details, BackgroundColor: color,
		})
	}
	for o := range each(p.Operations) {
		when := interval{o.CallNS, min(orForever(o.ReturnNS), p.Header.EndNS+1)}
		details := fmt.Sprintf("%s %s by %s: %s%s", o.Action, o.Resource, o.Client, o.Outcome, inBrackets(o.Class))
		add("operations of "+o.Client, when, fmt.Sprintf("%s %s", o.Action, o.Resource), details, outcomeColours[o.Outcome])
	}
	for lease := range each(p.Leases) {
		for _, belief := range p.beliefs[lease.ID] {
			add("belief of "+lease.Client, belief, lease.ID,
				fmt.Sprintf("%s is believed from %s to %s", lease.ID, instant(belief.from), instant(belief.until)), "#c6e2ff")
		}
	}
	for _, node := range p.Header.Nodes {
		for _, life := range p.lives[node] {
			vote, client := life.vote(), life.set.Client
			add("votes of "+node, vote, client,
				fmt.Sprintf("%s holds a vote of %s until %s", node, client, instant(vote.until)), "#e8e8d0")
		}
	}
	for fact := range each(p.Facts) {
		when := interval{fact.AtNS, fact.AtNS + 1}
		if fact.UntilNS != nil {
			when.until = max(when.until, *fact.UntilNS)
		}
		kind, text := "world: ", strings.ReplaceAll(string(fact.Fact), "_", " ")
		if fact.Fact == FactFault || fact.Fact == FactSlowLink || fact.Fact == FactLost {
			kind, text = "fault: ", fact.Name
		}
		add(kind+text, when, text, describeFact(fact), "#ffd0c0")
	}
	return result
}
