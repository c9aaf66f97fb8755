package runner

import "flag"

// torture makes tests cut runner logs at every byte and fork tens of thousands of times. Without it they try only some.
var torture = flag.Bool("torture", false, "try every fault and crash")
