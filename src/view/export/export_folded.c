// Collapsed stacks: a line for each path, "outermost;...;innermost NUMBER", as flamegraph.pl and its relatives read them.
// The number is own time in nanoseconds, or calls.
#include <string.h>

#include "base/assert.h"
#include "base/foreign.h"
#include "view/export/export.h"

// The state of writing one tree.
struct folded {
    struct export *export;
    struct buffer line;
    bool calls;   // the numbers are calls
    bool process; // the outermost frame is the process
};

// Appends a frame. A semicolon would end it, and a line break the line.
static void append_frame(struct buffer *line, struct text name)
{
    struct buffer escaped = {0};
    foreign_append(&escaped, name, FOREIGN_TEXT);
    struct text rest = text_in(&escaped);
    for (const char *mark; (mark = memchr(rest.at, ';', rest.size)) != NULL;) {
        size_t size = (size_t)(mark - rest.at);
        buffer_append(line, rest.at, size);
        buffer_text(line, "\\u003B");
        rest = (struct text){mark + 1, rest.size - size - 1};
    }
    buffer_append(line, rest.at, rest.size);
    line->failed = line->failed || escaped.failed;
    buffer_free(&escaped);
}

static void append_stack(struct folded *folded, const struct export_path *path)
{
    struct buffer title = {0};
    if (folded->process) {
        export_process_title(&title, folded->export, path->tree->process);
        append_frame(&folded->line, text_in(&title));
        buffer_u8(&folded->line, ';');
    }
    for (uint32_t i = 0; i < path->levels; i++) {
        buffer_append(&folded->line, ";", i > 0);
        append_frame(&folded->line, export_name(folded->export, path->methods[i]));
    }
    if (path->deeper) {
        buffer_printf(&folded->line, ";%s", export_deeper);
    }
    buffer_free(&title);
}

static enum clew_error take_path(void *context, const struct export_path *path)
{
    struct folded *folded = context;
    CLEW_ASSERT(path->levels > 0 && path->levels <= EXPORT_LEVELS_MAX);
    uint64_t number = folded->calls ? path->calls : model_ns(folded->export->model, path->own);
    if (number == 0) {
        return CLEW_OK;
    }
    buffer_clear(&folded->line);
    append_stack(folded, path);
    buffer_printf(&folded->line, " %llu\n", (unsigned long long)number);
    (void)fwrite(folded->line.data, 1, folded->line.failed ? 0 : folded->line.size, folded->export->out);
    return folded->line.failed ? CLEW_NO_MEMORY : CLEW_OK;
}

static enum clew_error write_folded(struct export *export)
{
    const struct model *model = export->model;
    struct folded folded = {.export = export,
                            .calls = export->options->weight == EXPORT_WEIGHT_CALLS || !model_has_times(model),
                            .process = model->catalog.process_count > 1};
    enum clew_error error = CLEW_OK;
    for (uint32_t i = 0; i < model->tree_count && error == CLEW_OK; i++) {
        error = export_walk(export, &model->trees[i], take_path, &folded);
    }
    buffer_free(&folded.line);
    return error;
}

const struct export_format export_folded = {
    .name = "folded", .suffix = ".folded", .logical = true, .write = write_folded};
