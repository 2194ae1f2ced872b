// See selection.h.
#include "cli/selection.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "cli/show.h"

// -- Moments ----------------------------------------------------------------------------------------------------------

// "1.5" (seconds), "1.5s", "20ms"; with a minus sign: before the end.
static bool take_moment(const struct cli_option *option, const char *argument, uint64_t *ns, bool *from_end)
{
    *from_end = *argument == '-';
    const char *text = argument + *from_end;
    bool plain = *text && strspn(text, "0123456789.") == strlen(text);
    char seconds[64];
    bool fits = snprintf(seconds, sizeof seconds, "%s%s", text, plain ? "s" : "") < (int)sizeof seconds;
    bool good = fits && cli_duration(seconds, ns);
    if (!good) {
        cli_say(
            "--%s %s: give seconds since the start, or a time with its unit, as in 1.5s or 200ms; a minus sign counts "
            "from the end, as in --%s=-10ms",
            option->name, argument, option->name);
    }
    return good;
}

// -- Threads ----------------------------------------------------------------------------------------------------------

// A whole number above 0 at the front of *text.
static bool take_number(const char **text, uint32_t *out)
{
    char *end;
    unsigned long value = **text >= '1' && **text <= '9' ? strtoul(*text, &end, 10) : 0;
    if (value == 0 || value > UINT32_MAX) {
        return false;
    }
    *text = end;
    *out = (uint32_t)value;
    return true;
}

// "3" or "3-5" at the front of *text.
static bool take_numbers(const char **text, uint32_t *first, uint32_t *last)
{
    bool good = take_number(text, first);
    *last = *first;
    if (good && **text == '-') {
        (*text)++;
        good = take_number(text, last) && *last >= *first;
    }
    return good;
}

static bool say_many(const struct cli_option *option)
{
    cli_say("--%s: at most %u can be chosen", option->name, CLI_THREADS_MAX);
    return false;
}

static bool say_no_list(const struct cli_option *option, const char *argument)
{
    bool threads = strcmp(option->name, "thread") == 0;
    cli_say("--%s %s: give numbers from 1 on, as in 2 or 1,3-5%s", option->name, argument,
            threads ? "; 2:1 is thread 1 of process 2" : "");
    return false;
}

static bool take_threads(struct cli_selection *selection, const struct cli_option *option, const char *argument)
{
    const char *text = argument;
    do {
        uint32_t first, last, process = 0;
        text += text != argument; // the comma
        bool good = take_numbers(&text, &first, &last);
        if (good && *text == ':') {
            process = first;
            text++;
            good = first == last && take_numbers(&text, &first, &last);
        }
        if (!good || (*text && *text != ',')) {
            return say_no_list(option, argument);
        }
        if (last - first >= CLI_THREADS_MAX - selection->thread_count) {
            return say_many(option);
        }
        for (uint32_t thread = first; thread <= last; thread++) {
            selection->threads[selection->thread_count++] = (struct model_thread){.process = process, .thread = thread};
        }
    } while (*text);
    return true;
}

static bool take_processes(struct cli_selection *selection, const struct cli_option *option, const char *argument)
{
    const char *text = argument;
    do {
        uint32_t first, last;
        text += text != argument; // the comma
        if (!take_numbers(&text, &first, &last) || (*text && *text != ',')) {
            return say_no_list(option, argument);
        }
        if (last - first >= CLI_THREADS_MAX - selection->process_count) {
            return say_many(option);
        }
        for (uint32_t process = first; process <= last; process++) {
            selection->processes[selection->process_count++] = process;
        }
    } while (*text);
    return true;
}

// Makes of `--process` and `--thread` one list, which has the threads that both choose.
static bool settle_threads(struct cli_selection *selection)
{
    struct model_thread list[CLI_THREADS_MAX];
    uint32_t count = 0, threads = selection->thread_count ? selection->thread_count : 1;
    for (uint32_t i = 0; i < threads && selection->process_count > 0; i++) {
        struct model_thread thread = selection->thread_count ? selection->threads[i] : (struct model_thread){0};
        for (uint32_t k = 0; k < selection->process_count; k++) {
            uint32_t process = selection->processes[k];
            if (thread.process && thread.process != process) {
                continue;
            }
            if (count == CLI_THREADS_MAX) {
                cli_say("--process and --thread: at most %u threads can be chosen", CLI_THREADS_MAX);
                return false;
            }
            list[count++] = (struct model_thread){.process = process, .thread = thread.thread};
        }
    }
    if (selection->process_count > 0 && count == 0) {
        cli_say("--thread: none of these threads is of the processes that --process chooses");
        return false;
    }
    if (selection->process_count > 0) {
        memcpy(selection->threads, list, sizeof list);
        selection->thread_count = count;
        selection->process_count = 0;
    }
    return true;
}

// -- Methods ----------------------------------------------------------------------------------------------------------

bool cli_check_pattern(const struct cli_option *option, const char *argument)
{
    const char *fault = pattern_fault(argument);
    if (fault) {
        cli_say("--%s '%s': %s; use a name as reports print it, or a pattern with * and ?", option->name, argument,
                fault);
    }
    return !fault;
}

static bool take_choice(struct cli_selection *selection, const struct cli_option *option, const char *argument)
{
    if (selection->choice_count == CLI_CHOICES_MAX) {
        cli_say("--%s: at most %u patterns can be given", option->name, CLI_CHOICES_MAX);
        return false;
    }
    if (!cli_check_pattern(option, argument)) {
        return false;
    }
    enum choice_kind kind = option->name[0] == 'm'   ? CHOICE_METHOD
                            : option->name[0] == 'u' ? CHOICE_UNDER
                            : option->name[0] == 'h' ? CHOICE_HIDE
                                                     : CHOICE_CALLERS;
    selection->choices[selection->choice_count++] =
        (struct choice){.kind = kind, .pattern = text_of(argument), .option = option->name};
    return true;
}

void cli_near_methods(const struct model *model, struct text asked)
{
    struct nearest nearest;
    nearest_init_asked(&nearest, asked);
    for (uint32_t i = 0; i < model->catalog.method_count; i++) {
        nearest_add_name(&nearest, pattern_name(model->catalog.methods[i].record.name));
    }
    cli_near(&nearest, "near it");
    nearest_free(&nearest);
}

int cli_choice_check(const struct choice *choice, const char *path, const struct model *model)
{
    if (choice_means_any(choice, &model->catalog)) {
        return CLI_OK;
    }
    cli_say("%s: no method matches --%s %.*s; use a name as reports print it, or a pattern with * and ?", path,
            choice->option, (int)choice->pattern.size, choice->pattern.at);
    cli_near_methods(model, choice->pattern);
    return CLI_NOTHING_RECORDED;
}

int cli_selection_check(const struct cli_selection *selection, const char *path, const struct model *model)
{
    for (uint32_t i = 0; i < selection->choice_count; i++) {
        int status = cli_choice_check(&selection->choices[i], path, model);
        if (status != CLI_OK) {
            return status;
        }
    }
    return CLI_OK;
}

int cli_selection_say_no_thread(const struct cli_selection *selection, const char *path)
{
    bool threads = false;
    for (uint32_t i = 0; i < selection->thread_count; i++) {
        threads = threads || selection->threads[i].thread > 0; // 0: any of the process
    }
    cli_say("%s: nothing of such a %s is in the recording; clew report %s --by threads lists those that are", path,
            threads ? "thread" : "process", path);
    return CLI_USAGE;
}

// -- All --------------------------------------------------------------------------------------------------------------

bool cli_selection_take(struct cli_selection *selection, const struct cli_option *option, const char *argument,
                        bool *good)
{
    static const char *const names[] = {"from", "to", "last", "thread", "process", "method", "under", "hide", "of"};
    uint32_t is = 0, count = sizeof names / sizeof *names;
    while (is < count && strcmp(names[is], option->name) != 0) {
        is++;
    }
    if (is == 0) {
        selection->has_from = true;
        *good = take_moment(option, argument, &selection->from_ns, &selection->from_end);
    } else if (is == 1) {
        selection->has_to = true;
        *good = take_moment(option, argument, &selection->to_ns, &selection->to_end);
    } else if (is == 2) {
        selection->has_last = selection->from_end = true;
        *good = cli_take_duration(option, argument, &selection->from_ns);
    } else if (is == 3) {
        *good = take_threads(selection, option, argument);
    } else if (is == 4) {
        *good = take_processes(selection, option, argument);
    } else if (is < count) {
        *good = take_choice(selection, option, argument);
    }
    return is < count;
}

bool cli_selection_settle(struct cli_selection *selection)
{
    bool comparable = selection->has_to && selection->from_end == selection->to_end;
    bool empty = selection->from_end ? selection->to_ns >= selection->from_ns : selection->to_ns <= selection->from_ns;
    if (selection->has_last && (selection->has_from || selection->has_to)) {
        cli_say("--last: it says where the range begins and ends; leave --from and --to out");
        return false;
    }
    if (comparable && empty) {
        cli_say("--to: it must be later than --from");
        return false;
    }
    selection->to_ns = selection->has_to ? selection->to_ns : UINT64_MAX;
    return settle_threads(selection);
}

void cli_selection_apply(const struct cli_selection *selection, struct model_options *options)
{
    CLEW_ASSERT(selection->process_count == 0 && "it is settled");
    options->from_ns = selection->from_ns;
    options->to_ns = selection->has_to ? selection->to_ns : 0;
    options->from_end = selection->from_end;
    options->to_end = selection->to_end;
    options->threads = cli_selection_threads(selection);
    options->choices = cli_selection_choices(selection);
}

void cli_selection_moments(const struct cli_selection *selection, const struct model *model, uint64_t *from,
                           uint64_t *to)
{
    *from = selection->from_end ? model_before_end_ns(model, selection->from_ns) : selection->from_ns;
    *to = selection->to_end ? model_before_end_ns(model, selection->to_ns) : selection->to_ns;
}
