#include "cli/verdict.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/show.h"
#include "collector/start/target.h"
#include "model/pattern.h"
#include "recording/parts.h"
#include "ring/ring.h"
#include "view/format_number.h"
#include "view/format_text.h"
#include "view/info.h"
#include "view/json.h"

enum { NAMES_SHOWN = 8, REASONS_SHOWN = 4 };

static const struct view *to_stderr(void)
{
    static struct view view;
    view.out = stderr;
    return &view;
}

static void say_text(struct text text)
{
    (void)fputs("clew: ", stderr); // where stderr fails there is nobody to tell
    format_name(to_stderr(), text, 0);
    (void)fputc('\n', stderr);
}

static void say_notes(const struct model *model)
{
    for (uint32_t i = 0; i < model->catalog.note_count; i++) {
        say_text(model->catalog.notes[i].text);
    }
}

// -- Why methods are missing ------------------------------------------------------------------------------------------

struct reason {
    struct text text;
    uint32_t count; // methods
};

struct reasons {
    struct reason *of; // the commonest first
    uint32_t count;
    size_t room;
};

static int commonest_first(const void *a, const void *b)
{
    const struct reason *x = a, *y = b;
    return (x->count < y->count) - (x->count > y->count);
}

static void add_reason(struct reasons *reasons, struct text text)
{
    uint32_t i = 0;
    while (i < reasons->count && !text_equal(reasons->of[i].text, text)) {
        i++;
    }
    if (i < reasons->count) {
        reasons->of[i].count++;
    } else if (array_grow(&reasons->of, reasons->count, &reasons->room, sizeof *reasons->of)) {
        reasons->of[reasons->count++] = (struct reason){text, 1};
    }
}

// The caller frees .of.
static struct reasons reasons_of(const struct model *model)
{
    struct reasons reasons = {0};
    for (uint32_t i = 0; i < model->catalog.not_woven_count; i++) {
        add_reason(&reasons, model->catalog.not_woven[i].reason);
    }
    if (reasons.count > 1) {
        qsort(reasons.of, reasons.count, sizeof *reasons.of, commonest_first);
    }
    return reasons;
}

static void say_missing(const struct recording_options *options, const struct model *model)
{
    uint32_t missing = model->catalog.not_woven_count;
    if (missing == 0) {
        return;
    }
    struct reasons reasons = reasons_of(model);
    bool all = options->verbose || reasons.count < REASONS_SHOWN;
    cli_say("not woven: %u method%s%s", missing, format_plural(missing), options->verbose ? "" : " (-v lists them)");
    for (uint32_t i = 0; i < (all ? reasons.count : REASONS_SHOWN); i++) {
        (void)fprintf(stderr, "  %6u ", reasons.of[i].count);
        format_name(to_stderr(), reasons.of[i].text, 0);
        (void)fputc('\n', stderr);
    }
    for (uint32_t i = 0; options->verbose && i < missing; i++) {
        (void)fputs("         ", stderr);
        format_name(to_stderr(), model->catalog.not_woven[i].name, 0);
        (void)fputs(": ", stderr);
        format_name(to_stderr(), model->catalog.not_woven[i].reason, 0);
        (void)fputc('\n', stderr);
    }
    free(reasons.of);
}

// -- Patterns that match nothing --------------------------------------------------------------------------------------

// Whether the pattern, which has an assembly, means this one and not just any.
static bool names_assembly(struct text glob, struct text name)
{
    const char *close = memchr(glob.at, ']', glob.size);
    struct text assembly = {glob.at + 1, close ? (size_t)(close - glob.at - 1) : 0};
    return !text_equal(assembly, text_of("*")) && text_matches(name, assembly);
}

// A framework's names are many: they are looked at only where the pattern names the assembly.
static bool is_looked_at(const struct recording_module *module, struct text glob)
{
    return !(module->flags & MODEL_MODULE_FRAMEWORK) || names_assembly(glob, module->name);
}

static void say_near(const struct model *model, struct text asked)
{
    struct nearest nearest;
    struct buffer glob = {0};
    nearest_init(&nearest);
    nearest_glob(&glob, asked);
    for (uint32_t i = 0; i < model->catalog.module_count; i++) {
        const struct recording_module *module = &model->catalog.modules[i];
        if (is_looked_at(module, asked)) {
            nearest_add_module(&nearest, text_in(&glob), module->path.at);
        }
    }
    buffer_free(&glob);
    cli_near(&nearest, nearest.count && nearest.names[0].cost == 0 ? "there, but not called" : "near it");
    nearest_free(&nearest);
}

static bool excludes_any(const struct recording_options *options, const struct model *model, struct text asked)
{
    struct text name = asked, assembly = pattern_take_assembly(&name);
    bool all = options->flags & RING_ALL_CODE, found = false;
    for (uint32_t i = 0; i < model->catalog.module_count && !found; i++) {
        const struct recording_module *module = &model->catalog.modules[i];
        bool in = text_matches(module->name, assembly) && (all || is_looked_at(module, asked));
        found = in && nearest_module_has(name, module->path.at);
    }
    return found;
}

// An --exclude that takes nothing away is mostly a slip of the pen.
static void say_excludes(const struct recording_options *options, const struct model *model)
{
    struct text lines = text_in(&options->scope), line;
    while (text_take_line(&lines, &line)) {
        bool exclude = text_equal(text_take_word(&line), text_of("exclude"));
        if (exclude && !excludes_any(options, model, line)) {
            struct text shown = text_starts(line, "[*]") ? (struct text){line.at + 3, line.size - 3} : line;
            cli_say("--exclude '%.*s' matches no method of the modules that were loaded", (int)shown.size, shown.at);
            say_near(model, line);
        }
    }
}

// -- The usual case ---------------------------------------------------------------------------------------------------

static uint32_t processes_in(const struct model *model, enum recording_process_state state)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->catalog.process_count; i++) {
        count += model->catalog.processes[i].state == state;
    }
    return count;
}

// What a call cost, as the end of the line about the file. Only of calls: what a statement or a value costs is not measured
// where it is recorded (doc/costs.md has it).
static void write_cost(struct buffer *into, const struct model *model)
{
    uint32_t on = model->session.instruments;
    double each = info_overhead_ns(model);
    uint64_t others = model->counts.statements + model->counts.values;
    double all = each / 1e9 * (double)(model->events > others ? model->events - others : 0) / 2;
    if (each == 0 || !(on & (RECORDING_TREE | RECORDING_STREAMS))) {
        return;
    }
    buffer_printf(into, ", cost %.1f ns a call", each);
    if (on & RECORDING_LINES) { // their number is among the events, and not known apart
        return;
    }
    buffer_printf(into, ", %.3f s in all", all);
    if (model_has_times(model)) {
        buffer_printf(into, " of %.3f s", (double)format_elapsed_ns(model) / 1e9);
    }
}

// The first of the two lines that every recording ends with; say_next() is the other.
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

static void say_modules(const struct model *model)
{
    for (uint32_t i = 0; i < model->catalog.module_count; i++) {
        const struct recording_module *module = &model->catalog.modules[i];
        bool in = module->flags & MODEL_MODULE_IN_SCOPE;
        (void)fputs("         module ", stderr);
        format_name(to_stderr(), module->name, 0);
        (void)fputs(": ", stderr);
        format_name(to_stderr(),
                    in                    ? text_of("recorded")
                    : module->reason.size ? module->reason
                                          : text_of("not in scope"),
                    0);
        (void)fputc('\n', stderr);
    }
}

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

#define NO_ROOM \
    "limit of address space (ulimit -v) is below four times what clew reserves there, 22 GiB; raise it to record"

static void say_part(const struct recording_options *options, const struct session *session, const struct model *model)
{
    uint32_t part = model->session.part, kept = part < options->parts_max ? part : options->parts_max;
    char *before = part > 1 ? recording_part_name(session->path, 1) : NULL;
    if (part > 1) {
        cli_say("this is part %u of the recording; %u file%s kept%s%s", part, kept, kept == 1 ? " is" : "s are",
                kept > 1 ? ", the one before is " : "", kept > 1 && before ? before : "");
    }
    free(before);
}

static void say_flaws(const struct session *session, const struct model *model)
{
    uint32_t dormant = processes_in(model, RECORDING_PROCESS_DORMANT), cut = processes_in(model, RECORDING_PROCESS_CUT);
    uint32_t no_room = atomic_load(&session->shared->no_room);
    dormant -= no_room < dormant ? no_room : dormant;
    say_pauses(model);
    if (no_room) {
        cli_say("%u process%s not recorded: the " NO_ROOM, no_room, no_room == 1 ? " was" : "es were");
    }
    if (dormant) {
        cli_say("%u process%s stayed dormant: the collector did not answer in time", dormant, dormant == 1 ? "" : "es");
    }
    if (atomic_load(&session->shared->late_processes)) {
        uint32_t late = atomic_load(&session->shared->late_processes);
        cli_say("%u .NET process%s began after the recording had reached its size", late, late == 1 ? "" : "es");
    }
    if (cut && !atomic_load(&session->shared->full)) {
        cli_say("%u child process%s still ran at the end and %s cut there", cut, cut == 1 ? "" : "es",
                cut == 1 ? "is" : "are");
    }
    if (model->over_cap) {
        cli_say("the call tree outgrew its memory: deeper calls are under (over the cap); --include or --depth keep it "
                "small");
    }
    if (atomic_load(&session->shared->other_version)) {
        cli_say("%u process%s not recorded: the agent there is of another clew (%s); install clew anew",
                atomic_load(&session->shared->other_version),
                atomic_load(&session->shared->other_version) == 1 ? " was" : "es were", session->shared->build);
    }
    if (atomic_load(&session->shared->segment_error)) {
        cli_say("a process was not recorded: the memory to share with it could not be made; clew doctor tells more");
    }
    if (atomic_load(&session->shared->refused_children)) {
        cli_say("it started other .NET programs (%s): --children records them too", session->shared->child);
    }
}

static void say_sdk_verb(const struct recording_options *options)
{
    const char *verb = target_sdk_verb(options->command);
    const char *name = strrchr(options->command[0], '/');
    if (verb && !options->children && strcmp(name ? name + 1 : options->command[0], "dotnet") == 0) {
        cli_say("dotnet %s starts programs of its own: --children records them, or start the built one: "
                "clew run -- dotnet bin/Release/.../app.dll",
                verb);
    }
}

static void say_in_json(const struct session *session, const struct model *model, int exit_status)
{
    struct json json = {.out = stderr};
    struct reasons reasons = reasons_of(model);
    json_open(&json, '{');
    json_member_text(&json, "file", text_of(session->path));
    json_member_u64(&json, "size", model->file_size);
    json_member_u64(&json, "events", model->events);
    json_member_maybe(&json, "lost", model->lost, model->has_end);
    json_member_text(&json, "clock", text_of(clock_name(model->session.clock)));
    json_member_u64(&json, "processes", model->catalog.process_count);
    json_member_u64(&json, "threads", model->catalog.thread_count);
    json_member_u64(&json, "methods", model->catalog.method_count);
    json_member_u64(&json, "not_woven", model->catalog.not_woven_count);
    json_key(&json, "not_woven_reasons");
    json_open(&json, '[');
    for (uint32_t i = 0; i < reasons.count; i++) {
        json_open(&json, '{');
        json_member_text(&json, "reason", reasons.of[i].text);
        json_member_u64(&json, "methods", reasons.of[i].count);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_member_bool(&json, "complete", model->complete);
    json_member_u64(&json, "probe_ps", (uint64_t)(info_overhead_ns(model) * 1000 + 0.5));
    json_member_u64(&json, "exit_status", (uint64_t)exit_status);
    json_close(&json, '}');
    (void)fputc('\n', stderr); // where stderr fails there is nobody to tell
    free(reasons.of);
}

static void say_next(const char *path, const struct model *model)
{
    uint32_t on = model->session.instruments;
    const char *second = on & RECORDING_TREE      ? "report --by tree"
                         : on & RECORDING_STREAMS ? "replay"
                                                  : "report --by lines";
    const char *third =
        on & RECORDING_TREE && on & (RECORDING_LINES | RECORDING_STATEMENTS) ? "report --by lines" : "info";
    cli_say("next: clew report %s | clew %s %s | clew %s %s", path, second, path, third, path);
}

void verdict_say(const struct recording_options *options, const struct session *session, const struct model *model,
                 int exit_status)
{
    if (options->json) {
        say_in_json(session, model, exit_status);
        return;
    }
    if (options->quiet) {
        return;
    }
    say_notes(model);
    say_missing(options, model);
    say_excludes(options, model);
    if (options->verbose) {
        say_modules(model);
    }
    say_part(options, session, model);
    say_flaws(session, model);
    say_sdk_verb(options);
    say_file(session, model);
    say_next(session->path, model);
}

// -- Nothing recorded -------------------------------------------------------------------------------------------------

static void say_not_loaded(const struct recording_options *options, const struct session *session, const char *path)
{
    const struct session_shared *shared = session->shared;
    if (atomic_load(&shared->other_version)) {
        cli_say("nothing was recorded: the agent in the program is of another clew (%s); install clew anew",
                shared->build);
        return;
    }
    if (atomic_load(&shared->segment_error)) {
        int number = atomic_load(&shared->segment_number);
        cli_say("nothing was recorded: the memory to share with the program could not be made%s%s; clew doctor tells "
                "more (a container may refuse memfd_create; limits of address space and file size, ulimit -v and -f, "
                "count)",
                number ? ": " : "", number ? strerror(number) : "");
        return;
    }
    if (atomic_load(&shared->refused_children)) {
        cli_say("nothing was recorded: %s is no .NET program itself but started one (%s); add --children", path,
                shared->child);
        return;
    }
    if (atomic_load(&shared->other_user)) {
        cli_say("nothing was recorded: %s went on as another user (uid %u), and clew records programs of its own user "
                "only; start clew as that user",
                path, atomic_load(&shared->other_user) - 1);
        return;
    }
    if (target_has_more_rights(path)) {
        cli_say("nothing was recorded: %s has more rights than who starts it (setuid, setgid or capabilities), and the "
                "agent leaves such programs alone",
                path);
        return;
    }
    switch (target_kind_of(path)) {
    case TARGET_NATIVE_AOT:
        cli_say("nothing was recorded: %s is compiled ahead of time (NativeAOT) and has no runtime to ask; "
                "publish it without PublishAot",
                path);
        return;
    case TARGET_SCRIPT:
        cli_say("nothing was recorded: %s is a script and started no .NET program; record the program itself", path);
        return;
    case TARGET_NATIVE:
    case TARGET_UNKNOWN:
        cli_say("nothing was recorded: %s is a native program, not a .NET one; record dotnet app.dll or its apphost",
                path);
        return;
    case TARGET_ASSEMBLY:
        cli_say("nothing was recorded: %s is an assembly; start it with dotnet: clew run -- dotnet %s", path, path);
        return;
    case TARGET_MUXER:
    case TARGET_HOST:
        cli_say("nothing was recorded: no runtime came up that loads the agent%s; clew doctor tells more",
                options->command[1] ? "" : " (dotnet without an app?)");
        return;
    }
}

static void say_pattern(const struct recording_options *options, const struct model *model, struct text glob)
{
    static const char core[] = "System.Private.CoreLib";
    if (!(options->flags & RING_ALL_CODE) && names_assembly(glob, text_of(core))) {
        (void)fprintf(stderr, "  %s is not woven; --all-code records it too\n", core);
    } else {
        say_near(model, glob);
    }
}

// Each line of the scope but those of --exclude.
static void say_nearest(const struct recording_options *options, const struct model *model)
{
    struct text lines = text_in(&options->scope), line;
    while (text_take_line(&lines, &line)) {
        bool exclude = text_equal(text_take_word(&line), text_of("exclude"));
        if (!exclude) {
            say_pattern(options, model, line);
        }
    }
}

static void say_seen(const struct model *model)
{
    uint32_t shown = 0;
    for (uint32_t i = 0; i < model->catalog.module_count && shown < NAMES_SHOWN; i++) {
        const struct recording_module *module = &model->catalog.modules[i];
        if (!(module->flags & MODEL_MODULE_FRAMEWORK)) {
            (void)fprintf(stderr, "%s[", shown++ ? ", " : "  modules seen: ");
            format_name(to_stderr(), module->name, 0);
            (void)fputs(module->reason.size ? "] (" : "]", stderr);
            format_name(to_stderr(), module->reason, 0);
            (void)fputs(module->reason.size ? ")" : "", stderr);
        }
    }
    if (shown) {
        (void)fputc('\n', stderr); // where stderr fails there is nobody to tell
    }
}

static void say_nothing_in_scope(const struct recording_options *options, const struct session *session,
                                 const struct model *model)
{
    uint32_t missing = model->catalog.not_woven_count;
    if (atomic_load(&session->shared->full)) {
        cli_say("nothing was recorded: the file reached --max-size %s before the first call; say more",
                session->max_text);
        return;
    }
    if (atomic_load(&session->shared->overwritten)) {
        cli_say(
            "nothing was recorded: the program wrote over the memory that it shares with clew, before any of it was "
            "in the file; unsafe or native code with a wrong pointer does that");
        return;
    }
    say_notes(model);
    if (missing > 0) {
        struct reasons reasons = reasons_of(model);
        struct text first = reasons.count ? reasons.of[0].text : text_of("");
        cli_say("nothing was recorded: %u method%s in scope could not be woven: %.*s", missing, format_plural(missing),
                (int)first.size, first.at);
        free(reasons.of);
    } else if (model->catalog.method_count > 0) {
        cli_say("nothing was recorded: methods are in scope, but none of them was called");
    } else if (options->scope.size > 0) {
        cli_say("nothing was recorded: no method that ran matches what was asked for; names are "
                "'[Assembly]Namespace.Type.Method'");
        say_nearest(options, model);
        say_seen(model);
    } else {
        cli_say("nothing was recorded: no module with symbols (a .pdb beside the .dll) was loaded; build with symbols, "
                "or say --include '[Assembly]*', or --all-code");
        say_seen(model);
    }
}

void verdict_nothing(const struct recording_options *options, const struct session *session, const struct model *model,
                     const char *path)
{
    uint32_t processes = model ? model->catalog.process_count : 0;
    if (processes == 0) {
        say_not_loaded(options, session, path);
    } else if (atomic_load(&session->shared->no_room) == processes) {
        cli_say("nothing was recorded: the program's " NO_ROOM);
    } else if (processes_in(model, RECORDING_PROCESS_DORMANT) == processes) {
        cli_say(
            "nothing was recorded: the agent stayed dormant, since the collector did not answer it in time; try again");
    } else {
        say_nothing_in_scope(options, session, model);
    }
    say_sdk_verb(options);
}

void verdict_stopped(const struct session *session)
{
    int number = atomic_load(&session->shared->error_number);
    enum clew_error error = (enum clew_error)atomic_load(&session->shared->error);
    cli_say("%s: the recording stopped before the program did: %s%s", session->path,
            number ? strerror(number) : clew_error_sentence(error),
            number == ENOSPC ? "; make room or choose another place with -o" : "");
}
