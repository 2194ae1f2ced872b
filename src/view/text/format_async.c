// See format_async.h.
#include "view/text/format_async.h"

#include "base/foreign.h"
#include "view/text/format_number.h"
#include "view/text/format_text.h"

enum { FILE_MAX = 40 }; // columns of a file's name

void format_latency(struct buffer *into, const struct model *model, const struct tree *tree, uint32_t node)
{
    const struct tree_run *run = tree_run(tree, node);
    uint64_t latency = run ? tree_latency(run) : 0;
    uint64_t awaiting = run ? tree_awaiting(tree, node) : 0;
    char time[FORMAT_CELL];
    if (latency && model_has_times(model)) {
        buffer_printf(into, "%slatency %s", tree_ended(run) > 1 ? "mean " : "", format_ticks(time, model, latency));
    }
    if (awaiting && model_has_times(model)) {
        buffer_printf(into, "%sawaiting %s", latency ? ", " : "", format_ticks(time, model, awaiting));
    }
    if (run && run->parallel) {
        buffer_printf(into, "%sparallel", into->size ? ", " : "");
    }
    if (run && run->folded) {
        buffer_printf(into, "%sfolded", into->size ? ", " : "");
    }
}

void format_awaited(struct buffer *into, const struct wait *wait)
{
    bool named = wait->what.size > 0;
    foreign_append(into, named || wait->line ? wait->what : text_of("(not known)"), FOREIGN_TEXT);
    if (wait->line) {
        buffer_text(into, named ? " (" : "at ");
        format_place(into, wait->document->path, wait->line, FILE_MAX);
        buffer_text(into, named ? ")" : "");
    }
}

void format_wait(struct buffer *into, const struct model *model, const struct wait *wait, bool place_alone)
{
    char number[FORMAT_CELL];
    buffer_text(into, "await ");
    foreign_append(into, wait->what.size ? wait->what : text_of("(not known)"), FOREIGN_TEXT);
    if (wait->line) {
        buffer_text(into, "  ");
        format_place(into, wait->document->path, wait->line, FILE_MAX);
    }
    if (place_alone) {
        return;
    }
    buffer_printf(into, "  %s time%s", format_count(number, wait->count), format_plural(wait->count));
    if (model_has_times(model)) {
        buffer_printf(into, "  %s", format_ticks(number, model, wait->awaiting));
    }
}
