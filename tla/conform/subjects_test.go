package conform

import _ "redlocklab/scenarios/subjects" // which scenario files name
