package atlas_test

import _ "redlocklab/scenarios/subjects" // which scenario files name
