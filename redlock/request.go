package redlock

import "errors"

// request is the command of one fanout to one node.
type request struct {
	fanout    *fanout
	node      int
	form      form
	resent    bool // sent again after its connection broke
	redialled bool // sent again after there was no connection; releases only
	verified  bool // the server's run id came over the same connection as the reply
	reply     reply
	err       error // the driver's error
}

// stillWanted reports whether the request may still be sent. A release always may. A
// command that sets the token may until its attempt is given up or its token released.
// An extension may also not be sent after its lease has ended.
func (r *request) stillWanted() bool {
	f := r.fanout
	switch {
	case f.command.operation == OperationRelease:
		return true
	case f.command.operation == OperationExtend && f.tokenState.leaseEnded.Load():
		return false
	default:
		return !f.abandoned.Load() && !f.tokenState.stopped.Load()
	}
}

// claimResend reports whether a failed request may be sent again, and marks it as sent
// again. Any request may be, once, after an established connection broke. A release
// may be once more when there was no connection: the node must get it (claim MX-3), and
// no caller waits for it longer than its round lasts.
func (r *request) claimResend() bool {
	switch {
	case !r.resent && brokenConnection(r.err):
		r.resent = true
		return true
	case !r.redialled && r.fanout.command.operation == OperationRelease && neverSent(r.err):
		r.redialled = true
		return true
	default:
		return false
	}
}

// ambiguity returns why the reply to a resent request proves nothing, or nil. The first
// sending, whose reply was lost, may have caused what this reply reports:
//
//   - An extension that finds its token cannot tell whether the key was kept, or the
//     first sending restored it.
//   - A fencing command that finds the counter raised cannot tell whose number that is.
//     Taking an equal number for its own could give two leases the same number.
func (r *request) ambiguity(outcome NodeOutcome) error {
	if !r.resent {
		return nil
	}
	switch operation := r.fanout.command.operation; {
	case operation == OperationExtend && outcome == OutcomeGranted:
		return errMaybeRestored
	case operation == OperationFence && r.reply.kind == replyInteger && r.reply.integer == counterNotLower:
		return errMaybeRaised
	default:
		return nil
	}
}

var (
	errMaybeRestored = errors.New("redlock: the extension was sent twice and the first sending may have restored the key")
	errMaybeRaised   = errors.New("redlock: the fencing token was sent twice and the first sending may have raised the counter")
)
