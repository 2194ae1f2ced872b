// Forked children of the program that continue to run its code without exec().
#ifndef CLEW_AGENT_FORKED_H
#define CLEW_AGENT_FORKED_H

// Lets every such child run on, unrecorded. Called once, when the segment is mapped. `quiet` runs in each child: it
// restricts the runtime's callbacks to those that need no lock.
void forked_prepare(void (*quiet)(void));

#endif
