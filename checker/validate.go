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
	err := cmp.Or(
		refused(header.Version != Version, "version: %d is not known, this reader knows %d", header.Version, Version),
		refused(header.Quorum < 0, "quorum: %d is negative", header.Quorum),
		refused(header.WallErrorNS < 0, "wall_error_ns: %d is negative", header.WallErrorNS),
		refused(header.RateErrorPPM < 0 || header.RateErrorPPM >= 1_000_000,
			"rate_error_ppm: %d is not between 0 and 999999", header.RateErrorPPM),
		inRange("end_ns", header.EndNS),
		inRange("ttl_ns", header.TTLNS),
	)
	for _, client := range header.Clients {
		err = cmp.Or(err,
			refused(client.Name == "", "clients: a client has no name"),
			oneOf("clock", client.Clock, ClockWall, ClockMonotonic, ClockBoottime, ClockNone, ClockTrue),
			oneOf("validity", client.Validity, ValidityReported, ValidityLaboratory),
		)
	}
	err = cmp.Or(err, refused(slices.Contains(header.Nodes, ""), "nodes: a node has no name"))
	for _, start := range header.Registers {
		err = cmp.Or(err,
			refused(start.Resource == "", "registers: resource is missing"),
			validRegister(start.Register),
		)
	}
	return err
}

func (operation *Operation) validate() error {
	action, never := operation.Action, operation.ReturnNS == nil
	err := cmp.Or(
		required("id", operation.ID, "client", operation.Client, "resource", operation.Resource),
		validAction("op", action),
		oneOf("outcome", operation.Outcome, OutcomeOK, OutcomeFail, OutcomeUnknown),
		inRange("call_ns", operation.CallNS),
		inRangeIfKnown("return_ns", operation.ReturnNS),
		refused(never && operation.Outcome != OutcomeUnknown,
			"outcome: %q without return_ns; a call that never returned is %q", operation.Outcome, OutcomeUnknown),
	)
	if !action.OnResource() {
		return cmp.Or(err, refused(operation.Register != "", "register: does not belong to op %q", action))
	}
	read := action != ActionWrite && operation.Outcome == OutcomeOK
	return cmp.Or(err,
		validRegister(operation.Register),
		refused(action == ActionWrite && operation.Value == nil, "value: missing for a write"),
		refused(read && operation.Result == nil, "result: missing for a successful %s", action),
	)
}

func (lease *Lease) validate() error {
	err := cmp.Or(
		required("id", lease.ID, "client", lease.Client, "resource", lease.Resource),
		refused(len(lease.Validity) == 0, "validity: missing"),
	)
	before := int64(-1)
	for _, validity := range lease.Validity {
		err = cmp.Or(err,
			inRange("at_ns", validity.AtNS),
			inRange("until_ns", validity.UntilNS),
			refused(validity.AtNS <= before, "validity: at_ns %d does not come after %d", validity.AtNS, before),
		)
		before = validity.AtNS
	}
	return cmp.Or(err,
		inRangeIfKnown("released_ns", lease.ReleasedNS),
		inRangeIfKnown("work_done_ns", lease.WorkDoneNS),
	)
}

func (event *NodeEvent) validate() error {
	err := cmp.Or(
		required("node", event.Node, "resource", event.Resource),
		oneOf("what", event.What, NodeSet, NodeDelete, NodeExtend, NodeRefuse),
		inRange("at_ns", event.AtNS),
		inRange("ttl_ns", event.TTLNS),
	)
	if sent := event.SentNS; sent != nil {
		outside := *sent < 0 || *sent > event.AtNS
		err = cmp.Or(err, refused(outside, "sent_ns: %d is not between 0 and at_ns, %d", *sent, event.AtNS))
	}
	if event.Asked == "" {
		return err
	}
	return cmp.Or(err, oneOf("asked", event.Asked, ActionAcquire, ActionExtend, ActionRelease))
}

func (access *Access) validate() error {
	write, fenced := access.Action == ActionWrite, access.Register == RegisterFenced
	return cmp.Or(
		required("client", access.Client, "resource", access.Resource),
		validRegister(access.Register),
		oneOf("action", access.Action, ActionRead, ActionWrite, ActionDecrement),
		inRange("at_ns", access.AtNS),
		inRange("sent_ns", access.SentNS),
		refused(write && access.Value == nil, "value: missing for a write"),
		refused(!write && access.Accepted && access.Result == nil, "result: missing for an accepted %s", access.Action),
		refused(access.Accepted && fenced && access.Fence == nil,
			"fence: missing for an accepted access to a fenced register"),
	)
}

func (fact *Fact) validate() error {
	return cmp.Or(
		inRange("at_ns", fact.AtNS),
		inRangeIfKnown("until_ns", fact.UntilNS),
		refused(orForever(fact.UntilNS) < fact.AtNS, "until_ns: %d lies before at_ns %d", orForever(fact.UntilNS), fact.AtNS),
		signed("delta_ns", fact.DeltaNS),
		signed("remaining_ns", fact.RemainingNS),
		fact.validateFields(),
	)
}

// validateFields checks that a fact has the fields that it needs.
func (fact *Fact) validateFields() error {
	switch fact.Fact {
	case FactClockStep, FactWallDiffers:
		return cmp.Or(refused(fact.DeltaNS == 0, "delta_ns: missing for %s", fact.Fact), required("who", fact.Who))
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
		return refused(len(fact.Nodes) < 2, "nodes: same_server needs at least two")
	case FactMembership:
		return refused(len(fact.Nodes) == 0, "nodes: missing for membership")
	case FactFault:
		return required("name", fact.Name)
	case FactSlowLink, FactLost:
		return required("name", fact.Name, "client", fact.Client)
	case FactFewTries:
		return required("name", fact.Name, "client", fact.Client, "key", fact.Key)
	}
	return cmp.Or(required("fact", string(fact.Fact)), fmt.Errorf("fact: %q is not known", fact.Fact))
}

func (goal *Goal) validate() error {
	err := cmp.Or(
		required("id", goal.ID, "bound", goal.Bound),
		oneOf("form", goal.Form, GoalSome, GoalEachReturns, GoalEachSucceeds, GoalEachFails,
			GoalNeverSent, GoalEachClears, GoalSentInTime),
		validAction("op", goal.Action),
	)
	for _, id := range goal.Needs {
		known := slices.Contains(assumptions, id)
		err = cmp.Or(err, refused(!known, "needs: %q is not an assumption, allowed are %q", id, assumptions))
	}
	return cmp.Or(err,
		inRange("from_ns", goal.FromNS),
		inRange("within_ns", goal.WithinNS),
		inRange("heal_ns", goal.HealNS),
	)
}

// refused is the error of a record for which a condition is true.
func refused(condition bool, format string, arguments ...any) error {
	if condition {
		return fmt.Errorf(format, arguments...)
	}
	return nil
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
	switch {
	case nanoseconds < 0:
		return fmt.Errorf("%s: %d is negative", field, nanoseconds)
	case nanoseconds > maxTimeNS:
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
