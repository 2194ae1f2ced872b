// Format P4: one line an event, as the statement-level tracer of Pocza, Biczo and Porkolab (2007) wrote it.
//
//     tTsl:sc-el:ec      a statement          tTfE...  the first of an activation of function f      tTfL...  the last
//     tKAVi:type:value   a value type         tKAhRi:type:value  a reference to object h             tKAiNULL  null
//
// t is the thread, K the kind of place (L local, P parameter, F field, A array item, R through a reference), A is U for a
// use and D for a definition. A statement that is both first and last of its activation is written as the first.
#include <inttypes.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/foreign.h"
#include "model/last_statements.h"
#include "view/replay/replay_format.h"

struct statements {
    struct last_statements *last; // the last statements of activations
    uint64_t count;               // number of statements so far
};

// Marking last statements needs a pass over all events before the first line is printed.
static enum clew_error start(struct replay_context *context, const struct timeline_options *options)
{
    struct statements *statements = calloc(1, sizeof *statements);
    context->own = statements;
    if (!statements || !context->sites) {
        return statements ? CLEW_OK : CLEW_NO_MEMORY;
    }
    return last_statements_find(context->model->recording, options, context->sites, &statements->last);
}

// A statement of no known activation has neither mark. Without symbols the range is replaced by the IL offset.
static void print_statement(struct replay_context *context, const struct event_step *step, const struct site *site)
{
    FILE *out = context->view->out;
    struct statements *statements = context->own;
    uint64_t number = statements->count++;
    bool first = step->frame && step->frame->number == 0 && !step->frame->joined;
    bool last = last_statements_has(statements->last, number);
    if (step->frame) {
        step->frame->number = 1;
    }
    if (context->hidden) {
        return;
    }
    (void)fprintf(out, "%uT", step->thread->thread);
    if (step->frame && (first || last)) {
        (void)fprintf(out, "%u%c", step->frame->method, first ? 'E' : 'L');
    }
    if (site->start_line) {
        (void)fprintf(out, "%u:%u-%u:%u\n", site->start_line, site->start_column, site->end_line, site->end_column);
    } else {
        (void)fprintf(out, "IL_%04x\n", site->il_offset);
    }
}

static char place_letter(enum site_place place)
{
    static const char letters[] = {
        [PLACE_NONE] = 0,           [PLACE_LOCAL] = 'L',      [PLACE_PARAMETER] = 'P', [PLACE_FIELD] = 'F',
        [PLACE_STATIC_FIELD] = 'F', [PLACE_ITEM] = 'A',       [PLACE_INDIRECT] = 'R',  [PLACE_RESULT] = 0,
        [PLACE_KEY] = 'A',          [PLACE_KEY_OBJECT] = 'A', [PLACE_SPAN_ITEM] = 'R', [PLACE_ITEM_FIELD] = 'F'};
    static_assert(sizeof letters == PLACE_ITEM_FIELD + 1, "a letter for each place");
    return letters[place];
}

// The number of the variable, or the index in the array or list, or the key: a number, or that of an object. References have
// none.
static void print_index(FILE *out, const struct site *site, const struct site_value *value)
{
    if (place_is_item(site->place)) {
        (void)fprintf(out, "%" PRId32, value->item);
    } else {
        (void)fprintf(out, "%" PRIu32, place_is_indirect(site->place) ? 0 : site->index);
    }
}

// Prints a definition or a use. The format has nothing for allocations, results and values that were not recorded.
static void print_value(struct replay_context *context, const struct event_step *step, const struct site *site)
{
    struct values values = replay_values(context, step);
    struct site_value value;
    FILE *out = context->view->out;
    char letter = place_letter(site->place);
    if (!letter || site->kind == SITE_ALLOCATION || !replay_take(context, step, site, &value) ||
        value.encoding == VALUE_NONE || value_is_invalid(&value)) {
        return; // the format cannot express it
    }
    (void)fprintf(out, "%u%c%c", step->thread->thread, letter, site->kind == SITE_USE ? 'U' : 'D');
    uint32_t object = value_object(&value);
    if (value.encoding == VALUE_OBJECT && object == 0) {
        print_index(out, site, &value);
        (void)fputs("NULL\n", out);
        return;
    }
    if (object) {
        (void)fprintf(out, "%uR", object);
    } else {
        (void)fputc('V', out);
    }
    print_index(out, site, &value);
    bool by_address = site->place == PLACE_PARAMETER && site->owner == OWNER_ADDRESS; // `this` of a struct
    struct text type = value_type_name(&values, &value);
    buffer_clear(&context->text);
    if (by_address) {
        buffer_printf(&context->text, "0x%" PRIx64, value.owner_address);
    } else {
        value_line(&context->text, &values, &value);
    }
    (void)fputc(':', out);
    foreign_write(out, type, FOREIGN_VALUE);
    (void)fputs(by_address ? "&:" : ":", out);
    if (context->text.size && !context->text.failed) {
        (void)fwrite(context->text.data, 1, context->text.size, out);
    }
    (void)fputc('\n', out);
}

static enum clew_error step_lines(struct replay_context *context, const struct event_step *step)
{
    if (step->kind != STEP_SITE || replay_too_deep(context, step)) {
        return CLEW_OK;
    }
    const struct site *site = replay_site(context, step);
    if (site && site->kind == SITE_STATEMENT) {
        print_statement(context, step, site);
    } else if (site && !context->hidden && !context->caller) {
        print_value(context, step, site);
    }
    return replay_written(context);
}

static void finish(struct replay_context *context)
{
    struct statements *statements = context->own;
    last_statements_free(statements ? statements->last : NULL);
    free(statements);
}

const struct replay_format replay_lines = {.start = start, .step = step_lines, .finish = finish};
