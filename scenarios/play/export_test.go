package play

// WithoutBreaker is withoutBreaker, for tests.
var WithoutBreaker = withoutBreaker
