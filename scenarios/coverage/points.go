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

// The names of the points, in the order of [Points].
var (
	ExactQuorum       = point("exact quorum", "a lease is won with not one vote more than a quorum, ever", "")
	SplitVote         = point("split vote", "an attempt fails while several clients have votes and none has a quorum", "")
	LateWin           = point("late win", "a quorum's votes come when the validity is over", "")
	LostGrant         = point("lost grant", "a node grants, and its answer is lost", "")
	GivenUpSet        = point("given-up set", "a command to acquire arrives when its client is done with the acquisition", "")
	SetAfterRelease   = point("set after release", "a node executes a command to acquire after the release of the same token", "")
	RestartInAcquire  = point("restart in acquisition", "a node restarts while a client acquires", "")
	PauseOnVotes      = point("pause on votes", "a client is paused in an acquisition, when nodes have granted", "")
	ExpiryBefore      = point("expiry before release", "a holder's key runs out at a node before the holder releases", "")
	ExpiryInExtension = point("expiry in extension", "a holder's key runs out at a node while the holder extends", "")
	PartialExtension  = point("partial extension", "an extension fails although a node has extended", "")
	CloseSuccessor    = point("close successor", "a lease begins within a twentieth of the TTL after another lapsed unreleased", "")
	HolderCrash       = point("holder crash", "a client crashes that holds", "")
	HolderCut         = point("holder cut off", "a partition begins while a client holds", "")
	VoterCrash        = point("voter crash", "a node crashes that carries a vote", "")
	StepBack          = point("step back in a hold", "a clock is stepped back while a client holds", "")
	StepForward       = point("node step in a hold", "a node's clock is stepped forward while a client holds", checker.AssumptionStep)
	Forgotten         = point("vote forgotten", "a node forgets a vote, or brings one back", checker.AssumptionVote)
	Removed           = point("vote removed", "an operator removes a vote", checker.AssumptionOwner)
)

var points []Point

func point(name, doc, needs string) string {
	points = append(points, Point{name, doc, needs})
	return name
}

// Points lists what is looked for.
func Points() []Point { return slices.Clone(points) }

// Missing lists the points that none of the runs came to, of those that runs
// can come to which may break these assumptions.
func Missing(reached map[string]int, mayBreak []string) []Point {
	var missing []Point
	for _, m := range points {
		if reached[m.Name] == 0 && (m.Needs == "" || slices.Contains(mayBreak, m.Needs)) {
			missing = append(missing, m)
		}
	}
	return missing
}
