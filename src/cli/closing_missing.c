// Part of the closing lines: methods in scope that are missing from the recording, and why. The reasons are texts of
// the agent, which leaves a method alone if it does not understand it (ARCHITECTURE.md).
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"
#include "cli/closing_parts.h"
#include "cli/show.h"
#include "view/text/format_number.h"
#include "view/text/format_text.h"

enum { REASONS_SHOWN = 4 };

// For qsort().
static int commonest_first(const void *a, const void *b)
{
    const struct closing_reason *x = a, *y = b;
    return (x->count < y->count) - (x->count > y->count);
}

// There are few different reasons, so a linear search is enough.
static void add_reason(struct closing_reasons *reasons, struct text text)
{
    uint32_t i = 0;
    while (i < reasons->count && !text_equal(reasons->of[i].text, text)) {
        i++;
    }
    CLEW_ASSERT(reasons->count <= reasons->room);
    if (i < reasons->count) {
        reasons->of[i].count++;
    } else if (array_grow(&reasons->of, reasons->count, &reasons->room, sizeof *reasons->of)) {
        reasons->of[reasons->count++] = (struct closing_reason){text, 1};
    }
}

struct closing_reasons closing_reasons_of(const struct model *model)
{
    struct closing_reasons reasons = {0};
    for (uint32_t i = 0; i < model->catalog.not_woven_count; i++) {
        add_reason(&reasons, model->catalog.not_woven[i].reason);
    }
    if (reasons.count > 1) {
        qsort(reasons.of, reasons.count, sizeof *reasons.of, commonest_first);
        CLEW_ASSERT(reasons.of[0].count >= reasons.of[reasons.count - 1].count && "the commonest comes first");
    }
    return reasons;
}

// One line per method: its name and the agent's reason.
static void list_missing(const struct model *model)
{
    for (uint32_t i = 0; i < model->catalog.not_woven_count; i++) {
        (void)fputs("         ", stderr);
        format_name(closing_view(), model->catalog.not_woven[i].name, 0);
        (void)fputs(": ", stderr);
        format_name(closing_view(), model->catalog.not_woven[i].reason, 0);
        (void)fputc('\n', stderr);
    }
}

// Lists the most frequent reasons with their numbers of methods; with --verbose every method as well.
void closing_missing(const struct recording_options *options, const struct model *model)
{
    uint32_t missing = model->catalog.not_woven_count;
    if (missing == 0) {
        return;
    }
    struct closing_reasons reasons = closing_reasons_of(model);
    bool all = options->verbose || reasons.count < REASONS_SHOWN;
    cli_say("not instrumented: %u method%s%s", missing, format_plural(missing),
            options->verbose ? "" : " (-v lists them)");
    for (uint32_t i = 0; i < (all ? reasons.count : REASONS_SHOWN); i++) {
        (void)fprintf(stderr, "  %6u ", reasons.of[i].count);
        format_name(closing_view(), reasons.of[i].text, 0);
        (void)fputc('\n', stderr);
    }
    if (options->verbose) {
        list_missing(model);
    }
    free(reasons.of);
}
