"""Records to numbers: rates, intervals, tests and their rounding. Pure: no disk, no clock, no random numbers."""
