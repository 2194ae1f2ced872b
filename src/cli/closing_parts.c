// See closing_parts.h.
#include "cli/closing_parts.h"

#include <stdio.h>
#include <string.h>

#include "cli/show.h"
#include "collector/start/target.h"
#include "trace/kinds.h"
#include "view/text/format_text.h"

const struct view *closing_view(void)
{
    static struct view view;
    view.out = stderr;
    return &view;
}

// Like cli_say(), for text that is not NUL-terminated and comes from the recording.
static void say_text(struct text text)
{
    (void)fprintf(stderr, "%s: ", cli_speaker()); // if stderr fails there is nowhere to report it
    format_name(closing_view(), text, 0);
    (void)fputc('\n', stderr);
}

void closing_notes(const struct model *model)
{
    for (uint32_t i = 0; i < model->catalog.note_count; i++) {
        say_text(model->catalog.notes[i].text);
    }
}

uint32_t closing_processes(const struct model *model, enum process_state state)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->catalog.process_count; i++) {
        count += model->catalog.processes[i].state == state;
    }
    return count;
}

// Processes that are the SDK's own run on for the next build; nothing of theirs is missing.
bool closing_is_tool(const struct model *model, uint32_t process)
{
    for (uint32_t i = 0; i < model->catalog.module_count; i++) {
        const struct recording_module *module = &model->catalog.modules[i];
        if (module->process == process && module->flags & MODULE_ENTRY) {
            return module->flags & MODULE_TOOL;
        }
    }
    return false;
}

// `dotnet build` and the like start programs as children of the SDK's own process.
void closing_sdk_verb(const struct recording_options *options)
{
    const char *verb = target_sdk_verb(options->command);
    if (verb && !options->children) {
        cli_say("dotnet %s starts programs of its own: --children records them, or start the built one: "
                "clew run -- dotnet bin/Release/.../app.dll",
                verb);
    }
}
