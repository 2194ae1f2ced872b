// Records a program that runs already and waits: the runtime has loaded the agent, nobody has started a session, and so
// the agent has started `clew attend PID` (agent/control/own_session.h). This is no verb for people.
#ifndef CLEW_CLI_ATTEND_H
#define CLEW_CLI_ATTEND_H

// argv[0] is the program's process id; argv[1] is "child" if the program is a descendant of one that is recorded together with
// its children. The options are those of `clew record`, from the variable CLEW_OPTIONS; CLEW_OUTPUT
// names the file. The pipe RING_STARTED_FD gets the answer (struct ring_started); without one the program runs on
// unrecorded, and CLEW_LOG says why. Returns an exit status.
int attend(int argc, char **argv);

#endif
