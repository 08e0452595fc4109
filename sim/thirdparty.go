package sim

import (
	"slices"
	"strconv"
	"strings"

	"github.com/alicebob/miniredis/v2/server"

	"redlocklab/sim/resp"
)

// The Command of a [NodeCall] event that is no Redis command.
const (
	Eviction = "(eviction)" // the server is about to evict keys
	Removal  = "(removed)"  // somebody other than a client, or an eviction, removed Key; Value and TTL are what it had
)

// Operator runs a command on behalf of an operator, such as DEL or FLUSHALL, unless
// the node is down. A [NodeCall] event shows the command; another one, a [Removal],
// follows for each key that it removed. Controller context only.
func (n *Node) Operator(fault string, args ...string) {
	if !n.up {
		return
	}
	before := n.image()
	c := &conn{world: n.world, node: n}
	c.peer = server.NewPeer(n.writer)
	if n.execute(c, args); !n.up { // its disk is full
		return
	}
	n.world.Emit(Event{
		Kind: NodeCall, Node: n.Name, Command: strings.ToUpper(args[0]), Key: resp.FirstKey(args),
		Detail: strings.Join(args, " "), Fault: fault,
	})
	for _, was := range before {
		value, _ := n.look(was.Key)
		if value == "" {
			n.removed(was, fault)
		}
	}
}

// Evict removes keys, as a server that is short of memory does under
// maxmemory-policy allkeys-random. The seed decides which. Controller context only.
func (n *Node) Evict(keys int, fault string) {
	if !n.up {
		return
	}
	n.beforeWrite()
	n.world.Emit(Event{Kind: NodeCall, Node: n.Name, Command: Eviction, Detail: "of " + strconv.Itoa(keys), Fault: fault})
	image, life := n.image(), n.life
	for range min(keys, len(image)) {
		if n.life != life || !n.up { // an observer crashed it
			return
		}
		n.evictions[fault]++
		i := int(n.world.Random("eviction/"+n.Name+"/"+fault, n.evictions[fault]) % uint64(len(image)))
		n.engine.Del(image[i].Key)
		n.removed(image[i], fault)
		image = slices.Delete(image, i, i+1)
	}
}

// removed records a [Removal].
func (n *Node) removed(was Entry, fault string) {
	delete(n.keys, was.Key)
	n.world.Emit(Event{
		Kind: NodeCall, Node: n.Name, Command: Removal, Key: was.Key, Value: n.world.recorder.Name(was.Shown()),
		TTL: n.remainingAfter(was, n.world.now), Fault: fault,
	})
}
