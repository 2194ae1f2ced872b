// See closing_parts.h.
#include "cli/closing_parts.h"

#include <stdio.h>
#include <string.h>

#include "cli/show.h"
#include "collector/start/target.h"
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
    (void)fputs("clew: ", stderr); // if stderr fails there is nowhere to report it
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

// `dotnet run` and the like start the program as a child of the SDK's own process.
void closing_sdk_verb(const struct recording_options *options)
{
    const char *verb = target_sdk_verb(options->command);
    const char *name = strrchr(options->command[0], '/');
    if (verb && !options->children && strcmp(name ? name + 1 : options->command[0], "dotnet") == 0) {
        cli_say("dotnet %s starts programs of its own: --children records them, or start the built one: "
                "clew run -- dotnet bin/Release/.../app.dll",
                verb);
    }
}
