// See page_match.h.
#include "view/page/page_match.h"

#include "base/assert.h"

enum { STEP_WORK = 8, VALUE_WORK = 256 }; // beside the bytes of texts

static uint8_t small_letter(char letter)
{
    return (uint8_t)(letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter);
}

static void append_small(struct buffer *into, struct text text)
{
    uint8_t *at = text.size ? buffer_extend(into, text.size) : NULL;
    for (size_t i = 0; at && i < text.size; i++) {
        at[i] = small_letter(text.at[i]);
    }
}

enum clew_error page_match_begin(struct page_match *match, struct page_replay *replay, struct text find,
                                 struct text method)
{
    CLEW_ASSERT(!match->replay && (find.size > 0 || method.size > 0));
    match->replay = replay;
    match->method = method;
    append_small(&match->find, find);
    return match->find.failed ? CLEW_NO_MEMORY : CLEW_OK;
}

void page_match_free(struct page_match *match)
{
    map_free(&match->methods);
    map_free(&match->sites);
    buffer_free(&match->find);
    buffer_free(&match->scratch);
}

// Whether the text contains what is searched for.
static bool contains(struct page_match *match, struct text text)
{
    match->work += text.size;
    if (text.size < match->find.size || match->find.size == 0) {
        return false;
    }
    buffer_clear(&match->scratch);
    append_small(&match->scratch, text);
    match->failed |= match->scratch.failed;
    return !match->scratch.failed &&
           memmem(match->scratch.data, match->scratch.size, match->find.data, match->find.size) != NULL;
}

// -- Calls ------------------------------------------------------------------------------------------------------------

static bool is_method(const struct page_match *match, const struct event_step *step)
{
    return match->method.size > 0 && page_query_means(match->method, replay_name(&match->replay->context, step));
}

// The methods of the thread's process.
static bool matches_call(struct page_match *match, const struct event_step *step)
{
    uint64_t known;
    if (match->method.size > 0 && step->kind != STEP_BEGIN) {
        return false;
    }
    if (map_get(&match->methods, step->frame->method, &known)) {
        return known;
    }
    bool found =
        match->method.size > 0 ? is_method(match, step) : contains(match, replay_name(&match->replay->context, step));
    match->failed |= !map_put(&match->methods, step->frame->method, found);
    return found;
}

// -- Statements and values --------------------------------------------------------------------------------------------

// What is the same for all events of a site: the line of a statement, and names.
static bool matches_site(struct page_match *match, const struct event_step *step, const struct site *site)
{
    uint64_t known;
    if (map_get(&match->sites, step->site, &known)) {
        return known;
    }
    bool found = contains(match, site->name) || contains(match, site->owner_name);
    const struct recording_document *document =
        site->kind == SITE_STATEMENT ? replay_document(&match->replay->context, step, site) : NULL;
    if (document && site->start_line && !found) {
        found = contains(match, sources_line(match->replay->page->sources, document, site->start_line));
    }
    match->failed |= !map_put(&match->sites, step->site, found);
    return found;
}

// The place before a value: `name = `, `owner.name = ` or `[7] = `.
static void write_label(struct buffer *into, const struct values *values, const struct site *site,
                        const struct site_value *value)
{
    if (site->place == PLACE_KEY || site->place == PLACE_KEY_OBJECT) {
        struct site_value key = sites_key(values->sites, values->process, site, value);
        buffer_text(into, "[");
        value_story(into, values, &key);
        buffer_text(into, "] = ");
    } else if (site->place == PLACE_ITEM) {
        buffer_printf(into, "[%lld] = ", (long long)value->item);
    } else if (site->name.size > 0) {
        if (site_is_in_variable(site) && site->owner_name.size > 0) {
            buffer_append(into, site->owner_name.at, site->owner_name.size);
            buffer_text(into, ".");
        }
        buffer_append(into, site->name.at, site->name.size);
        buffer_text(into, " = ");
    }
}

// A text is compared as it is, too, since a story puts it into quotes and escapes.
static bool matches_value(struct page_match *match, const struct event_step *step, const struct site *site)
{
    struct replay_context *context = &match->replay->context;
    struct buffer *text = &context->text;
    struct values values = replay_values(context, step);
    struct site_value value;
    values.settled = NULL; // a search mentions nothing
    match->work += VALUE_WORK;
    if (!replay_take(context, step, site, &value) || value.encoding == VALUE_NONE) {
        return false;
    }
    buffer_clear(text);
    write_label(text, &values, site, &value);
    value_story(text, &values, &value);
    bool found = contains(match, text_in(text));
    if (!found && text->size > 0 && memchr(text->data, '"', text->size)) {
        buffer_clear(text);
        value_text(text, &values, &value);
        found = contains(match, text_in(text));
    }
    match->failed |= text->failed;
    return found;
}

// -- Throws and catches -----------------------------------------------------------------------------------------------

static bool matches_throw(struct page_match *match, const struct event_step *step)
{
    struct replay_exception exception = {0};
    match->failed |= replay_exception(&match->replay->context, step, &exception) != CLEW_OK;
    return match->method.size == 0 && (contains(match, exception.type) || contains(match, exception.message));
}

bool page_match_step(struct page_match *match, const struct event_step *step)
{
    match->work += STEP_WORK;
    if (step->kind == STEP_THROWN || step->kind == STEP_CAUGHT) {
        return matches_throw(match, step);
    }
    if (step->kind != STEP_SITE) {
        return step->frame && matches_call(match, step);
    }
    const struct site *site = match->method.size > 0 ? NULL : replay_site(&match->replay->context, step);
    return site &&
           (matches_site(match, step, site) || (site->kind != SITE_STATEMENT && matches_value(match, step, site)));
}
