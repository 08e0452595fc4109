package history

import (
	"fmt"
	"slices"
)

// maxTimeNS bounds every time and duration, about 73 years, so that the sum of
// two never overflows.
const maxTimeNS = 1 << 61

// The validate method of a record checks that record alone: required fields,
// known words, ranges. Checks that need other records are in problems.go. The
// reader refuses a file at its first invalid record; Judge lists all as problems.

func (header *Header) validate() error {
	switch {
	case header.Version != Version:
		return fmt.Errorf("version: %d is not known, this reader knows %d", header.Version, Version)
	case header.Quorum < 0:
		return fmt.Errorf("quorum: %d is negative", header.Quorum)
	case header.WallErrorNS < 0:
		return fmt.Errorf("wall_error_ns: %d is negative", header.WallErrorNS)
	case header.RateErrorPPM < 0 || header.RateErrorPPM >= 1_000_000:
		return fmt.Errorf("rate_error_ppm: %d is not between 0 and 999999", header.RateErrorPPM)
	}
	if err := inRange("end_ns", header.EndNS); err != nil {
		return err
	}
	if err := inRange("ttl_ns", header.TTLNS); err != nil {
		return err
	}
	for _, client := range header.Clients {
		if client.Name == "" {
			return fmt.Errorf("clients: a client has no name")
		}
		if err := oneOf("clock", client.Clock, ClockWall, ClockMonotonic, ClockBoottime, ClockNone, ClockTrue); err != nil {
			return err
		}
		if err := oneOf("validity", client.Validity, ValidityReported, ValidityLaboratory); err != nil {
			return err
		}
	}
	if slices.Contains(header.Nodes, "") {
		return fmt.Errorf("nodes: a node has no name")
	}
	for _, start := range header.Registers {
		if start.Resource == "" {
			return fmt.Errorf("registers: resource is missing")
		}
		if err := validRegister(start.Register); err != nil {
			return err
		}
	}
	return nil
}

func (operation *Operation) validate() error {
	if err := required("id", operation.ID, "client", operation.Client, "resource", operation.Resource); err != nil {
		return err
	}
	if err := oneOf("op", operation.Action, ActionAcquire, ActionExtend, ActionRelease, ActionRead, ActionWrite, ActionDecrement); err != nil {
		return err
	}
	if err := oneOf("outcome", operation.Outcome, OutcomeOK, OutcomeFail, OutcomeUnknown); err != nil {
		return err
	}
	if err := inRange("call_ns", operation.CallNS); err != nil {
		return err
	}
	if operation.ReturnNS == nil {
		if operation.Outcome != OutcomeUnknown {
			return fmt.Errorf("outcome: %q without return_ns; a call that never returned is %q", operation.Outcome, OutcomeUnknown)
		}
	} else if err := inRange("return_ns", *operation.ReturnNS); err != nil {
		return err
	}
	if !operation.Action.OnResource() {
		if operation.Register != "" {
			return fmt.Errorf("register: does not belong to op %q", operation.Action)
		}
		return nil
	}
	if err := validRegister(operation.Register); err != nil {
		return err
	}
	ok := operation.Outcome == OutcomeOK
	switch {
	case operation.Action == ActionWrite && operation.Value == nil:
		return fmt.Errorf("value: missing for a write")
	case operation.Action == ActionRead && ok && operation.Result == nil:
		return fmt.Errorf("result: missing for a successful read")
	case operation.Action == ActionDecrement && ok && operation.Result == nil:
		return fmt.Errorf("result: missing for a successful decrement")
	}
	return nil
}

func (lease *Lease) validate() error {
	if err := required("id", lease.ID, "client", lease.Client, "resource", lease.Resource); err != nil {
		return err
	}
	if len(lease.Validity) == 0 {
		return fmt.Errorf("validity: missing")
	}
	for position, validity := range lease.Validity {
		if err := inRange("at_ns", validity.AtNS); err != nil {
			return err
		}
		if err := inRange("until_ns", validity.UntilNS); err != nil {
			return err
		}
		if position > 0 && validity.AtNS <= lease.Validity[position-1].AtNS {
			return fmt.Errorf("validity: at_ns %d does not come after %d", validity.AtNS, lease.Validity[position-1].AtNS)
		}
	}
	if lease.ReleasedNS != nil {
		if err := inRange("released_ns", *lease.ReleasedNS); err != nil {
			return err
		}
	}
	if lease.WorkDoneNS != nil {
		return inRange("work_done_ns", *lease.WorkDoneNS)
	}
	return nil
}

func (event *NodeEvent) validate() error {
	if err := required("node", event.Node, "resource", event.Resource); err != nil {
		return err
	}
	if err := oneOf("what", event.What, NodeSet, NodeDelete, NodeExtend, NodeRefuse); err != nil {
		return err
	}
	if err := inRange("at_ns", event.AtNS); err != nil {
		return err
	}
	if event.Asked != "" {
		if err := oneOf("asked", event.Asked, ActionAcquire, ActionExtend, ActionRelease); err != nil {
			return err
		}
	}
	if event.SentNS != nil && (*event.SentNS < 0 || *event.SentNS > event.AtNS) {
		return fmt.Errorf("sent_ns: %d is not between 0 and at_ns, %d", *event.SentNS, event.AtNS)
	}
	return inRange("ttl_ns", event.TTLNS)
}

func (access *Access) validate() error {
	if err := required("client", access.Client, "resource", access.Resource); err != nil {
		return err
	}
	if err := validRegister(access.Register); err != nil {
		return err
	}
	if err := oneOf("action", access.Action, ActionRead, ActionWrite, ActionDecrement); err != nil {
		return err
	}
	if err := inRange("at_ns", access.AtNS); err != nil {
		return err
	}
	if err := inRange("sent_ns", access.SentNS); err != nil {
		return err
	}
	switch {
	case access.Action == ActionWrite && access.Value == nil:
		return fmt.Errorf("value: missing for a write")
	case access.Action != ActionWrite && access.Accepted && access.Result == nil:
		return fmt.Errorf("result: missing for an accepted %s", access.Action)
	case access.Accepted && access.Register == RegisterFenced && access.Fence == nil:
		return fmt.Errorf("fence: missing for an accepted access to a fenced register")
	}
	return nil
}

func (fact *Fact) validate() error {
	if err := inRange("at_ns", fact.AtNS); err != nil {
		return err
	}
	if fact.UntilNS != nil {
		if err := inRange("until_ns", *fact.UntilNS); err != nil {
			return err
		}
		if *fact.UntilNS < fact.AtNS {
			return fmt.Errorf("until_ns: %d lies before at_ns %d", *fact.UntilNS, fact.AtNS)
		}
	}
	if fact.RemainingNS > maxTimeNS || fact.RemainingNS < -maxTimeNS {
		return fmt.Errorf("remaining_ns: %d is out of range", fact.RemainingNS)
	}
	switch fact.Fact {
	case FactClockStep, FactWallDiffers:
		if fact.DeltaNS == 0 {
			return fmt.Errorf("delta_ns: missing for %s", fact.Fact)
		}
		return required("who", fact.Who)
	case FactClockRate:
		return required("who", fact.Who)
	case FactSuspended, FactPaused, FactRetryFixed, FactUnboundedExtension:
		return required("client", fact.Client)
	case FactForgot, FactRevived:
		if err := required("node", fact.Node, "key", fact.Key); err != nil {
			return err
		}
		return oneOf("cause", fact.Cause, CauseCrash, CausePowerLoss, CauseRollback, CauseFailover, CauseClockStep, CauseOwner)
	case FactOwner, FactCounterLost:
		return required("node", fact.Node, "key", fact.Key)
	case FactMarkLost:
		return required("key", fact.Key)
	case FactFailover:
		return required("node", fact.Node)
	case FactSameServer:
		if len(fact.Nodes) < 2 {
			return fmt.Errorf("nodes: same_server needs at least two")
		}
	case FactMembership:
		if len(fact.Nodes) == 0 {
			return fmt.Errorf("nodes: missing for membership")
		}
	case FactFault:
		return required("name", fact.Name)
	default:
		return fmt.Errorf("fact: %q is not known", fact.Fact)
	}
	return nil
}

func (goal *Goal) validate() error {
	if err := required("id", goal.ID, "bound", goal.Bound); err != nil {
		return err
	}
	if err := oneOf("form", goal.Form, GoalSome, GoalEachReturns, GoalEachSucceeds, GoalEachFails, GoalNeverSent, GoalEachClears, GoalSentInTime); err != nil {
		return err
	}
	if err := oneOf("op", goal.Action, ActionAcquire, ActionExtend, ActionRelease, ActionRead, ActionWrite, ActionDecrement); err != nil {
		return err
	}
	for _, id := range goal.Needs {
		if !slices.Contains(assumptions, id) {
			return fmt.Errorf("needs: %q is not an assumption, allowed are %q", id, assumptions)
		}
	}
	if err := inRange("from_ns", goal.FromNS); err != nil {
		return err
	}
	if err := inRange("within_ns", goal.WithinNS); err != nil {
		return err
	}
	return inRange("heal_ns", goal.HealNS)
}

func validRegister(register Register) error {
	return oneOf("register", register, RegisterUnfenced, RegisterFencedWrites, RegisterFenced)
}

// required takes pairs of a field's name and its value, which must not be empty.
func required(pairs ...string) error {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			return fmt.Errorf("%s: missing", pairs[i])
		}
	}
	return nil
}

func oneOf[word ~string](field string, value word, allowed ...word) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	allowed = slices.Clone(allowed) // only the copy, which is printed, escapes to the heap
	if value == "" {
		return fmt.Errorf("%s: missing, allowed are %q", field, allowed)
	}
	return fmt.Errorf("%s: %q is not known, allowed are %q", field, value, allowed)
}

func inRange(field string, nanoseconds int64) error {
	if nanoseconds < 0 {
		return fmt.Errorf("%s: %d is negative", field, nanoseconds)
	}
	if nanoseconds > maxTimeNS {
		return fmt.Errorf("%s: %d is beyond %d", field, nanoseconds, int64(maxTimeNS))
	}
	return nil
}
