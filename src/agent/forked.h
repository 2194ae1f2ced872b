// Children of the program that it forks and that go on with its code, without another program in them (exec).
#ifndef CLEW_AGENT_FORKED_H
#define CLEW_AGENT_FORKED_H

// Lets every such child go on by itself from now on, unrecorded. Called once, when the segment is mapped.
void forked_prepare(void);

#endif
