package checker

// Oracle names one question that a verdict answers.
type Oracle string

// The oracles. The protected resource is examined by four of them: one for each
// kind of register, and one for the fencing tokens that registers compare.
const (
	OracleOverlap              Oracle = "overlap"                // no two leases of one resource are believed at once
	OracleLinearizability      Oracle = "linearizability"        // the calls have an order that is legal
	OracleResourceUnfenced     Oracle = "resource_unfenced"      // no harm at registers that ignore fencing tokens
	OracleResourceFencedWrites Oracle = "resource_fenced_writes" // no harm at registers that compare the tokens of writes
	OracleResourceFenced       Oracle = "resource_fenced"        // no harm at registers that compare the token of each access
	OracleFencingTokens        Oracle = "fencing_tokens"         // fencing tokens grow from lease to lease
	OracleLiveness             Oracle = "liveness"               // each goal is met within its bound
)

// Oracles returns all oracles, in the order of reports.
func Oracles() []Oracle {
	return []Oracle{
		OracleOverlap, OracleLinearizability,
		OracleResourceUnfenced, OracleResourceFencedWrites, OracleResourceFenced, OracleFencingTokens,
		OracleLiveness,
	}
}
