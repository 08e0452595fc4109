package checker

import (
	"regexp"
	"slices"
)

// goalScene is what can have made a goal fail: the clients that the goal is
// about, the nodes that they asked, and the leases that were in their way.
type goalScene struct {
	goal    *Goal
	clients []string
	nodes   map[string]bool // nil: the history does not say
	leases  []*Lease
	during  interval
}

// explainGoal explains a goal that was missed. A break counts only through a node
// that the goal's clients asked, through these clients, or through the holder
// that they waited for.
func (f *footprint) explainGoal(finding *Finding) {
	scene := f.sceneOf(finding)
	for id := range f.breaks {
		f.mark(id, func(entry Break) bool { return entry.AtNS <= f.at && f.hinders(scene, id, entry) })
	}
	f.sharedToken(scene.leases, f.at)
}

func (l *ledgerBuilder) sceneOf(finding *Finding) *goalScene {
	goal := l.Goal(finding.Goal)
	scene := &goalScene{goal: goal, during: interval{goal.FromNS, finding.AtNS + 1}}
	scene.clients = l.contenders(goal, scene.during)
	for lease := range each(l.Leases) {
		// A key outlives the belief in its lease by at most the TTL.
		existence := l.existence(lease)
		if (goal.Resource == "" || lease.Resource == goal.Resource) &&
			existence.from <= finding.AtNS && existence.until+l.Header.TTLNS >= goal.FromNS {
			scene.leases = append(scene.leases, lease)
			scene.during.from = min(scene.during.from, existence.from)
		}
	}
	for _, event := range l.nodeEvents {
		if event.AtNS <= finding.AtNS && (goal.Resource == "" || event.Resource == goal.Resource) {
			if scene.nodes == nil {
				scene.nodes = map[string]bool{}
			}
			if slices.Contains(scene.clients, event.Client) {
				scene.nodes[event.Node] = true
			}
		}
	}
	return scene
}

func (scene *goalScene) asked(node string) bool { return scene.nodes == nil || scene.nodes[node] }

func (scene *goalScene) concerns(client string) bool {
	return slices.Contains(scene.clients, client) || scene.holds(client)
}

func (scene *goalScene) holds(client string) bool {
	return slices.ContainsFunc(scene.leases, func(lease *Lease) bool { return lease.Client == client })
}

// hinders reports whether a break can have made the goal of a scene fail.
func (l *ledgerBuilder) hinders(scene *goalScene, id string, entry Break) bool {
	fact := entry.fact
	switch id {
	case AssumptionHeal, AssumptionTries:
		return entry.goal == scene.goal.ID
	case AssumptionToken, AssumptionWork, AssumptionCounter:
		return false // a shared token is looked for apart; the others hinder nobody
	case AssumptionRandom:
		return slices.Contains(scene.clients, fact.Client)
	case AssumptionBounded:
		return scene.holds(fact.Client)
	}
	at, during := scene.during.contains(fact.AtNS), lasting(fact).overlaps(scene.during)
	switch fact.Fact {
	case FactForgot, FactRevived, FactOwner:
		about := scene.goal.Resource == "" || scene.goal.Resource == fact.Key
		return about && at && scene.asked(fact.Node)
	case FactFailover:
		return at && scene.asked(fact.Node)
	case FactSameServer:
		return during && slices.ContainsFunc(fact.Nodes, scene.asked)
	case FactMembership:
		return at && (fact.Client == "" || scene.concerns(fact.Client))
	case FactSuspended:
		return during && scene.concerns(fact.Client)
	case FactClockStep:
		return at && l.itsClock(scene, fact.Who)
	case FactClockRate, FactWallDiffers:
		compared := fact.Client != "" && !slices.Contains(l.Header.Nodes, fact.Who) && l.itsClock(scene, fact.Client)
		return during && (compared || l.itsClock(scene, fact.Who))
	}
	return false
}

// itsClock reports whether a clock is that of a node or client of the scene.
func (l *ledgerBuilder) itsClock(scene *goalScene, who string) bool {
	if slices.Contains(l.Header.Nodes, who) {
		return scene.asked(who)
	}
	return scene.concerns(who)
}

// namesIn reports whether a key contains the name of a resource, and not as a part of a word.
func namesIn(key, resource string) bool {
	return regexp.MustCompile(`(^|[^\pL\pN])` + regexp.QuoteMeta(resource) + `($|[^\pL\pN])`).MatchString(key)
}
