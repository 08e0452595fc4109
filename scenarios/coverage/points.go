package coverage

import (
	"slices"

	"redlocklab/checker"
)

// Point is something that happens in some runs and should happen in some run of
// every campaign.
type Point struct {
	Name string
	Doc  string // what must happen, in one sentence
	// Needs is the assumption that is broken when it happens; empty is none.
	Needs string
}

// The names of the points.
const (
	ExactQuorum       = "exact quorum"
	SplitVote         = "split vote"
	LateWin           = "late win"
	LostGrant         = "lost grant"
	GivenUpSet        = "given-up set"
	SetAfterRelease   = "set after release"
	RestartInAcquire  = "restart in acquisition"
	PauseOnVotes      = "pause on votes"
	ExpiryBefore      = "expiry before release"
	ExpiryInExtension = "expiry in extension"
	PartialExtension  = "partial extension"
	CloseSuccessor    = "close successor"
	HolderCrash       = "holder crash"
	HolderCut         = "holder cut off"
	VoterCrash        = "voter crash"
	StepBack          = "step back in a hold"
	StepForward       = "node step in a hold"
	Forgotten         = "vote forgotten"
	Removed           = "vote removed"
)

// Points lists what is looked for.
func Points() []Point {
	return []Point{
		{ExactQuorum, "a lease is won with not one vote more than a quorum, ever", ""},
		{SplitVote, "an attempt fails while several clients have votes and none has a quorum", ""},
		{LateWin, "a quorum's votes come when the validity is over", ""},
		{LostGrant, "a node grants, and its answer is lost", ""},
		{GivenUpSet, "a command to acquire arrives when its client is done with the acquisition", ""},
		{SetAfterRelease, "a node executes a command to acquire after the release of the same token", ""},
		{RestartInAcquire, "a node restarts while a client acquires", ""},
		{PauseOnVotes, "a client is paused in an acquisition, when nodes have granted", ""},
		{ExpiryBefore, "a holder's key runs out at a node before the holder releases", ""},
		{ExpiryInExtension, "a holder's key runs out at a node while the holder extends", ""},
		{PartialExtension, "an extension fails although a node has extended", ""},
		{CloseSuccessor, "a lease begins within a twentieth of the TTL after another lapsed unreleased", ""},
		{HolderCrash, "a client crashes that holds", ""},
		{HolderCut, "a partition begins while a client holds", ""},
		{VoterCrash, "a node crashes that carries a vote", ""},
		{StepBack, "a clock is stepped back while a client holds", ""},
		{StepForward, "a node's clock is stepped forward while a client holds", checker.AssumptionStep},
		{Forgotten, "a node forgets a vote, or brings one back", checker.AssumptionVote},
		{Removed, "an operator removes a vote", checker.AssumptionOwner},
	}
}

// Missing lists the points that none of the runs came to, of those that runs
// can come to which may break these assumptions.
func Missing(reached map[string]int, mayBreak []string) []Point {
	var missing []Point
	for _, m := range Points() {
		if reached[m.Name] == 0 && (m.Needs == "" || slices.Contains(mayBreak, m.Needs)) {
			missing = append(missing, m)
		}
	}
	return missing
}
