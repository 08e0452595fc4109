package checker

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

// maxDrawn bounds how many calls of one partition are drawn.
const maxDrawn = 400

// ErrNothingToDraw is returned for a history in which no call took effect: one
// whose liveness is violated, perhaps.
var ErrNothingToDraw = errors.New("the history has no calls to draw")

// WriteVisualization writes porcupine's HTML page for a history: every
// partition with the order that was found, or the partial orders that fail;
// below them the beliefs, the nodes' votes and the facts. Of a partition with
// more than 400 calls it draws the segment that fails, or the beginning. The
// page is for readers: porcupine lists partial orders of equal length in any
// order, so its bytes may differ from run to run. It refuses a history with
// problems.
func WriteVisualization(writer io.Writer, history *History, options Options) error {
	options = options.withDefaults()
	history = numbered(history)
	if problems := Check(history); len(problems) > 0 {
		return fmt.Errorf("the history contradicts itself: %v", problems[0])
	}
	idx := newIndex(history)
	drawing := drawing{index: idx, lanes: map[string]int{}, from: forever}
	for i, client := range history.Header.Clients {
		drawing.lanes[client.Name] = i
	}
	// Real time, as in judgeLinearizability: it decides what is drawn, never a verdict.
	deadline := time.Now().Add(options.TimeLimit)
	var pieces [][]porcupine.Operation
	for _, part := range partitions(idx) {
		if operations := drawing.operations(part, options, deadline); len(operations) > 0 {
			pieces = append(pieces, operations)
		}
	}
	if len(pieces) == 0 {
		return ErrNothingToDraw
	}
	page := pageModel(pieces)
	_, information := porcupine.CheckOperationsVerbose(page, slices.Concat(pieces...), options.TimeLimit)
	information.AddAnnotations(drawing.annotations())
	return porcupine.Visualize(page, information, writer)
}

type drawing struct {
	*index
	lanes       map[string]int
	from, until int64 // what is drawn
}

// drawn is a call on the page. Partitions have different models and starts, so
// each call carries its own.
type drawn struct {
	input
	model model
	start any
}

// drawnState keeps the model beside the state, to describe it.
type drawnState struct {
	model model
	state any
}

func pageModel(pieces [][]porcupine.Operation) porcupine.Model {
	return porcupine.Model{
		Partition: func([]porcupine.Operation) [][]porcupine.Operation { return pieces },
		Init:      func() any { return drawnState{} },
		Step: func(state, in, _ any) (bool, any) {
			now, step := state.(drawnState), in.(drawn)
			if now.model == nil {
				now = drawnState{step.model, step.start}
			}
			next, legal := step.model.step(now.state, step.call, step.latest)
			if !legal {
				return false, now
			}
			return true, drawnState{step.model, next}
		},
		DescribeOperation: func(in, _ any) string {
			step := in.(drawn)
			return step.call.client + ": " + step.model.describe(step.call)
		},
		DescribeState: func(state any) string {
			now := state.(drawnState)
			return now.model.describeState(now.state)
		},
		DescribeOperationMetadata: func(metadata any) string { return metadata.(string) },
	}
}

// operations chooses the calls of a partition to draw.
func (d *drawing) operations(part *partition, options Options, deadline time.Time) []porcupine.Operation {
	calls, start := part.calls, part.model.initial()
	if len(calls) > maxDrawn {
		s := &search{model: part.model, options: options, deadline: deadline}
		pieces := cut(calls, wishedSegment)
		failed, err := s.firstFailure([]configuration{{state: start}}, pieces)
		if err == nil && failed != nil {
			calls, start = slices.Concat(failed.before[0].open, failed.piece.calls), failed.before[0].state
		}
		calls = slices.Clone(calls)
		slices.SortStableFunc(calls, func(a, b *call) int { return cmp.Compare(a.call, b.call) })
		calls = calls[:min(len(calls), maxDrawn)]
	}
	var result []porcupine.Operation
	for _, c := range calls {
		begin, end := c.call, min(c.end, d.Header.EndNS+1)
		if operation := d.index.operations[c.operation]; operation != nil && part.sort == sortLock {
			begin = operation.CallNS // with its wait
		}
		lane := d.lanes[c.client]
		if c.action == ActionExtend {
			lane += len(d.lanes) // renewals run beside other calls
		}
		d.from, d.until = min(d.from, begin), max(d.until, end)
		result = append(result, porcupine.Operation{
			ClientId: lane, Call: begin, Return: end, Metadata: part.name(),
			Input: drawn{input{call: c, latest: end}, part.model, start},
		})
	}
	return result
}

// annotations are the beliefs, votes and facts of the stretch that is drawn.
func (d *drawing) annotations() []porcupine.Annotation {
	var result []porcupine.Annotation
	window := interval{d.from, d.until + 1}
	add := func(tag string, stretch interval, text, details, color string) {
		if !stretch.overlaps(window) || len(result) >= 10*maxDrawn {
			return
		}
		result = append(result, porcupine.Annotation{
			Tag: tag, Start: max(stretch.from, window.from), End: min(stretch.until, window.until),
			Description: text, Details: details, BackgroundColor: color,
		})
	}
	for i := range d.Leases {
		lease := &d.Leases[i]
		for _, stretch := range d.beliefs[lease.ID] {
			add("belief of "+lease.Client, stretch, lease.ID,
				fmt.Sprintf("%s is believed from %s to %s", lease.ID, instant(stretch.from), instant(stretch.until)), "#c6e2ff")
		}
	}
	held := votes(d.index)
	for _, node := range d.Header.Nodes {
		for _, vote := range held[node] {
			add("votes of "+node, vote.interval, vote.client, fmt.Sprintf("%s holds a vote of %s until %s", node, vote.client, instant(vote.until)), "#e8e8d0")
		}
	}
	for i := range d.Facts {
		fact := &d.Facts[i]
		stretch := interval{fact.AtNS, fact.AtNS + 1}
		if fact.UntilNS != nil {
			stretch.until = max(stretch.until, *fact.UntilNS)
		}
		add("faults", stretch, string(fact.Fact), fact.words(), "#ffd0c0")
	}
	return result
}

// words tells a fact's own fields.
func (fact *Fact) words() string {
	words := []string{string(fact.Fact) + byEvent(fact.Event)}
	for _, text := range []string{fact.Name, fact.Who, fact.Client, fact.Node, strings.Join(fact.Nodes, ", "), string(fact.Clock), fact.Key, fact.Token, string(fact.Cause)} {
		if text != "" {
			words = append(words, text)
		}
	}
	if fact.DeltaNS != 0 {
		words = append(words, "by "+span(fact.DeltaNS))
	}
	if fact.ErrorPPM != 0 {
		words = append(words, fmt.Sprintf("%d ppm", fact.ErrorPPM))
	}
	if fact.RemainingNS != 0 {
		words = append(words, span(fact.RemainingNS)+" to live")
	}
	return strings.Join(words, ", ")
}
