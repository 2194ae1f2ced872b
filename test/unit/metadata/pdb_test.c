// What a portable PDB says, from small ones made here, odd and broken ones among them. That real ones read as others
// read them is for test/oracle/metadata.
#include "dotnet.h"

#include <stdlib.h>

#include "made_pdb.h"
#include "metadata/pdb.h"

struct opened {
    struct buffer content;
    struct pdb pdb;
};

static void finish(struct made_pdb *made, struct opened *out)
{
    out->content = made_finish(made);
    assert_int_equal(pdb_open(bytes_of(out->content.data, out->content.size), &out->pdb), CLEW_OK);
}

static void assert_point(struct pdb_points *points, uint32_t il_offset, uint32_t document, uint32_t start_line,
                         uint32_t start_column, uint32_t end_line, uint32_t end_column)
{
    struct pdb_point point;
    assert_true(pdb_points_next(points, &point));
    assert_int_equal(point.il_offset, il_offset);
    assert_int_equal(point.document, document);
    assert_int_equal(point.hidden, start_line == 0);
    assert_int_equal(point.start_line, start_line);
    assert_int_equal(point.start_column, start_column);
    assert_int_equal(point.end_line, end_line);
    assert_int_equal(point.end_column, end_column);
}

static void assert_hidden(struct pdb_points *points, uint32_t il_offset, uint32_t document)
{
    assert_point(points, il_offset, document, 0, 0, 0, 0);
}

static void assert_end(struct pdb_points *points, bool damaged)
{
    struct pdb_point point;
    assert_false(pdb_points_next(points, &point));
    assert_false(pdb_points_next(points, &point));
    assert_int_equal(points->damaged, damaged);
}

static void add_documents(struct made_pdb *made, unsigned count)
{
    while (count--) {
        (void)made_row(made, TABLE_DOCUMENT, 0, 0, 0, 0);
    }
}

// Points of all widths: compressed integers take one, two or four bytes, signed ones too (ECMA-335 II.23.2).
static const uint8_t wide_points[] = {
    5,                                        // the local signature
    0,    0,    0x0A, 0x87, 0xD0, 9,          // at 0: line 2000, columns 9 to 19
    2,    0,    0,                            // at 2: hidden
    3,    1,    0x7D, 0x0A, 0x75,             // at 5: 5 lines down, 6 columns left; ends a line below, 2 columns left
    4,    0,    1,    0xB8, 0x31, 0x80, 0xC8, // at 9: 1,000 lines up, 100 columns right
    0x80, 0x80, 0,    1,    0xC0, 0x03, 0x0D, 0x40, // at 137: 100,000 lines down
    0xBF, 0x39,                                     // and 100 columns left
};

static void points_are_relative_to_the_one_before(void **state)
{
    (void)state;
    struct made_pdb made = {0};
    struct opened opened;
    add_documents(&made, 2);
    uint32_t method = made_method(&made, 2, made_blob(&made, wide_points, sizeof wide_points));
    finish(&made, &opened);
    struct pdb_points points = pdb_points_of(&opened.pdb, method);
    assert_point(&points, 0, 2, 2000, 9, 2000, 19);
    assert_hidden(&points, 2, 2);
    assert_point(&points, 5, 2, 2005, 3, 2006, 1);
    assert_point(&points, 9, 2, 1005, 103, 1005, 104);
    assert_point(&points, 137, 2, 101005, 3, 101005, 4);
    assert_end(&points, false);
    buffer_free(&opened.content);
}

static void a_method_may_have_several_documents(void **state)
{
    (void)state;
    struct made_pdb made = {0};
    struct opened opened;
    add_documents(&made, 3);
    uint32_t method = made_method(&made, 0,
                                  MADE_BLOB(&made, 0, 3,     // no local signature; document 3
                                            0, 0, 4, 7, 1,   // line 7
                                            0, 1,            // document 1
                                            5, 0, 4, 2, 0,   // line 8
                                            0, 2, 0, 3,      // document 2, no, 3
                                            1, 0, 0,         // hidden
                                            0, 99,           // one that there is not
                                            1, 0, 4, 2, 0)); // line 9
    finish(&made, &opened);
    struct pdb_points points = pdb_points_of(&opened.pdb, method);
    assert_point(&points, 0, 3, 7, 1, 7, 5);
    assert_point(&points, 5, 1, 8, 1, 8, 5);
    assert_hidden(&points, 6, 3);
    assert_point(&points, 7, 0, 9, 1, 9, 5);
    assert_end(&points, false);
    buffer_free(&opened.content);
}

static void methods_without_points_have_none(void **state)
{
    (void)state;
    struct made_pdb made = {0};
    struct opened opened;
    add_documents(&made, 1);
    uint32_t method = made_method(&made, 0, 0);
    finish(&made, &opened);
    const uint32_t tokens[] = {
        method, method + 1, TOKEN(TABLE_METHOD_DEF, 0), TOKEN(TABLE_METHOD_DEF, 0xFFFFFF), TOKEN(TABLE_TYPE_DEF, 1), 0};
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        struct pdb_points points = pdb_points_of(&opened.pdb, tokens[i]);
        assert_end(&points, false);
    }
    buffer_free(&opened.content);
}

static void points_that_cannot_be_are_left_out(void **state)
{
    (void)state;
    struct made_pdb made = {0};
    struct opened opened;
    add_documents(&made, 1);
    uint32_t odd = made_method(&made, 1,
                               MADE_BLOB(&made, 0,                             //
                                         0, 0, 1, 5, 5,                        // line 5
                                         1, 0, 1, 0x75, 0,                     // line -1
                                         1, 0, 1, 0x0C, 0,                     // line 5
                                         1, 0, 1, 0, 0xC0, 0x02, 0, 0,         // column 65,541
                                         1, 0, 1, 0, 0xDF, 0xFD, 0xFF, 0xF7,   // column 0
                                         1, 0, 1, 0xC1, 0xFD, 0xDF, 0xD2, 0)); // hidden, as others say it
    uint32_t far = made_method(&made, 1,
                               MADE_BLOB(&made, 0,                           //
                                         0xDF, 0xFF, 0xFF, 0xFF, 0, 1, 5, 5, // the last offset that there is
                                         1, 0, 1, 2, 0));                    // one more
    finish(&made, &opened);
    struct pdb_points points = pdb_points_of(&opened.pdb, odd);
    assert_point(&points, 0, 1, 5, 5, 5, 6);
    assert_point(&points, 2, 1, 5, 5, 5, 6);
    assert_point(&points, 4, 1, 5, 0, 5, 1);
    assert_hidden(&points, 5, 1);
    assert_end(&points, true);
    points = pdb_points_of(&opened.pdb, far);
    assert_point(&points, 0x1FFFFFFF, 1, 5, 5, 5, 6);
    assert_end(&points, true);
    buffer_free(&opened.content);
}

static void a_list_cut_anywhere_gives_what_was_whole(void **state)
{
    (void)state;
    for (size_t size = 1; size < sizeof wide_points; size++) {
        struct made_pdb made = {0};
        struct opened opened;
        add_documents(&made, 1);
        uint32_t method = made_method(&made, 1, made_blob(&made, wide_points, size));
        finish(&made, &opened);
        struct pdb_points points = pdb_points_of(&opened.pdb, method);
        struct pdb_point point;
        unsigned count = 0;
        while (pdb_points_next(&points, &point)) {
            count++;
        }
        assert_int_equal(count, (size >= 7) + (size >= 10) + (size >= 15) + (size >= 22));
        bool whole = size == 1 || size == 7 || size == 10 || size == 15 || size == 22;
        assert_int_equal(points.damaged, !whole);
        buffer_free(&opened.content);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_relative_to_the_one_before),
        cmocka_unit_test(a_method_may_have_several_documents),
        cmocka_unit_test(methods_without_points_have_none),
        cmocka_unit_test(points_that_cannot_be_are_left_out),
        cmocka_unit_test(a_list_cut_anywhere_gives_what_was_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
