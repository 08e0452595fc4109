package checker

import (
	"io"

	"redlocklab/checker/history"
)

// The records of a history, under the names that this package speaks of. Package
// history describes them.
type (
	Action         = history.Action
	Outcome        = history.Outcome
	Operation      = history.Operation
	Lease          = history.Lease
	Validity       = history.Validity
	FactName       = history.FactName
	Cause          = history.Cause
	Fact           = history.Fact
	GoalForm       = history.GoalForm
	Goal           = history.Goal
	Kind           = history.Kind
	History        = history.History
	Clock          = history.Clock
	ValiditySource = history.ValiditySource
	Header         = history.Header
	Client         = history.Client
	RegisterStart  = history.RegisterStart
	Problem        = history.Problem
	ReadError      = history.ReadError
	NodeAction     = history.NodeAction
	NodeEvent      = history.NodeEvent
	Register       = history.Register
	Access         = history.Access
)

// The words of the format.
const (
	AssumptionRate         = history.AssumptionRate
	AssumptionStep         = history.AssumptionStep
	AssumptionWall         = history.AssumptionWall
	AssumptionVote         = history.AssumptionVote
	AssumptionDistinct     = history.AssumptionDistinct
	AssumptionOwner        = history.AssumptionOwner
	AssumptionToken        = history.AssumptionToken
	AssumptionWork         = history.AssumptionWork
	AssumptionCounter      = history.AssumptionCounter
	AssumptionHeal         = history.AssumptionHeal
	AssumptionRandom       = history.AssumptionRandom
	AssumptionBounded      = history.AssumptionBounded
	ActionAcquire          = history.ActionAcquire
	ActionExtend           = history.ActionExtend
	ActionRelease          = history.ActionRelease
	ActionRead             = history.ActionRead
	ActionWrite            = history.ActionWrite
	ActionDecrement        = history.ActionDecrement
	OutcomeOK              = history.OutcomeOK
	OutcomeFail            = history.OutcomeFail
	OutcomeUnknown         = history.OutcomeUnknown
	FactClockStep          = history.FactClockStep
	FactClockRate          = history.FactClockRate
	FactWallDiffers        = history.FactWallDiffers
	FactSuspended          = history.FactSuspended
	FactForgot             = history.FactForgot
	FactRevived            = history.FactRevived
	FactOwner              = history.FactOwner
	FactFailover           = history.FactFailover
	FactSameServer         = history.FactSameServer
	FactMembership         = history.FactMembership
	FactCounterLost        = history.FactCounterLost
	FactMarkLost           = history.FactMarkLost
	FactFault              = history.FactFault
	FactRetryFixed         = history.FactRetryFixed
	FactUnboundedExtension = history.FactUnboundedExtension
	FactPaused             = history.FactPaused
	CauseCrash             = history.CauseCrash
	CausePowerLoss         = history.CausePowerLoss
	CauseRollback          = history.CauseRollback
	CauseFailover          = history.CauseFailover
	CauseClockStep         = history.CauseClockStep
	CauseOwner             = history.CauseOwner
	GoalSome               = history.GoalSome
	GoalEachReturns        = history.GoalEachReturns
	GoalEachSucceeds       = history.GoalEachSucceeds
	GoalEachFails          = history.GoalEachFails
	GoalNeverSent          = history.GoalNeverSent
	GoalEachClears         = history.GoalEachClears
	GoalSentInTime         = history.GoalSentInTime
	KindHeader             = history.KindHeader
	KindOperation          = history.KindOperation
	KindLease              = history.KindLease
	KindNode               = history.KindNode
	KindAccess             = history.KindAccess
	KindFact               = history.KindFact
	KindGoal               = history.KindGoal
	ClockWall              = history.ClockWall
	ClockMonotonic         = history.ClockMonotonic
	ClockBoottime          = history.ClockBoottime
	ClockNone              = history.ClockNone
	ClockTrue              = history.ClockTrue
	ValidityReported       = history.ValidityReported
	ValidityLaboratory     = history.ValidityLaboratory
	Version                = history.Version
	DefaultRateErrorPPM    = history.DefaultRateErrorPPM
	NodeSet                = history.NodeSet
	NodeDelete             = history.NodeDelete
	NodeExtend             = history.NodeExtend
	NodeRefuse             = history.NodeRefuse
	RegisterUnfenced       = history.RegisterUnfenced
	RegisterFencedWrites   = history.RegisterFencedWrites
	RegisterFenced         = history.RegisterFenced
)

// Read reads a history, see [history.Read].
func Read(reader io.Reader) (*History, error) { return history.Read(reader) }

// Write writes a history, see [history.Write].
func Write(writer io.Writer, record *History) error { return history.Write(writer, record) }

// Assumptions returns the ids of all assumptions, in the order of the ledger.
func Assumptions() []string { return history.Assumptions() }

// At returns a pointer to a value, for fields that may be absent.
func At(value int64) *int64 { return &value }
