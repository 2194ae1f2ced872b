// Heaps yield items in order, and say where items are.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include "base/heap.h"

enum { ITEMS = 200 };

// Larger than what is swapped at once.
struct item {
    uint32_t key, number;
    char filler[100];
};

struct asked {
    bool backwards;
    size_t places[ITEMS]; // by number
};

static bool is_before(const void *context, const void *a, const void *b)
{
    const struct asked *asked = context;
    const struct item *left = a, *right = b;
    return asked->backwards ? left->key > right->key : left->key < right->key;
}

static void note_place(void *context, const void *item, size_t at)
{
    struct asked *asked = context;
    asked->places[((const struct item *)item)->number] = at;
}

static const struct heap_kind kind = {.size = sizeof(struct item), .before = is_before, .placed = note_place};

static struct item made(uint32_t number)
{
    struct item item = {.key = 1 + (ITEMS - number) * 7919 % 61, .number = number};
    memset(item.filler, (int)number, sizeof item.filler);
    return item;
}

static void expect_places(const struct heap *heap, const struct asked *asked)
{
    const struct item *items = heap->items;
    for (size_t i = 0; i < heap->count; i++) {
        assert_int_equal(asked->places[items[i].number], i);
    }
}

// Takes all items out, each of which must be whole.
static void expect_order(struct heap *heap, const struct asked *asked)
{
    struct item *items = heap->items, before = items[0];
    while (heap->count > 0) {
        const struct item expected = made(items[0].number);
        assert_memory_equal(&items[0], &expected, sizeof expected);
        assert_false(is_before(asked, &items[0], &before));
        before = items[0];
        items[0] = items[--heap->count];
        heap_sink(&kind, heap, 0);
    }
}

static void items_in_any_order_become_a_heap(void **state)
{
    (void)state;
    static struct item items[ITEMS];
    for (uint32_t backwards = 0; backwards < 2; backwards++) {
        for (uint32_t count = 1; count <= ITEMS; count += 33) {
            struct asked asked = {.backwards = backwards};
            struct heap heap = {.items = items, .count = count, .context = &asked};
            for (uint32_t i = 0; i < count; i++) {
                items[i] = made(i);
                asked.places[i] = i;
            }
            heap_make(&kind, &heap);
            expect_places(&heap, &asked);
            expect_order(&heap, &asked);
        }
    }
}

static void items_are_added_and_moved(void **state)
{
    (void)state;
    static struct item items[ITEMS];
    struct asked asked = {0};
    struct heap heap = {.items = items, .context = &asked};
    for (uint32_t i = 0; i < ITEMS; i++) {
        items[i] = made(i);
        asked.places[i] = i;
        heap.count++;
        size_t at = heap_rise(&kind, &heap, i);
        assert_int_equal(items[at].number, i);
    }
    for (uint32_t i = 0; i < ITEMS; i++) { // each comes first once, and goes back
        items[asked.places[i]].key = 0;
        assert_int_equal(heap_rise(&kind, &heap, asked.places[i]), 0);
        items[0].key = made(i).key;
        heap_sink(&kind, &heap, 0);
        expect_places(&heap, &asked);
    }
    expect_order(&heap, &asked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_in_any_order_become_a_heap),
        cmocka_unit_test(items_are_added_and_moved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
