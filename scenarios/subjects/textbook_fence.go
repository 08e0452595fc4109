package subjects

import "sync"

// grants is the fencing token that one attempt of SY-0 gets with fence=maximum:
// the largest of the nodes' counts that it saw before it won. Nobody is told of
// it, so the nodes that this attempt did not see go on with their smaller counts: RS-4.
type grants struct {
	mu   sync.Mutex
	most int64
}

// count takes in the count of one node; 0 is an answer that did not come.
func (g *grants) count(n int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.most = max(g.most, n)
}

func (g *grants) largest() uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return uint64(g.most)
}
