package plan

// Abilities say what a subject can do and what it uses. They decide which
// scenarios are a question to it.
type Abilities struct {
	OneNode  bool     // it keeps its lock on the first node and knows no other
	Extends  bool     // a holder can ask for an extension
	Watchdog bool     // every lease is renewed until its release
	InOrder  bool     // it asks the nodes one after the other, always in the same order
	Timeless bool     // its keys have no TTL: no server removes them
	Fences   bool     // its leases come with fencing tokens
	Guards   bool     // it refuses the votes of a node that has not been up for the largest TTL
	Commands []string // what it sends for its locks: commands and registered scripts; triggers can only wait for these; none is not known
}
