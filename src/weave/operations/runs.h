// The body of an async method or async iterator, as a compiler makes it (Roslyn, AsyncRewriter; fsharp, ResumableCode): where
// it loads its state, where it stores one in which it will wait, and where it completes its task.
#ifndef CLEW_WEAVE_RUNS_H
#define CLEW_WEAVE_RUNS_H

#include "base/text.h"
#include "il/body.h"
#include "metadata/tables/metadata.h"
#include "weave/operations/run_shape.h"

enum weave_run_point_kind {
    RUN_POINT_LOAD,     // behind it the state is on the stack
    RUN_POINT_WAIT,     // in front of it the state field's owner and the state in which the body will wait
    RUN_POINT_COMPLETE, // in front of it the arguments of SetResult,
    RUN_POINT_FAIL,     // or of SetException: the exception is on top
    // Of a method of runtime async:
    RUN_POINT_AWAIT,   // in front of it the arguments of the call that is awaited, or what is awaited itself
    RUN_POINT_AWAITED, // behind it the await is over
};

struct weave_run_point {
    uint32_t at; // position of the original instruction
    enum weave_run_point_kind kind;
    uint32_t state;    // WAIT; AWAIT: its number among them
    bool tried;        // AWAIT: within an IL try,
    bool surely_tried; // and in one with a handler that the JIT does not drop
    uint32_t offset;   // WAIT, AWAIT: of the instruction, in the original code
    uint32_t awaited;  // WAIT, AWAIT: token of the method that returned what is awaited; 0: not known, or none did
};

// What weaving has to know of such a body. Without points it is woven like any other method.
struct weave_runs {
    const struct weave_run_point *points; // in the order of the code; in the body's arena
    uint32_t count;
    uint32_t state_field;     // the token by which the body loads it
    uint32_t cancelled_token; // of OperationCanceledException; the caller sets it
    uint32_t shape;
    bool enclosed;       // the body is put into a try with a fault handler: weave_enclose()
    struct bytes result; // ENCLOSED: the type of what the method returns; empty: it returns nothing
    struct bytes locals; // ENCLOSED, if it returns something: types of the locals of run, mark and result
};

// Finds the points. False: the body does something else with its state than what is known, or memory ran out.
bool weave_find_runs(const struct il_body *body, const struct metadata *metadata, uint32_t method_token,
                     bool is_iterator, struct weave_runs *out);

// Finds the awaits of a method of runtime async, whose body is plain code that the JIT suspends inside of them
// (dotnet/runtime, docs/design/specs/runtime-async.md). False: it may be suspended in another way than is known, or memory
// ran out.
bool weave_find_awaits(struct il_body *body, const struct metadata *metadata, struct weave_runs *out);

// Decides whether the body of a method of runtime async, whose awaits were found, is to be put into a try with a fault handler:
// if one of its awaits is in no try. An exception that comes out of such an await after a suspension would end the method without
// running it. False: memory ran out, or the metadata is broken.
bool weave_enclose(struct il_body *body, const struct metadata *metadata, uint32_t method_token,
                   struct weave_runs *runs);

// Whether all awaits of a method of runtime async are in a try, so that no exception ends it without running it.
bool weave_sees_ends(const struct weave_runs *runs);

// Whether the runs are those of a method of runtime async that awaits something; `runs` may be NULL.
static inline bool weave_is_suspended(const struct weave_runs *runs)
{
    return runs && runs->count && runs->shape & RUN_SHAPE_SUSPENDED;
}

// Whether the JIT may drop the handler of a region, and the try with it, in optimised code: a finally without effects. A probe in it
// would keep it, and the program could see that: an exception that comes out of an await would be thrown once more there.
bool weave_may_vanish(const struct il_region *region);

#endif
