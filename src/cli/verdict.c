#include "cli/verdict.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "collector/target.h"
#include "ring/definition.h"
#include "view/json.h"

enum { NAMES_SHOWN = 8, REASONS_SHOWN = 4 };

// -- The usual case ---------------------------------------------------------------------------------------------------

static const char *size_text(uint64_t bytes, char *into, size_t size)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 1024 && unit + 1 < sizeof units / sizeof *units) {
        value /= 1024;
        unit++;
    }
    (void)snprintf(into, size, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
    return into;
}

// With a comma every three digits.
static const char *count_text(uint64_t count, char *into, size_t size)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    size_t at = 0;
    for (int i = 0; i < length && at + 2 < size; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            into[at++] = ',';
        }
        into[at++] = digits[i];
    }
    into[at] = '\0';
    return into;
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void say_file(const struct session *session, const struct summary *summary)
{
    char size[32], events[32], lost[32];
    cli_say("%s: %s, %s events kept, %s lost, clock %s", session->path, size_text(summary->size, size, sizeof size),
            count_text(summary->events, events, sizeof events), count_text(summary->lost, lost, sizeof lost),
            clock_name(summary->clock));
    cli_say("%u process%s (%s), %u thread%s, %u method%s", summary->processes, summary->processes == 1 ? "" : "es",
            summary->runtime ? summary->runtime : "runtime unknown", summary->threads, plural(summary->threads),
            summary->methods, plural(summary->methods));
}

static void say_missing(const struct recording_options *options, const struct summary *summary)
{
    if (summary->missing_count == 0) {
        return;
    }
    uint32_t shown = summary->reason_count;
    shown = options->verbose || shown < REASONS_SHOWN ? shown : REASONS_SHOWN;
    cli_say("not woven: %u method%s%s", summary->missing_count, plural(summary->missing_count),
            options->verbose ? "" : " (-v lists them)");
    for (uint32_t i = 0; i < shown; i++) {
        (void)fprintf(stderr, "  %6u %s\n", summary->reasons[i].count, summary->reasons[i].reason);
    }
    for (uint32_t i = 0; options->verbose && i < summary->missing_count; i++) {
        (void)fprintf(stderr, "         %s: %s\n", summary->missing[i].name, summary->missing[i].reason);
    }
}

static void say_modules(const struct summary *summary)
{
    for (uint32_t i = 0; i < summary->module_count; i++) {
        const struct summary_module *module = &summary->modules[i];
        bool in = module->flags & RING_MODULE_IN_SCOPE;
        (void)fprintf(stderr, "         module %s: %s\n", module->name,
                      in                ? "recorded"
                      : *module->reason ? module->reason
                                        : "not in scope");
    }
}

static void say_cost(const struct summary *summary)
{
    if (summary->probe_ps == 0) {
        return;
    }
    double cost = (double)summary->probe_ps / 1e12 * (double)summary->events / 2;
    if (summary->seconds > 0) {
        cli_say("an entry and exit cost %.1f ns here: about %.3f s in all, of a session of %.3f s",
                (double)summary->probe_ps / 1e3, cost, summary->seconds);
    } else {
        cli_say("an entry and exit cost %.1f ns here: about %.3f s in all", (double)summary->probe_ps / 1e3, cost);
    }
}

static void say_flaws(const struct session *session, const struct summary *summary)
{
    if (summary->pauses) {
        cli_say("the program waited %llu times for room, %.3f s in all; --lossy drops instead",
                (unsigned long long)summary->pauses, (double)summary->paused_ns / 1e9);
    }
    if (summary->dormant) {
        cli_say("%u process%s stayed dormant: the collector did not answer in time", summary->dormant,
                summary->dormant == 1 ? "" : "es");
    }
    if (summary->cut) {
        cli_say("%u child process%s still ran at the end and %s cut there", summary->cut, summary->cut == 1 ? "" : "es",
                summary->cut == 1 ? "is" : "are");
    }
    if (summary->over_cap) {
        cli_say("the call tree outgrew its memory: deeper calls are under (over the cap); --include or --depth keep it "
                "small");
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

static void say_in_json(const struct session *session, const struct summary *summary, int exit_status)
{
    struct json json = {.out = stderr};
    json_open(&json, '{');
    json_member_text(&json, "file", text_of(session->path));
    json_member_u64(&json, "size", summary->size);
    json_member_u64(&json, "events", summary->events);
    json_member_u64(&json, "lost", summary->lost);
    json_member_text(&json, "clock", text_of(clock_name(summary->clock)));
    json_member_u64(&json, "processes", summary->processes);
    json_member_u64(&json, "threads", summary->threads);
    json_member_u64(&json, "methods", summary->methods);
    json_member_u64(&json, "not_woven", summary->missing_count);
    json_key(&json, "not_woven_reasons");
    json_open(&json, '[');
    for (uint32_t i = 0; i < summary->reason_count; i++) {
        json_open(&json, '{');
        json_member_text(&json, "reason", text_of(summary->reasons[i].reason));
        json_member_u64(&json, "methods", summary->reasons[i].count);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_member_bool(&json, "complete", summary->complete);
    json_member_u64(&json, "probe_ps", summary->probe_ps);
    json_member_u64(&json, "exit_status", (uint64_t)exit_status);
    json_close(&json, '}');
    (void)fputc('\n', stderr); // where stderr fails there is nobody to tell
}

void verdict_say(const struct recording_options *options, const struct session *session, const struct summary *summary,
                 int exit_status)
{
    if (options->json) {
        say_in_json(session, summary, exit_status);
        return;
    }
    if (options->quiet) {
        return;
    }
    say_file(session, summary);
    for (uint32_t i = 0; i < summary->note_count; i++) {
        cli_say("%s", summary->notes[i]);
    }
    say_missing(options, summary);
    if (options->verbose) {
        say_modules(summary);
    }
    say_cost(summary);
    say_flaws(session, summary);
    say_sdk_verb(options);
    cli_say("next: clew report %s | clew report --by tree %s | clew info %s", session->path, session->path,
            session->path);
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
        cli_say("nothing was recorded: the memory to share with the program could not be made; clew doctor tells more "
                "(limits of address space and file size, ulimit -v and -f, count)");
        return;
    }
    if (atomic_load(&shared->refused_children)) {
        cli_say("nothing was recorded: %s is no .NET program itself but started one (%s); add --children", path,
                shared->child);
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

static bool anywhere(const char *name, const char *part, size_t size)
{
    size_t length = strlen(name);
    for (size_t i = 0; size > 0 && i + size <= length; i++) {
        if (strncasecmp(name + i, part, size) == 0) {
            return true;
        }
    }
    return false;
}

// The longest stretch of a glob without wildcards and brackets, cut at dots: what a mistyped name still has in common.
static size_t longest_part(const char *glob, size_t size, const char **part)
{
    size_t best = 0, start = 0;
    for (size_t i = 0; i <= size; i++) {
        if (i == size || strchr("*?[].", glob[i])) {
            if (i - start > best) {
                best = i - start;
                *part = glob + start;
            }
            start = i + 1;
        }
    }
    return best;
}

static void say_nearest(const struct recording_options *options, const struct summary *summary)
{
    const char *line = (const char *)options->scope.data, *end = line + options->scope.size;
    while (line < end) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        const char *glob = memchr(line, ' ', (size_t)(stop - line)) + 1;
        const char *part = NULL;
        size_t size = longest_part(glob, (size_t)(stop - glob), &part);
        uint32_t shown = 0;
        for (uint32_t i = 0; size >= 3 && i < summary->module_count && shown < NAMES_SHOWN; i++) {
            // The first three letters survive most slips of the finger.
            if (anywhere(summary->modules[i].name, part, 3)) {
                (void)fprintf(stderr, "%s%s", shown++ ? ", " : "  near it: ", summary->modules[i].name);
            }
        }
        if (shown) {
            (void)fputc('\n', stderr); // where stderr fails there is nobody to tell
        }
        line = stop + 1;
    }
}

static void say_seen(const struct summary *summary)
{
    uint32_t shown = 0;
    for (uint32_t i = 0; i < summary->module_count && shown < NAMES_SHOWN; i++) {
        const struct summary_module *module = &summary->modules[i];
        if (!(module->flags & RING_MODULE_FRAMEWORK)) {
            (void)fprintf(stderr, "%s[%s]%s%s%s", shown++ ? ", " : "  modules seen: ", module->name,
                          *module->reason ? " (" : "", module->reason, *module->reason ? ")" : "");
        }
    }
    if (shown) {
        (void)fputc('\n', stderr); // where stderr fails there is nobody to tell
    }
}

static void say_nothing_in_scope(const struct recording_options *options, const struct summary *summary)
{
    for (uint32_t i = 0; i < summary->note_count; i++) {
        cli_say("%s", summary->notes[i]);
    }
    if (summary->missing_count > 0) {
        cli_say("nothing was recorded: %u method%s in scope could not be woven: %s", summary->missing_count,
                plural(summary->missing_count), summary->reasons[0].reason);
    } else if (summary->methods > 0) {
        cli_say("nothing was recorded: methods are in scope, but none of them was called");
    } else if (options->scope.size > 0) {
        cli_say("nothing was recorded: no method that ran matches what was asked for; names are "
                "'[Assembly]Namespace.Type.Method'");
        say_nearest(options, summary);
        say_seen(summary);
    } else {
        cli_say("nothing was recorded: no module with symbols (a .pdb beside the .dll) was loaded; build with symbols, "
                "or say --include '[Assembly]*', or --all-code");
        say_seen(summary);
    }
}

void verdict_nothing(const struct recording_options *options, const struct session *session,
                     const struct summary *summary, const char *path)
{
    if (!summary || summary->processes == 0) {
        say_not_loaded(options, session, path);
    } else if (summary->dormant == summary->processes) {
        cli_say(
            "nothing was recorded: the agent stayed dormant, since the collector did not answer it in time; try again");
    } else {
        say_nothing_in_scope(options, summary);
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
