package checker

func extend(id, lease string, call, end int64) Operation {
	return Operation{
		ID: id, Client: lease[:1], Action: ActionExtend, Resource: "r", Lease: lease, CallNS: call, ReturnNS: At(end),
		Outcome: OutcomeOK,
	}
}

func release(id, lease string, call, end int64) Operation {
	return Operation{
		ID: id, Client: lease[:1], Action: ActionRelease, Resource: "r", Lease: lease, CallNS: call, ReturnNS: At(end),
		Outcome: OutcomeOK,
	}
}

func acquire(id, lease string, call, end int64) Operation {
	return Operation{
		ID: id, Client: lease[:1], Action: ActionAcquire, Resource: "r", Lease: lease, CallNS: call, ReturnNS: At(end),
		Outcome: OutcomeOK,
	}
}

func held(lease string, validity ...int64) Lease {
	result := Lease{ID: lease, Client: lease[:1], Resource: "r"}
	for i := 0; i < len(validity); i += 2 {
		result.Validity = append(result.Validity, Validity{AtNS: validity[i], UntilNS: validity[i+1]})
	}
	return result
}

func released(lease Lease, at int64) Lease { lease.ReleasedNS = &at; return lease }

func request(at int64, lease string, register Register, action Action, fence, number int64, accepted bool) Access {
	access := Access{
		AtNS: at, SentNS: at, Client: lease[:1], Lease: lease, Resource: "r", Register: register, Action: action,
		Fence: At(fence), Accepted: accepted,
	}
	if action == ActionWrite {
		access.Value = At(number)
	} else {
		access.Result = At(number)
	}
	return access
}

func headerFor(end int64) Header {
	return Header{Version: Version, EndNS: end, TTLNS: 20, Quorum: 1, Nodes: []string{"n1"}, Clients: []Client{
		{Name: "A", Clock: ClockBoottime, Validity: ValidityReported},
		{Name: "B", Clock: ClockMonotonic, Validity: ValidityReported},
		{Name: "C", Clock: ClockWall, Validity: ValidityReported},
	}}
}
