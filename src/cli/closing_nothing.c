// Finds out why nothing was recorded. The shared memory of the session and the recording, if any, hold the evidence;
// each message names the cause and the remedy. The order of the checks matters: the first that applies explains the
// others.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "cli/closing_parts.h"
#include "cli/no_runtime.h"
#include "cli/show.h"
#include "collector/start/target.h"
#include "trace/instrument.h"
#include "view/text/format_number.h"
#include "view/text/format_text.h"

enum { NAMES_SHOWN = 8 };

// Without any sign of an agent, the program's file shows why none was loaded.
static void say_target(const struct recording_options *options, const char *path)
{
    struct buffer why = {0};
    no_runtime_reason(&why, path, options->command, "the agent", &program_recorded);
    cli_say("nothing was recorded: %.*s", (int)text_in(&why).size, text_in(&why).at);
    buffer_free(&why);
}

// `number` is the errno with which creating the shared memory failed, or 0.
static void say_no_memory(int number)
{
    cli_say("nothing was recorded: the memory to share with the program could not be created%s%s; clew doctor shows "
            "why (a container may refuse memfd_create; limits of address space and file size, ulimit -v and -f, "
            "count)",
            number ? ": " : "", number ? strerror(number) : "");
}

// Explains a session in which no agent connected to the collector.
static void say_not_loaded(const struct recording_options *options, const struct session *session, const char *path)
{
    const struct session_shared *shared = session->shared;
    uint32_t user = atomic_load(&shared->other_user); // plus 1; 0: none
    if (atomic_load(&shared->other_version)) {
        cli_say("nothing was recorded: the agent in the program belongs to another build of clew (%s); reinstall clew",
                shared->build);
    } else if (atomic_load(&shared->segment_error)) {
        say_no_memory(atomic_load(&shared->segment_number));
    } else if (atomic_load(&shared->refused_children)) {
        cli_say("nothing was recorded: %s is no .NET program itself but started one (%s); add --children", path,
                shared->child);
    } else if (user) {
        cli_say("nothing was recorded: %s switched to another user (uid %u), and clew records programs of its own user "
                "only; start clew as that user",
                path, user - 1);
    } else if (target_has_more_rights(path)) {
        cli_say(
            "nothing was recorded: %s gets more rights than its caller has (setuid, setgid or capabilities), and the "
            "agent leaves such programs alone",
            path);
    } else {
        say_target(options, path);
    }
}

// Lists loaded modules, so that a user can correct the name in a pattern.
static void say_seen(const struct model *model)
{
    uint32_t shown = 0;
    for (uint32_t i = 0; i < model->catalog.module_count && shown < NAMES_SHOWN; i++) {
        const struct recording_module *module = &model->catalog.modules[i];
        if (!(module->flags & MODULE_FRAMEWORK)) {
            (void)fprintf(stderr, "%s[", shown++ ? ", " : "  modules seen: ");
            format_name(closing_view(), module->name, 0);
            (void)fputs(module->reason.size ? "] (" : "]", stderr);
            format_name(closing_view(), module->reason, 0);
            (void)fputs(module->reason.size ? ")" : "", stderr);
        }
    }
    if (shown) {
        (void)fputc('\n', stderr); // if stderr fails there is nowhere to report it
    }
}

// Methods were in scope, but the agent could instrument none of them.
static void say_not_woven(const struct model *model)
{
    uint32_t missing = model->catalog.not_woven_count;
    struct closing_reasons reasons = closing_reasons_of(model);
    struct text first = reasons.count ? reasons.of[0].text : text_of("");
    cli_say("nothing was recorded: %u method%s in scope could not be instrumented: %.*s", missing,
            format_plural(missing), (int)first.size, first.at);
    free(reasons.of);
}

// A module whose methods would have been recorded; NULL: there is none. One with an entry point comes first.
static const struct recording_module *module_in_scope(const struct model *model)
{
    const struct recording_module *found = NULL;
    for (uint32_t i = 0; i < model->catalog.module_count; i++) {
        const struct recording_module *module = &model->catalog.modules[i];
        if (module->flags & MODULE_IN_SCOPE && (!found || module->flags & MODULE_ENTRY)) {
            found = module;
        }
    }
    return found;
}

// Whether all programs that ran are the SDK's. Their names are appended to `names`.
static bool only_tools_ran(const struct model *model, struct buffer *names)
{
    uint32_t shown = 0;
    for (uint32_t i = 0; i < model->catalog.module_count; i++) {
        const struct recording_module *module = &model->catalog.modules[i];
        if (!(module->flags & MODULE_ENTRY)) {
            continue;
        }
        if (!(module->flags & MODULE_TOOL)) {
            return false;
        }
        bool again = false;
        for (uint32_t j = 0; j < i; j++) {
            const struct recording_module *other = &model->catalog.modules[j];
            again = again || (other->flags & MODULE_ENTRY && text_equal(other->name, module->name));
        }
        if (!again && shown++ < NAMES_SHOWN) {
            buffer_printf(names, "%s%.*s", shown > 1 ? ", " : "", (int)module->name.size, module->name.at);
        }
    }
    return shown > 0;
}

// The usual cause is a build that failed.
static bool say_only_tools(const struct model *model)
{
    struct buffer names = {0};
    bool only = only_tools_ran(model, &names);
    if (only) {
        cli_say("nothing was recorded: only programs of the SDK ran (%.*s), which --include '[dotnet]*' and the like "
                "record; "
                "start the built program instead: clew run -- dotnet bin/.../App.dll",
                (int)text_in(&names).size, text_in(&names).at);
    }
    buffer_free(&names);
    return only;
}

// No pattern chose the scope, and no method of it was compiled.
static void say_no_code_of_mine(const struct recording_options *options, const struct model *model)
{
    const struct recording_module *module = module_in_scope(model);
    if (!module && say_only_tools(model)) {
        return;
    }
    if (module) {
        cli_say("nothing was recorded: %.*s was loaded, but none of its methods was called%s", (int)module->name.size,
                module->name.at,
                module->flags & MODULE_ENTRY ? "" : "; it is a library without Main: start the program that uses it");
        return;
    }
    cli_say("nothing was recorded: no module with symbols (a .pdb beside the .dll) was loaded; build with symbols, "
            "or use --include '[Assembly]*'%s",
            options->instruments & INSTRUMENT_AT_SITES ? "" : " or --all-code");
    say_seen(model);
}

// An agent connected, but no method was recorded.
static void say_nothing_in_scope(const struct recording_options *options, const struct session *session,
                                 const struct model *model)
{
    if (atomic_load(&session->shared->full)) {
        cli_say("nothing was recorded: the file reached --max-size %s before the first call; give it a larger size",
                session->max_text);
        return;
    }
    if (atomic_load(&session->shared->overwritten)) {
        cli_say(
            "nothing was recorded: the program wrote over the memory that it shares with clew, before any of it was "
            "in the file; unsafe or native code with a wrong pointer does that");
        return;
    }
    closing_notes(model);
    if (model->catalog.not_woven_count > 0) {
        say_not_woven(model);
    } else if (model->catalog.method_count > 0 && options->instruments == INSTRUMENT_LINES) {
        cli_say("nothing was recorded: the symbols describe no statement that ran; build again, or name folders that "
                "have matching PDBs with --symbols");
    } else if (model->catalog.method_count > 0) {
        cli_say("nothing was recorded: methods are in scope, but none of them was called");
    } else if (options->scope.size > 0 && closing_all_excluded(options, model)) {
        cli_say("nothing was recorded: no method ran that --exclude does not leave out; narrow its pattern");
        say_seen(model);
    } else if (options->scope.size > 0) {
        cli_say("nothing was recorded: no method that ran matches what was asked for; names are "
                "'[Assembly]Namespace.Type.Method'");
        closing_nearest(options, model);
        say_seen(model);
    } else {
        say_no_code_of_mine(options, model);
    }
}

void closing_nothing(const struct recording_options *options, const struct session *session, const struct model *model,
                     const char *path)
{
    uint32_t processes = model ? model->catalog.process_count : 0;
    CLEW_ASSERT(options->command[0] && "there was a program to start");
    if (processes == 0) {
        say_not_loaded(options, session, path);
    } else if (atomic_load(&session->shared->no_room) == processes) {
        cli_say("nothing was recorded: the program's " CLOSING_NO_ROOM);
    } else if (closing_processes(model, PROCESS_DORMANT) == processes) {
        cli_say("nothing was recorded: the agent stayed dormant, because the collector did not answer it in time; try "
                "again");
    } else {
        say_nothing_in_scope(options, session, model);
    }
    closing_sdk_verb(options);
}
