package checker

import (
	"cmp"
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
	if err := cmp.Or(inRange("end_ns", header.EndNS), inRange("ttl_ns", header.TTLNS)); err != nil {
		return err
	}
	for _, client := range header.Clients {
		if client.Name == "" {
			return fmt.Errorf("clients: a client has no name")
		}
		if err := cmp.Or(
			oneOf("clock", client.Clock, ClockWall, ClockMonotonic, ClockBoottime, ClockNone, ClockTrue),
			oneOf("validity", client.Validity, ValidityReported, ValidityLaboratory),
		); err != nil {
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
	err := cmp.Or(
		required("id", operation.ID, "client", operation.Client, "resource", operation.Resource),
		validAction("op", operation.Action),
		oneOf("outcome", operation.Outcome, OutcomeOK, OutcomeFail, OutcomeUnknown),
		inRange("call_ns", operation.CallNS),
		inRangeIfKnown("return_ns", operation.ReturnNS),
	)
	ok := operation.Outcome == OutcomeOK
	switch {
	case err != nil:
		return err
	case operation.ReturnNS == nil && operation.Outcome != OutcomeUnknown:
		return fmt.Errorf("outcome: %q without return_ns; a call that never returned is %q",
			operation.Outcome, OutcomeUnknown)
	case !operation.Action.OnResource() && operation.Register != "":
		return fmt.Errorf("register: does not belong to op %q", operation.Action)
	case !operation.Action.OnResource():
		return nil
	case operation.Action == ActionWrite && operation.Value == nil:
		err = fmt.Errorf("value: missing for a write")
	case operation.Action != ActionWrite && ok && operation.Result == nil:
		err = fmt.Errorf("result: missing for a successful %s", operation.Action)
	}
	return cmp.Or(validRegister(operation.Register), err)
}

func (lease *Lease) validate() error {
	if err := required("id", lease.ID, "client", lease.Client, "resource", lease.Resource); err != nil {
		return err
	}
	if len(lease.Validity) == 0 {
		return fmt.Errorf("validity: missing")
	}
	for position, validity := range lease.Validity {
		if err := cmp.Or(inRange("at_ns", validity.AtNS), inRange("until_ns", validity.UntilNS)); err != nil {
			return err
		}
		if position > 0 && validity.AtNS <= lease.Validity[position-1].AtNS {
			return fmt.Errorf("validity: at_ns %d does not come after %d",
				validity.AtNS, lease.Validity[position-1].AtNS)
		}
	}
	return cmp.Or(
		inRangeIfKnown("released_ns", lease.ReleasedNS),
		inRangeIfKnown("work_done_ns", lease.WorkDoneNS),
	)
}

func (event *NodeEvent) validate() error {
	if err := cmp.Or(
		required("node", event.Node, "resource", event.Resource),
		oneOf("what", event.What, NodeSet, NodeDelete, NodeExtend, NodeRefuse),
		inRange("at_ns", event.AtNS),
		inRange("ttl_ns", event.TTLNS),
	); err != nil {
		return err
	}
	if event.SentNS != nil && (*event.SentNS < 0 || *event.SentNS > event.AtNS) {
		return fmt.Errorf("sent_ns: %d is not between 0 and at_ns, %d", *event.SentNS, event.AtNS)
	}
	if event.Asked == "" {
		return nil
	}
	return oneOf("asked", event.Asked, ActionAcquire, ActionExtend, ActionRelease)
}

func (access *Access) validate() error {
	if err := cmp.Or(
		required("client", access.Client, "resource", access.Resource),
		validRegister(access.Register),
		oneOf("action", access.Action, ActionRead, ActionWrite, ActionDecrement),
		inRange("at_ns", access.AtNS),
		inRange("sent_ns", access.SentNS),
	); err != nil {
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
	err := cmp.Or(inRange("at_ns", fact.AtNS), inRangeIfKnown("until_ns", fact.UntilNS))
	switch {
	case err != nil:
		return err
	case fact.UntilNS != nil && *fact.UntilNS < fact.AtNS:
		return fmt.Errorf("until_ns: %d lies before at_ns %d", *fact.UntilNS, fact.AtNS)
	}
	if err := cmp.Or(signed("delta_ns", fact.DeltaNS), signed("remaining_ns", fact.RemainingNS)); err != nil {
		return err
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
		return cmp.Or(required("node", fact.Node, "key", fact.Key), oneOf("cause", fact.Cause,
			CauseCrash, CausePowerLoss, CauseRollback, CauseFailover, CauseClockStep, CauseOwner))
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
	case FactSlowLink, FactLost:
		return required("name", fact.Name, "client", fact.Client)
	case FactFewTries:
		return required("name", fact.Name, "client", fact.Client, "key", fact.Key)
	default:
		return cmp.Or(required("fact", string(fact.Fact)), fmt.Errorf("fact: %q is not known", fact.Fact))
	}
	return nil
}

func (goal *Goal) validate() error {
	if err := cmp.Or(
		required("id", goal.ID, "bound", goal.Bound),
		oneOf("form", goal.Form, GoalSome, GoalEachReturns, GoalEachSucceeds, GoalEachFails,
			GoalNeverSent, GoalEachClears, GoalSentInTime),
		validAction("op", goal.Action),
	); err != nil {
		return err
	}
	for _, id := range goal.Needs {
		if !slices.Contains(assumptions, id) {
			return fmt.Errorf("needs: %q is not an assumption, allowed are %q", id, assumptions)
		}
	}
	return cmp.Or(
		inRange("from_ns", goal.FromNS),
		inRange("within_ns", goal.WithinNS),
		inRange("heal_ns", goal.HealNS),
	)
}

func validRegister(register Register) error {
	return oneOf("register", register, RegisterUnfenced, RegisterFencedWrites, RegisterFenced)
}

func validAction(field string, action Action) error {
	return oneOf(field, action,
		ActionAcquire, ActionExtend, ActionRelease, ActionRead, ActionWrite, ActionDecrement)
}

// required takes pairs of a field's name and its value, which must not be empty.
func required(pairs ...string) error {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			return fmt.Errorf("%s: missing; allowed: a string that is not empty", pairs[i])
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
		return fmt.Errorf("%s: missing; allowed: %s", field, Join(allowed))
	}
	return fmt.Errorf("%s: found %q; allowed: %s", field, value, Join(allowed))
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

func inRangeIfKnown(field string, nanoseconds *int64) error {
	if nanoseconds == nil {
		return nil
	}
	return inRange(field, *nanoseconds)
}

// signed checks a difference of times.
func signed(field string, nanoseconds int64) error {
	if nanoseconds > maxTimeNS || nanoseconds < -maxTimeNS {
		return fmt.Errorf("%s: found %d; allowed: %d to %d", field, nanoseconds, -int64(maxTimeNS), int64(maxTimeNS))
	}
	return nil
}
