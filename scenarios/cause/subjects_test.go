package cause_test

import _ "redlocklab/scenarios/subjects" // the locks of the matrix
