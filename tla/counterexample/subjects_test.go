package counterexample

import _ "redlocklab/scenarios/subjects" // which scenario files name
