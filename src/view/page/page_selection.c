// See page_selection.h.
#include "view/page/page_selection.h"

#include "view/text/format_number.h"

static bool take_u32(struct text *text, uint32_t *out)
{
    uint64_t value;
    if (!page_query_digits(text, &value) || value > UINT32_MAX) {
        return false;
    }
    *out = (uint32_t)value;
    return true;
}

static bool take_byte(struct text *text, char byte)
{
    if (text->size == 0 || *text->at != byte) {
        return false;
    }
    *text = (struct text){text->at + 1, text->size - 1};
    return true;
}

bool page_take_pair(struct text *text, uint32_t *first, uint32_t *second)
{
    return take_u32(text, first) && take_byte(text, ':') && take_u32(text, second);
}

bool page_take_event(struct text text, struct cursor_position *out)
{
    return page_take_pair(&text, &out->process, &out->thread) && take_byte(&text, ':') &&
           page_query_digits(&text, &out->ordinal) && text.size == 0;
}

// "1:2": a thread; "1:*": all threads of a process.
static bool take_thread(struct text *text, struct model_thread *thread)
{
    thread->thread = 0;
    return take_u32(text, &thread->process) && take_byte(text, ':') &&
           (take_byte(text, '*') || (take_u32(text, &thread->thread) && thread->thread > 0));
}

static bool take_threads(struct page_selection *selection, struct text list)
{
    do {
        if (selection->thread_count == PAGE_THREADS_MAX ||
            !take_thread(&list, &selection->threads[selection->thread_count])) {
            return false;
        }
        selection->thread_count++;
    } while (take_byte(&list, ','));
    return list.size == 0;
}

bool page_selection_take(struct page_selection *selection, const struct page *page, const struct page_query *query,
                         struct page_answer *answer)
{
    struct text text;
    bool bad = false;
    *selection = (struct page_selection){0};
    uint64_t end = format_elapsed_ns(page->model);
    selection->from_ns = page_query_number(query, "from", 0, UINT64_MAX, &bad);
    selection->to_ns = page_query_number(query, "to", end, UINT64_MAX, &bad);
    selection->ranged = page_query_text(query, "from", &text) || page_query_text(query, "to", &text);
    if (bad || selection->to_ns < selection->from_ns) {
        page_refuse(answer, 400, "from and to are no range of time");
        buffer_text(&answer->cure, "Give whole nanoseconds since the session's start, from before to.");
        return false;
    }
    if (page_query_text(query, "thread", &text) && !take_threads(selection, text)) {
        page_refuse(answer, 400, "thread is no list of threads");
        buffer_text(&answer->cure,
                    "Give PROCESS:THREAD, or PROCESS:* for all its threads, with commas between several.");
        return false;
    }
    if (selection->ranged && !model_has_times(page->model)) {
        page_refuse(answer, 422, "this recording has no times");
        page_cure_record(answer, page->model, "calls");
        return false;
    }
    return true;
}

bool page_selection_view(const struct page_query *query, struct page_answer *answer, bool *physical)
{
    struct text text = text_of("logical");
    (void)page_query_text(query, "view", &text);
    *physical = text_equal(text, text_of("physical"));
    if (!*physical && !text_equal(text, text_of("logical"))) {
        page_refuse(answer, 400, "view is logical or physical");
        return false;
    }
    return true;
}

bool page_selects(const struct page_selection *selection, uint32_t process, uint32_t thread)
{
    const struct model_threads threads = page_selection_threads(selection);
    return model_threads_have(&threads, process, thread);
}

void page_selection_write(const struct page_selection *selection, const struct page *page, struct json *json)
{
    bool times = model_has_times(page->model);
    json_member_maybe(json, "from_ns", selection->from_ns, times);
    json_member_maybe(json, "to_ns", selection->to_ns, times);
}
