// Children of the program that it forks and that go on with its code, without another program in them (exec).
#ifndef CLEW_AGENT_FORKED_H
#define CLEW_AGENT_FORKED_H

// Lets every such child go on by itself from now on, unrecorded. Called once, when the segment is mapped. `quiet` runs in
// each child: it lets the callbacks of the runtime do only what needs no lock.
void forked_prepare(void (*quiet)(void));

#endif
