// See closing.h. The usual case: something was recorded. closing_nothing.c has the other case.
#include "cli/closing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "cli/closing_parts.h"
#include "cli/show.h"
#include "recording/parts.h"
#include "trace/instrument.h"
#include "view/report/report_info.h"
#include "view/text/format_number.h"
#include "view/text/format_text.h"

#define COMPILING_SAID_NS UINT64_C(100000000) // less is not worth a line

// Appends what recording cost to the line about the file: of each kind of event, and in all.
static void write_cost(struct buffer *into, const struct model *model)
{
    struct info_cost costs[INFO_COSTS];
    double sum = 0;
    const char *before = ", cost ";
    info_costs(model, costs);
    for (unsigned i = 0; i < INFO_COSTS; i++) {
        sum += costs[i].each_ns * (double)costs[i].count;
        if (costs[i].each_ns > 0 && costs[i].count > 0) {
            buffer_printf(into, "%s%.1f ns %s", before, costs[i].each_ns, costs[i].one);
            before = ", ";
        }
    }
    if (sum > 0) {
        buffer_printf(into, ", %.3f s in all", sum / 1e9);
    }
    if (sum > 0 && model_has_times(model)) {
        buffer_printf(into, " of %.3f s", (double)format_elapsed_ns(model) / 1e9);
    }
}

// Prints what compiling cost, if clew has added to it noticeably: the cost of each event does not include it.
static void say_compiling(const struct model *model)
{
    uint64_t refused = 0, refused_ns = 0, woven_ns = 0, all_ns = 0;
    char methods[FORMAT_CELL], time[FORMAT_CELL], weaving[FORMAT_CELL], all[FORMAT_CELL];
    for (uint32_t i = 0; i < model->catalog.process_count; i++) {
        const struct recording_process *process = &model->catalog.processes[i];
        refused += process->refused;
        refused_ns += process->refused_ns;
        woven_ns += process->woven_ns;
        all_ns += process->compiled_ns;
    }
    if (refused_ns + woven_ns >= COMPILING_SAID_NS) {
        cli_say("compiling: %s of %s by the JIT for %s methods whose precompiled code was not used, %s by clew; "
                "rows (JIT for precompiled code) and (clew), which --adjust removes",
                format_ns(time, refused_ns), format_ns(all, all_ns), format_count(methods, refused),
                format_ns(weaving, woven_ns));
    }
}

// Prints the first of the two lines that end every recording; say_next() prints the other.
static void say_file(const struct session *session, const struct model *model)
{
    struct buffer cost = {0};
    char size[FORMAT_CELL], events[FORMAT_CELL], lost[FORMAT_LOST];
    write_cost(&cost, model);
    cli_say("%s: %s, %s events, %s, clock %s%.*s", session->path, format_size(size, model->file_size),
            format_count(events, model->events), format_lost(lost, model), clock_name(model->session.clock),
            (int)text_in(&cost).size, text_in(&cost).at);
    buffer_free(&cost);
}

// With --verbose: lists every module, and why it was not recorded.
static void say_modules(const struct model *model)
{
    for (uint32_t i = 0; i < model->catalog.module_count; i++) {
        const struct recording_module *module = &model->catalog.modules[i];
        bool in = module->flags & MODULE_IN_SCOPE;
        (void)fputs("         module ", stderr);
        format_name(closing_view(), module->name, 0);
        (void)fputs(": ", stderr);
        format_name(closing_view(),
                    in                    ? text_of("recorded")
                    : module->reason.size ? module->reason
                                          : text_of("not in scope"),
                    0);
        (void)fputc('\n', stderr);
    }
}

// Threads wait for the collector when the segment has no room, which makes the program slower.
static void say_pauses(const struct model *model)
{
    uint64_t pauses = 0, ns = 0;
    for (uint32_t i = 0; i < model->catalog.process_count; i++) {
        pauses += model->catalog.processes[i].pauses;
        ns += model->catalog.processes[i].paused_ns;
    }
    if (pauses) {
        cli_say("the program waited %llu times for room, %.3f s in all; --lossy drops instead",
                (unsigned long long)pauses, (double)ns / 1e9);
    }
}

// With --rotate: says which part the file is, and which file has the part before.
static void say_part(const struct recording_options *options, const struct session *session, const struct model *model)
{
    uint32_t part = model->session.part, kept = part < options->parts_max ? part : options->parts_max;
    CLEW_ASSERT(kept <= part);
    char *before = part > 1 ? recording_part_name(session->path, 1) : NULL;
    if (part > 1) {
        cli_say("this is part %u of the recording; %u file%s kept%s%s", part, kept, kept == 1 ? " is" : "s are",
                kept > 1 ? ", the one before is " : "", kept > 1 && before ? before : "");
    }
    free(before);
}

// Ends "process" in a sentence: " was" or "es were".
static const char *was_or_were(uint32_t count)
{
    return count == 1 ? " was" : "es were";
}

// Processes of the user's that recording cut.
static uint32_t cut_of_mine(const struct model *model)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->catalog.process_count; i++) {
        const struct recording_process *process = &model->catalog.processes[i];
        count += process->state == PROCESS_CUT && !closing_is_tool(model, process->process);
    }
    return count;
}

// Prints which processes were not recorded, or not to their end.
static void say_processes(const struct session *session, const struct model *model)
{
    struct session_shared *shared = session->shared;
    uint32_t dormant = closing_processes(model, PROCESS_DORMANT);
    uint32_t cut = cut_of_mine(model);
    uint32_t no_room = atomic_load(&shared->no_room), late = atomic_load(&shared->late_processes);
    dormant -= no_room < dormant ? no_room : dormant;
    CLEW_ASSERT(dormant + cut <= model->catalog.process_count);
    if (no_room) {
        cli_say("%u process%s not recorded: the " CLOSING_NO_ROOM, no_room, was_or_were(no_room));
    }
    if (dormant) {
        cli_say("%u process%s stayed dormant: the collector did not answer in time", dormant, dormant == 1 ? "" : "es");
    }
    if (late) {
        cli_say("%u .NET process%s began after the recording had reached its size", late, late == 1 ? "" : "es");
    }
    if (cut && !atomic_load(&shared->full)) {
        cli_say("%u child process%s still ran at the end and %s cut there", cut, cut == 1 ? "" : "es",
                cut == 1 ? "is" : "are");
    }
}

// Prints what kept agents from recording.
static void say_agents(const struct session *session)
{
    struct session_shared *shared = session->shared;
    uint32_t other = atomic_load(&shared->other_version);
    if (other) {
        cli_say("%u process%s not recorded: its agent belongs to another build of clew (%s); reinstall clew", other,
                was_or_were(other), shared->build);
    }
    if (atomic_load(&shared->segment_error)) {
        cli_say("a process was not recorded: the memory to share with it could not be created; clew doctor shows why");
    }
    if (atomic_load(&shared->refused_children)) {
        cli_say("it started other .NET programs (%s): --children records them too", shared->child);
    }
}

// Prints everything that is missing from the recording, or that affects its times.
static void say_flaws(const struct session *session, const struct model *model)
{
    say_pauses(model);
    say_processes(session, model);
    if (model->over_cap) {
        cli_say("the call tree outgrew its memory: deeper calls are under (over the cap); --include or --depth keep it "
                "small");
    }
    say_agents(session);
}

// Whether lines of the source could have been recorded: a recorded module has symbols.
static bool has_symbols(const struct model *model)
{
    for (uint32_t i = 0; i < model->catalog.module_count; i++) {
        uint32_t flags = model->catalog.modules[i].flags;
        if (flags & MODULE_SYMBOLS && flags & MODULE_IN_SCOPE) {
            return true;
        }
    }
    return false;
}

// Suggests commands that fit the instruments of this recording.
static void say_next(const char *path, const struct model *model)
{
    uint32_t on = model->session.instruments;
    bool lines = on & (INSTRUMENT_LINES | INSTRUMENT_STATEMENTS);
    const char *second = on & INSTRUMENT_TREE      ? "report --by tree"
                         : on & INSTRUMENT_STREAMS ? "replay"
                                                   : "report --by lines";
    const char *third = on & INSTRUMENT_TREE && lines ? "report --by lines" : "info";
    bool more = !lines && !(model->session.flags & SESSION_ALL_CODE) && has_symbols(model);
    cli_say("next: %s`clew view %s`, `clew %s %s`, `clew %s %s`",
            more ? "`clew record -i tree,lines` shows the cost of each line, too; " : "", path, second, path, third,
            path);
}

// The caller has printed the report before, if any, so these lines are the last ones on the terminal.
void closing_lines(const struct recording_options *options, const struct session *session, const struct model *model,
                   int exit_status)
{
    if (options->json) {
        closing_json(session, model, exit_status);
        return;
    }
    if (options->quiet) {
        return;
    }
    closing_notes(model);
    closing_missing(options, model);
    closing_excludes(options, model);
    if (options->verbose) {
        say_modules(model);
    }
    say_part(options, session, model);
    say_flaws(session, model);
    closing_sdk_verb(options);
    say_compiling(model);
    say_file(session, model);
    say_next(session->path, model);
}

// The collector left its error in the shared memory before it stopped.
void closing_stopped(const struct session *session)
{
    int number = atomic_load(&session->shared->error_number);
    enum clew_error error = (enum clew_error)atomic_load(&session->shared->error);
    cli_say("%s: the recording stopped before the program did: %s%s%s", session->path,
            number ? strerror(number) : clew_error_sentence(error),
            number == ENOSPC ? "; make room or choose another place with " : "",
            number == ENOSPC ? cli_output_option() : "");
}
