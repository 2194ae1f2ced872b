// The contents of a box apply from the event that records them up to the next record of it, a loss, or the end of the block.
#include "model/events/boxes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { BOX = 7, OTHER = 9, EVENTS = 8 };

static const uint32_t box_cells[] = {10, 11, 20, 21, 22, 30};

// Event 3 says that events are missing.
static struct recording_events block(const struct recording_box *boxes, uint32_t count)
{
    static struct recording_event events[EVENTS];
    for (uint32_t i = 0; i < EVENTS; i++) {
        events[i].kind = i == 3 ? RECORDING_LOST : RECORDING_AT_SITE;
    }
    return (struct recording_events){.count = EVENTS,
                                     .events = events,
                                     .box_count = count,
                                     .boxes = boxes,
                                     .box_cell_count = sizeof box_cells / sizeof *box_cells,
                                     .box_cells = box_cells};
}

static void expect(const struct boxes *boxes, uint32_t object, uint32_t size, uint32_t first_cell)
{
    const uint32_t *cells = NULL;
    uint32_t found = 0;
    assert_true(boxes_find(boxes, object, &cells, &found));
    assert_int_equal(found, size);
    assert_int_equal(cells[0], first_cell);
}

static void expect_unknown(const struct boxes *boxes, uint32_t object)
{
    const uint32_t *cells;
    uint32_t size;
    assert_false(boxes_find(boxes, object, &cells, &size));
}

static struct boxes *boxes_of(const struct recording_events *block, uint32_t from, uint32_t to)
{
    struct boxes *boxes = NULL;
    assert_int_equal(boxes_new(block, from, to, &boxes), CLEW_OK);
    return boxes;
}

static void the_newest_content_of_a_box_holds(void **state)
{
    (void)state;
    const struct recording_box recorded[] = {{1, BOX, 8, 0}, {4, BOX, 12, 2}, {4, OTHER, 4, 5}};
    struct recording_events whole = block(recorded, 3);
    struct boxes *boxes = boxes_of(&whole, 0, EVENTS);
    assert_true(boxes_reach(boxes, 0));
    expect_unknown(boxes, BOX);
    assert_true(boxes_reach(boxes, 1));
    expect(boxes, BOX, 8, 10);
    expect_unknown(boxes, OTHER);
    assert_true(boxes_reach(boxes, 7)); // events between need not be asked for
    expect(boxes, BOX, 12, 20);
    expect(boxes, OTHER, 4, 30);
    boxes_free(boxes);
}

static void a_loss_makes_boxes_unknown_until_their_next_content(void **state)
{
    (void)state;
    const struct recording_box recorded[] = {{1, BOX, 8, 0}, {4, BOX, 12, 2}};
    struct recording_events whole = block(recorded, 2);
    struct boxes *boxes = boxes_of(&whole, 0, EVENTS);
    assert_true(boxes_reach(boxes, 3));
    boxes_forget(boxes);
    expect_unknown(boxes, BOX);
    assert_true(boxes_reach(boxes, 4));
    expect(boxes, BOX, 12, 20);
    boxes_free(boxes);
}

static void earlier_contents_hold_again_where_they_did(void **state)
{
    (void)state;
    const struct recording_box recorded[] = {{1, BOX, 8, 0}, {2, BOX, 12, 2}, {5, OTHER, 4, 5}};
    struct recording_events whole = block(recorded, 3);
    struct boxes *boxes = boxes_of(&whole, 0, EVENTS);
    struct boxes_mark marks[EVENTS];
    for (uint32_t i = 0; i < EVENTS; i++) {
        marks[i] = boxes_mark(boxes);
        assert_true(boxes_reach(boxes, i));
        if (i == 3) {
            boxes_forget(boxes);
        }
    }
    expect_unknown(boxes, BOX);
    expect(boxes, OTHER, 4, 30);
    assert_true(boxes_return(boxes, marks[2]));
    expect(boxes, BOX, 8, 10);
    expect_unknown(boxes, OTHER);
    assert_true(boxes_return(boxes, marks[1]));
    expect_unknown(boxes, BOX);
    assert_true(boxes_return(boxes, marks[3])); // and on again
    expect(boxes, BOX, 12, 20);
    assert_true(boxes_return(boxes, marks[4]));
    expect_unknown(boxes, BOX);
    assert_true(boxes_return(NULL, boxes_mark(NULL)));
    boxes_free(boxes);
}

static void a_part_begins_with_the_contents_that_hold(void **state)
{
    (void)state;
    const struct recording_box recorded[] = {{1, BOX, 8, 0}, {2, OTHER, 12, 2}};
    struct recording_events whole = block(recorded, 2);
    struct boxes *boxes = boxes_of(&whole, 2, 3);
    assert_true(boxes_reach(boxes, 2));
    expect(boxes, BOX, 8, 10);
    expect(boxes, OTHER, 12, 20);
    boxes_free(boxes);
    // Not what was recorded before the loss, and not what is recorded behind the part.
    const struct recording_box around[] = {{1, BOX, 8, 0}, {4, OTHER, 12, 2}, {6, BOX, 4, 5}};
    whole = block(around, 3);
    boxes = boxes_of(&whole, 5, 6);
    assert_true(boxes_reach(boxes, 5));
    expect_unknown(boxes, BOX);
    expect(boxes, OTHER, 12, 20);
    boxes_free(boxes);
}

static void a_box_that_was_too_large_is_known_to_be(void **state)
{
    (void)state;
    const struct recording_box recorded[] = {{0, BOX, 0, 6}}; // behind the last cell, where there is nothing to read
    struct recording_events whole = block(recorded, 1);
    struct boxes *boxes = boxes_of(&whole, 0, EVENTS);
    assert_true(boxes_reach(boxes, 0));
    const uint32_t *cells;
    uint32_t size = 1;
    assert_true(boxes_find(boxes, BOX, &cells, &size));
    assert_int_equal(size, 0);
    boxes_free(boxes);
}

static void without_boxes_no_memory_is_used(void **state)
{
    (void)state;
    const struct recording_box recorded[] = {{6, BOX, 8, 0}};
    struct recording_events whole = block(recorded, 1), none = block(NULL, 0);
    assert_int_equal(boxes_size(&none, 0, EVENTS), 0);
    assert_int_equal(boxes_size(&whole, 0, 6), 0);
    assert_true(boxes_size(&whole, 0, 7) >= sizeof *recorded + 2 * sizeof *box_cells);
    assert_null(boxes_of(&none, 0, EVENTS));
    struct boxes *boxes = boxes_of(&whole, 0, 6);
    assert_null(boxes);
    assert_true(boxes_reach(boxes, 5));
    boxes_forget(boxes);
    expect_unknown(boxes, BOX);
    boxes_free(boxes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_content_of_a_box_holds),
        cmocka_unit_test(a_loss_makes_boxes_unknown_until_their_next_content),
        cmocka_unit_test(earlier_contents_hold_again_where_they_did),
        cmocka_unit_test(a_part_begins_with_the_contents_that_hold),
        cmocka_unit_test(a_box_that_was_too_large_is_known_to_be),
        cmocka_unit_test(without_boxes_no_memory_is_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
