// Measures what the probes cost on this machine, so that reports can say what recording took.
#ifndef CLEW_AGENT_CALIBRATION_H
#define CLEW_AGENT_CALIBRATION_H

// At start, while no other thread records: stores the costs in the segment's header. Each is the best of a few rounds, in
// nodes of this thread that are cleared afterwards, and in a chunk that no thread has.
void calibrate(void);

#endif
