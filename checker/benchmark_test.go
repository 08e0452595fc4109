package checker

import (
	"bytes"
	"fmt"
	"io"
	"runtime/metrics"
	"testing"
	"time"
)

// contended makes a history of the given number of lock operations by eight
// clients that always wait for one resource, so that it is never quiet: each
// acquisition waits for seven others. Every lease also works on an inventory
// counter, through requests that the resource logs.
func contended(operations int) *History {
	history := &History{Header: Header{
		Version: Version, Name: "contended", TTLNS: 1000, RateErrorPPM: 4500, Nodes: []string{"n1", "n2", "n3"},
		Quorum: 2,
	}}
	const clients = 8
	called := make([]int64, clients)
	for i := range clients {
		history.Header.Clients = append(history.Header.Clients, Client{
			Name: fmt.Sprintf("c%d", i), Clock: ClockBoottime, Validity: ValidityReported,
		})
		called[i] = int64(i)
	}
	now := int64(100)
	for turn := 0; len(history.Operations) < operations; turn++ {
		client := turn % clients
		name, lease := history.Header.Clients[client].Name, fmt.Sprintf("c%d#%d", client, turn)
		acquired, released := now, now+60
		add := func(action Action, call, end int64) *Operation {
			history.Operations = append(history.Operations, Operation{
				ID: fmt.Sprintf("o%d", len(history.Operations)), Client: name, Action: action,
				Resource: "stock", Lease: lease, CallNS: call, ReturnNS: At(end), Outcome: OutcomeOK,
			})
			return &history.Operations[len(history.Operations)-1]
		}
		add(ActionAcquire, called[client], acquired).Token = lease
		add(ActionExtend, acquired+10, acquired+20)
		sale := add(ActionDecrement, acquired+30, acquired+50)
		sale.Register, sale.Result = RegisterFenced, At(int64(-turn))
		add(ActionRelease, released, released+30)
		history.Leases = append(history.Leases, Lease{
			ID: lease, Client: name, Resource: "stock", Token: lease, Fence: At(int64(turn)),
			Validity: []Validity{
				{AtNS: acquired, UntilNS: acquired + 900}, {AtNS: acquired + 20, UntilNS: acquired + 920},
			},
			ReleasedNS: At(released),
		})
		called[client] = released + 31
		now = released + 20
	}
	history.Header.EndNS = now + 1000
	return history
}

// unquiet makes a history of reads and writes of eight clients on one register
// in which some call is always under way.
func unquiet(operations int) *History {
	history := &History{Header: Header{Version: Version, Name: "unquiet", Quorum: 1, Nodes: []string{"n1"}}}
	for i := range 8 {
		history.Header.Clients = append(history.Header.Clients, Client{
			Name: fmt.Sprintf("c%d", i), Clock: ClockNone, Validity: ValidityReported,
		})
	}
	value := int64(0)
	for i := range operations {
		at := int64(i+1) * 10
		operation := Operation{ID: fmt.Sprintf("o%d", i), Client: history.Header.Clients[i%8].Name, Resource: "r",
			Register: RegisterUnfenced,
			CallNS:   at - int64(i*7%30) - 9, ReturnNS: At(at + int64(i*5%20)), Outcome: OutcomeOK, Action: ActionRead,
			Result: At(value)}
		operation.CallNS = max(0, operation.CallNS)
		if i%3 == 0 {
			value = int64(i)
			operation.Action, operation.Value, operation.Result = ActionWrite, At(value), nil
		}
		history.Operations = append(history.Operations, operation)
	}
	history.Header.EndNS = int64(operations+10) * 10
	return history
}

// BenchmarkHundredThousand reads and judges histories of 100,000 operations,
// and reports the peak of live heap above what the file itself takes.
func BenchmarkHundredThousand(b *testing.B) {
	for name, history := range map[string]*History{"contended": contended(100_000), "unquiet": unquiet(100_000)} {
		var file bytes.Buffer
		if err := Write(&file, history); err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			peak := watchHeap()
			for b.Loop() {
				history, err := Read(bytes.NewReader(file.Bytes()))
				if err != nil {
					b.Fatal(err)
				}
				verdict := Judge(history, Options{TimeLimit: time.Minute})
				if answers := verdict.Answers().String(); answers != "holds" {
					b.Fatal(verdict.Summary())
				}
				fmt.Fprintln(io.Discard, verdict.Summary())
			}
			b.ReportMetric(float64(peak())/(1<<20), "peak-MiB")
			b.ReportMetric(float64(file.Len())/(1<<20), "file-MiB")
		})
	}
}

// watchHeap samples the memory that the Go runtime has mapped, which is what
// the operating system sees, until the returned function is called.
func watchHeap() (peak func() uint64) {
	stop, done := make(chan struct{}), make(chan uint64)
	go func() {
		var highest uint64
		sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
		for {
			metrics.Read(sample)
			highest = max(highest, sample[0].Value.Uint64()-sample[1].Value.Uint64())
			select {
			case <-stop:
				done <- highest
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	return func() uint64 { close(stop); return <-done }
}
