// The part of a recording that a user chooses: the same options on every verb that shows calls.
#ifndef CLEW_CLI_SELECTION_H
#define CLEW_CLI_SELECTION_H

#include "cli/command.h"
#include "model/model.h"

enum { CLI_THREADS_MAX = 64, CLI_CHOICES_MAX = 64 };

// Zero-initialised: everything.
struct cli_selection {
    uint64_t from_ns, to_ns; // since the session's start; to_ns UINT64_MAX: up to the end, once settled
    bool from_end, to_end;   // they count backwards from the end of the recording
    bool has_from, has_to, has_last;
    struct model_thread threads[CLI_THREADS_MAX]; // process 0: of any process
    uint32_t thread_count;
    uint32_t processes[CLI_THREADS_MAX];
    uint32_t process_count;
    struct choice choices[CLI_CHOICES_MAX];
    uint32_t choice_count;
};

// The rows of these options for a verb's table.
#define CLI_SELECTION_OPTIONS                                                                                    \
    {"from", 0, "TIME",                                                                                          \
     "from this moment on: seconds since the session's start, or with a unit, as in 1.5s; -10ms: "               \
     "before the end"},                                                                                          \
        {"to", 0, "TIME", "up to this moment"}, {"last", 0, "TIME", "only so much before the end"},              \
        {"thread", 0, "LIST", "only these threads by their numbers, as in 1,3-5, or 2:1 in process 2; repeats"}, \
        {"process", 0, "LIST", "only these processes by their numbers; repeats"},                                \
        {"method", 0, "GLOB", "only calls of these methods with all below them, and their callers; repeats"},    \
        {"under", 0, "GLOB", "the same without their callers; repeats"},                                         \
    {                                                                                                            \
        "hide", 0, "GLOB", "leave out calls of these methods; what they did counts as their callers'; repeats"   \
    }

// Whether the option is one of these, or --of. If so, takes it; *good is false after printing what is wrong with it.
bool cli_selection_take(struct cli_selection *selection, const struct cli_option *option, const char *argument,
                        bool *good);
// Once all options are taken. Prints what contradicts itself, and returns false then.
bool cli_selection_settle(struct cli_selection *selection);
// Sets the model's options. `selection` has to stay as long as the model.
void cli_selection_apply(const struct cli_selection *selection, struct model_options *options);
static inline bool cli_selection_has_range(const struct cli_selection *selection)
{
    return selection->has_from || selection->has_to || selection->has_last;
}
static inline struct model_threads cli_selection_threads(const struct cli_selection *selection)
{
    return (struct model_threads){.items = selection->threads, .count = selection->thread_count};
}
static inline struct choices cli_selection_choices(const struct cli_selection *selection)
{
    return (struct choices){.items = selection->choices, .count = selection->choice_count};
}
// The range in ns since the session's start; *to is UINT64_MAX: up to the end.
void cli_selection_moments(const struct cli_selection *selection, const struct model *model, uint64_t *from,
                           uint64_t *to);
// Prints that a pattern means no method of the recording, and which are similar, if so. Returns 0 or the exit status.
int cli_selection_check(const struct cli_selection *selection, const char *path, const struct model *model);
// Prints what is wrong with the pattern of an option, and returns false then.
bool cli_check_pattern(const struct cli_option *option, const char *argument);
// The same of one pattern.
int cli_choice_check(const struct choice *choice, const char *path, const struct model *model);
// Prints that the recording has no such thread, or no such process. Returns the exit status.
int cli_selection_say_no_thread(const struct cli_selection *selection, const char *path);
// Suggests methods of the recording with similar names on stderr.
void cli_near_methods(const struct model *model, struct text asked);

#endif
