// Part of the closing lines: patterns of --include and --exclude that match nothing, with similar names. It reads the
// metadata of the modules' files again, because a recording has only the names of methods that ran.
#include <stdio.h>

#include "base/assert.h"
#include "cli/closing_parts.h"
#include "cli/nearest.h"
#include "cli/show.h"
#include "model/pattern.h"
#include "ring/ring.h"

// Whether the pattern's assembly is this one. `*` names none.
static bool names_assembly(struct text glob, struct text name)
{
    const char *close = memchr(glob.at, ']', glob.size);
    CLEW_ASSERT(glob.size && glob.at[0] == '[' && "take_glob() puts an assembly before each");
    struct text assembly = {glob.at + 1, close ? (size_t)(close - glob.at - 1) : 0};
    return !text_equal(assembly, text_of("*")) && text_matches(name, assembly);
}

// Framework modules have very many names, so they are searched only if the pattern names them.
static bool is_looked_at(const struct recording_module *module, struct text glob)
{
    return !(module->flags & MODULE_FRAMEWORK) || names_assembly(glob, module->name);
}

// Lists names similar to the pattern, from all modules that the program loaded.
static void say_near(const struct model *model, struct text asked)
{
    struct nearest nearest;
    nearest_init_asked(&nearest, asked);
    for (uint32_t i = 0; i < model->catalog.module_count; i++) {
        const struct recording_module *module = &model->catalog.modules[i];
        if (is_looked_at(module, asked)) {
            nearest_add_module(&nearest, module->path.at);
        }
    }
    cli_near(&nearest, nearest.count && nearest.names[0].cost == 0 ? "there, but not called" : "near it");
    nearest_free(&nearest);
}

// Whether a pattern matches any method of a loaded module.
static bool means_any(const struct recording_options *options, const struct model *model, struct text asked)
{
    struct text name = asked, assembly = pattern_take_assembly(&name);
    bool all = options->flags & SESSION_ALL_CODE, found = false;
    for (uint32_t i = 0; i < model->catalog.module_count && !found; i++) {
        const struct recording_module *module = &model->catalog.modules[i];
        bool in = text_matches(module->name, assembly) && (all || is_looked_at(module, asked));
        found = in && nearest_module_has(name, module->path.at);
    }
    return found;
}

void closing_excludes(const struct recording_options *options, const struct model *model)
{
    struct text lines = text_in(&options->scope), line;
    while (text_take_line(&lines, &line)) {
        bool exclude = text_equal(text_take_word(&line), text_of("exclude"));
        if (exclude && !means_any(options, model, line)) {
            struct text shown = text_starts(line, "[*]") ? (struct text){line.at + 3, line.size - 3} : line;
            cli_say("--exclude '%.*s' matches no method of the modules that were loaded", (int)shown.size, shown.at);
            say_near(model, line);
        }
    }
}

bool closing_all_excluded(const struct recording_options *options, const struct model *model)
{
    struct text lines = text_in(&options->scope), line;
    bool excluded = false, all = true;
    while (text_take_line(&lines, &line) && all) {
        bool exclude = text_equal(text_take_word(&line), text_of("exclude"));
        all = means_any(options, model, line);
        excluded = excluded || exclude;
    }
    return all && excluded;
}

// The core library is instrumented only with --all-code, so no name in it can help.
static void say_pattern(const struct recording_options *options, const struct model *model, struct text glob)
{
    static const char core[] = "System.Private.CoreLib";
    if (!(options->flags & SESSION_ALL_CODE) && names_assembly(glob, text_of(core))) {
        (void)fprintf(stderr, "  %s is not instrumented; --all-code records its calls\n", core);
    } else {
        say_near(model, glob);
    }
}

void closing_nearest(const struct recording_options *options, const struct model *model)
{
    struct text lines = text_in(&options->scope), line;
    while (text_take_line(&lines, &line)) {
        bool exclude = text_equal(text_take_word(&line), text_of("exclude"));
        if (!exclude) {
            say_pattern(options, model, line);
        }
    }
}
