package runner

import "flag"

// torture makes tests cut runner logs at every byte and fork tens of thousands of times. Without it they take some.
var torture = flag.Bool("torture", false, "take every way through faults and crashes")
