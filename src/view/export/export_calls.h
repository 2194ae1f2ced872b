// The calls of a recording in order, balanced: every beginning of a thread has its end behind it, the newest first, and
// the clocks of a thread never go back, whatever the recording lost, where its range begins and how it ends.
#ifndef CLEW_VIEW_EXPORT_CALLS_H
#define CLEW_VIEW_EXPORT_CALLS_H

#include "view/export/export.h"

enum export_event_kind { EXPORT_BEGIN, EXPORT_END, EXPORT_LOST };

struct export_event {
    enum export_event_kind kind;
    uint32_t process, thread;
    uint64_t clock;    // within the range
    uint32_t method;   // BEGIN, END: canonical
    uint32_t recorded; // likewise: the number of the process's method, as in nodes of its trees
    uint64_t call;     // BEGIN, END: number of the activation; 0: not known
    uint64_t
        resumed; // END of a run of an async method: number of the run that it continues; 0: of none, or it is not known
    bool waits;  // likewise: it began to wait
    bool unwound;  // END: by an exception
    bool cut;      // BEGIN: it began earlier; END: its own end was not seen
    uint64_t lost; // LOST: how many events are missing here
};
typedef enum clew_error export_take_event(void *context, const struct export_event *event);

// Which calls. Zero: those that the options of the export choose.
struct export_one_thread {
    uint32_t process, thread;
};

// Passes the calls of all threads on, in the order of their clocks, or those of one thread. NOTHING_RECORDED: there is no
// stream. Otherwise NO_MEMORY, IO, or the error of `take`.
enum clew_error export_calls(struct export *export, const struct export_one_thread *only, export_take_event *take,
                             void *context);

#endif
