// What a portable PDB says, from small ones made here, odd and broken ones among them. That real ones read as others
// read them is for test/oracle/metadata.
#include "dotnet.h"

#include <stdlib.h>

#include "made_pdb.h"
#include "metadata/pdb/pdb.h"

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

static void impossible_points_are_left_out(void **state)
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

static void a_cut_list_gives_its_whole_points(void **state)
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

static void assert_text(struct text text, const char *expected)
{
    assert_int_equal(text.size, strlen(expected));
    assert_memory_equal(text.at, expected, text.size);
}

static void assert_name(const struct pdb *pdb, uint32_t document, const char *expected)
{
    struct buffer name = {0};
    buffer_text(&name, "before:");
    assert_true(pdb_document_name(pdb, document, &name));
    assert_text((struct text){(char *)name.data + 7, name.size - 7}, expected);
    buffer_free(&name);
}

static void documents_have_names_of_parts(void **state)
{
    (void)state;
    struct made_pdb made = {0};
    struct opened opened;
    uint8_t first = (uint8_t)made_blob(&made, "home", 4), second = (uint8_t)made_blob(&made, "f.cs", 4);
    uint32_t hash = MADE_BLOB(&made, 1, 2, 3), csharp = made_guid(&made, "3f5162f807c611d3905300c04fa302a1"),
             sha1 = made_guid(&made, "ff1816ecaa5e4d1087f76f4963833460"),
             other = made_guid(&made, "00112233445566778899aabbccddeeff");
    const uint32_t names[] = {
        MADE_BLOB(&made, '/', 0, first, second), MADE_BLOB(&made, '\\', first, second),
        MADE_BLOB(&made, 0, first, second),      MADE_BLOB(&made, '/'),
        MADE_BLOB(&made, '/', first, 0xC0),      0, // a broken number; none
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        (void)made_row(&made, TABLE_DOCUMENT, names[i], i == 0 ? sha1 : other, i < 2 ? hash : 0, i == 0 ? csharp : 0);
    }
    finish(&made, &opened);
    assert_name(&opened.pdb, 1, "/home/f.cs");
    assert_name(&opened.pdb, 2, "home\\f.cs");
    assert_name(&opened.pdb, 3, "homef.cs");
    assert_name(&opened.pdb, 4, "");
    struct buffer kept = {0};
    struct pdb_document document;
    buffer_u8(&kept, 'k');
    for (uint32_t i = 5; i < 9; i++) {
        assert_false(pdb_document_name(&opened.pdb, i, &kept));
        assert_int_equal(kept.size, 1);
        assert_int_equal(pdb_document(&opened.pdb, i, &document), i < 7);
    }
    assert_true(pdb_document(&opened.pdb, 1, &document));
    assert_int_equal(document.language, LANGUAGE_CSHARP);
    assert_int_equal(document.hash_kind, HASH_SHA1);
    assert_int_equal(bytes_left(&document.hash), 3);
    assert_true(pdb_document(&opened.pdb, 2, &document));
    assert_int_equal(document.language, LANGUAGE_OTHER);
    assert_int_equal(document.hash_kind, HASH_OTHER);
    assert_true(pdb_document(&opened.pdb, 3, &document));
    assert_int_equal(document.hash_kind, HASH_NONE);
    buffer_free(&kept);
    buffer_free(&opened.content);
}

static void add_scope(struct made_pdb *made, uint32_t method, uint32_t start, uint32_t length)
{
    (void)made_row(made, TABLE_LOCAL_SCOPE, method, 0, made->counts[TABLE_LOCAL_VARIABLE - MADE_FIRST_TABLE] + 1,
                   made->counts[TABLE_LOCAL_CONSTANT - MADE_FIRST_TABLE] + 1, start, length);
}

static void add_variable(struct made_pdb *made, unsigned hidden, unsigned slot, const char *name)
{
    (void)made_row(made, TABLE_LOCAL_VARIABLE, hidden, slot, made_string(made, name));
}

static void assert_variable(const struct pdb *pdb, uint32_t row, const char *name)
{
    struct pdb_variable variable;
    assert_true(pdb_variable(pdb, row, &variable));
    assert_text(variable.name, name);
}

static uint32_t variable_stored(const struct pdb *pdb, uint32_t method, uint16_t slot, uint32_t il_offset,
                                uint32_t il_end)
{
    struct arena arena = {0};
    struct pdb_variables variables;
    assert_true(pdb_variables_of(pdb, method, &arena, &variables));
    uint32_t row = pdb_variables_stored(&variables, slot, il_offset, il_end);
    arena_free(&arena);
    return row;
}

static uint32_t variable_at(const struct pdb *pdb, uint32_t method, uint16_t slot, uint32_t il_offset)
{
    return variable_stored(pdb, method, slot, il_offset, il_offset);
}

static void a_slot_is_named_by_the_innermost_scope(void **state)
{
    (void)state;
    struct made_pdb made = {0};
    struct opened opened;
    const uint32_t method = TOKEN(TABLE_METHOD_DEF, 5);
    add_scope(&made, 3, 0, 50);
    add_variable(&made, 0, 0, "other");
    add_scope(&made, 5, 0, 100);
    add_variable(&made, 0, 0, "outer");
    add_variable(&made, 1, 1, "temporary");
    add_scope(&made, 5, 10, 20);
    add_variable(&made, 0, 0, "inner");
    add_scope(&made, 5, 12, 5);
    add_variable(&made, 0, 2, "deepest");
    add_scope(&made, 5, 40, 0xFFFFFFF0); // longer than can be
    add_variable(&made, 0, 3, "long");
    finish(&made, &opened);
    struct pdb *pdb = &opened.pdb;
    struct metadata_range scopes = pdb_scopes_of(pdb, method);
    assert_int_equal(scopes.end - scopes.first, 4);
    assert_variable(pdb, variable_at(pdb, method, 0, 0), "outer");
    assert_variable(pdb, variable_at(pdb, method, 0, 9), "outer");
    assert_variable(pdb, variable_at(pdb, method, 0, 10), "inner");
    assert_variable(pdb, variable_at(pdb, method, 0, 14), "inner");
    assert_variable(pdb, variable_at(pdb, method, 0, 29), "inner");
    assert_variable(pdb, variable_at(pdb, method, 0, 30), "outer");
    assert_variable(pdb, variable_at(pdb, method, 2, 16), "deepest");
    assert_int_equal(variable_at(pdb, method, 2, 17), 0);
    assert_int_equal(variable_at(pdb, method, 0, 100), 0);
    assert_variable(pdb, variable_at(pdb, method, 3, 0xFFFFFFFE), "long");
    assert_int_equal(variable_at(pdb, TOKEN(TABLE_METHOD_DEF, 4), 0, 0), 0);
    assert_int_equal(variable_at(pdb, TOKEN(TABLE_FIELD, 5), 0, 0), 0);
    // A store right before the scope, as F# has it; the scope at the store itself comes first.
    assert_variable(pdb, variable_stored(pdb, method, 2, 11, 12), "deepest");
    assert_int_equal(variable_stored(pdb, method, 2, 10, 11), 0);
    assert_variable(pdb, variable_stored(pdb, method, 0, 29, 30), "inner");
    struct pdb_variable variable;
    assert_true(pdb_variable(pdb, variable_at(pdb, method, 1, 0), &variable));
    assert_true(variable.hidden);
    assert_false(pdb_variable(pdb, 0, &variable));
    assert_false(pdb_variable(pdb, 99, &variable));
    struct pdb_scope scope;
    assert_false(pdb_scope(pdb, 0, &scope));
    assert_false(pdb_scope(pdb, 99, &scope));
    buffer_free(&opened.content);
}

// Thousands of blocks, one after the other, that give one slot to different variables, within an outer one.
static void variables_of_many_scopes(void **state)
{
    (void)state;
    enum { SCOPES = 1000, LENGTH = 10 };
    struct made_pdb made = {0};
    struct opened opened;
    add_scope(&made, 5, 0, SCOPES * LENGTH + LENGTH);
    add_variable(&made, 0, 1, "outer");
    for (unsigned i = 0; i < SCOPES; i++) {
        add_scope(&made, 5, i * LENGTH, LENGTH / 2);
        add_variable(&made, 0, 0, "block");
        add_variable(&made, 0, 1, "hides");
    }
    finish(&made, &opened);
    struct arena arena = {0};
    struct pdb_variables variables;
    assert_true(pdb_variables_of(&opened.pdb, TOKEN(TABLE_METHOD_DEF, 5), &arena, &variables));
    for (unsigned i = 0; i < SCOPES; i++) {
        assert_int_equal(pdb_variables_at(&variables, 0, i * LENGTH), 2 + 2 * i);
        assert_int_equal(pdb_variables_at(&variables, 1, i * LENGTH + LENGTH / 2 - 1), 3 + 2 * i);
        assert_int_equal(pdb_variables_at(&variables, 0, i * LENGTH + LENGTH / 2), 0);
        assert_int_equal(pdb_variables_at(&variables, 1, i * LENGTH + LENGTH / 2), 1);
    }
    arena_free(&arena);
    buffer_free(&opened.content);
}

static void scopes_out_of_order_are_not_given(void **state)
{
    (void)state;
    struct made_pdb made = {0};
    struct opened opened;
    add_scope(&made, 5, 0, 100);
    add_variable(&made, 0, 0, "x");
    add_scope(&made, 3, 0, 50);
    finish(&made, &opened);
    assert_int_equal(variable_at(&opened.pdb, TOKEN(TABLE_METHOD_DEF, 5), 0, 0), 0);
    buffer_free(&opened.content);
}

static void constants_have_typed_values(void **state)
{
    (void)state;
    struct made_pdb made = {0};
    struct opened opened;
    const struct {
        uint32_t blob;
        enum pdb_constant_kind kind;
        uint64_t bits;
        uint32_t type;
        size_t size;
    } expected[] = {
        {MADE_BLOB(&made, ELEMENT_BOOLEAN, 1), PDB_CONSTANT_BOOLEAN, 1, 0, 0},
        {MADE_BLOB(&made, ELEMENT_CHAR, 'x', 0x27), PDB_CONSTANT_CHARACTER, 0x2778, 0, 0},
        {MADE_BLOB(&made, ELEMENT_I1, 0xFE), PDB_CONSTANT_SIGNED, (uint64_t)-2, 0, 0},
        {MADE_BLOB(&made, ELEMENT_U1, 0xFE), PDB_CONSTANT_UNSIGNED, 0xFE, 0, 0},
        {MADE_BLOB(&made, ELEMENT_I2, 0, 0x80), PDB_CONSTANT_SIGNED, (uint64_t)-32768, 0, 0},
        {MADE_BLOB(&made, ELEMENT_I4, 1, 0, 0, 0x80), PDB_CONSTANT_SIGNED, 0xFFFFFFFF80000001, 0, 0},
        {MADE_BLOB(&made, ELEMENT_I8, 1, 0, 0, 0, 0, 0, 0, 0x80), PDB_CONSTANT_SIGNED, 0x8000000000000001, 0, 0},
        {MADE_BLOB(&made, ELEMENT_R4, 0, 0, 0xC0, 0x3F), PDB_CONSTANT_SINGLE, 0x3FC00000, 0, 0},
        // An enumeration: TypeRef 1.
        {MADE_BLOB(&made, ELEMENT_I4, 5, 0, 0, 0, 5), PDB_CONSTANT_SIGNED, 5, TOKEN(TABLE_TYPE_REF, 1), 0},
        {MADE_BLOB(&made, ELEMENT_STRING), PDB_CONSTANT_STRING, 0, 0, 0},
        {MADE_BLOB(&made, ELEMENT_STRING, 'x', 0), PDB_CONSTANT_STRING, 0, 0, 2},
        {MADE_BLOB(&made, ELEMENT_STRING, 0xFF), PDB_CONSTANT_NULL, 0, 0, 0},
        {MADE_BLOB(&made, ELEMENT_OBJECT), PDB_CONSTANT_NULL, 0, 0, 0},
        {MADE_BLOB(&made, ELEMENT_CLASS, 8), PDB_CONSTANT_NULL, 0, TOKEN(TABLE_TYPE_DEF, 2), 0},
        {MADE_BLOB(&made, ELEMENT_VALUE_TYPE, 8), PDB_CONSTANT_DEFAULT, 0, TOKEN(TABLE_TYPE_DEF, 2), 0},
        {MADE_BLOB(&made, ELEMENT_VALUE_TYPE, 8, 9, 0, 0, 0, 0, 0, 0, 1), PDB_CONSTANT_DATE_TIME, 0x0100000000000009,
         TOKEN(TABLE_TYPE_DEF, 2), 0},
        {MADE_BLOB(&made, ELEMENT_VALUE_TYPE, 8, 0x82, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), PDB_CONSTANT_DECIMAL, 0,
         TOKEN(TABLE_TYPE_DEF, 2), 13},
        // Behind two modifiers.
        {MADE_BLOB(&made, ELEMENT_MODIFIER_OPTIONAL, 5, ELEMENT_MODIFIER_REQUIRED, 0x80, 0x81, ELEMENT_U1, 7),
         PDB_CONSTANT_UNSIGNED, 7, 0, 0},
        // What is none.
        {0, PDB_CONSTANT_UNKNOWN, 0, 0, 0},
        {MADE_BLOB(&made, ELEMENT_I4, 5, 0, 0), PDB_CONSTANT_UNKNOWN, 0, 0, 0},
        {MADE_BLOB(&made, ELEMENT_I4, 5, 0, 0, 0, 3), PDB_CONSTANT_UNKNOWN, 0, 0, 0},
        {MADE_BLOB(&made, ELEMENT_STRING, 'x'), PDB_CONSTANT_UNKNOWN, 0, 0, 0},
        {MADE_BLOB(&made, ELEMENT_VALUE_TYPE, 8, 1), PDB_CONSTANT_UNKNOWN, 0, 0, 0},
        {MADE_BLOB(&made, ELEMENT_SZARRAY, ELEMENT_I4), PDB_CONSTANT_UNKNOWN, 0, 0, 0},
        {MADE_BLOB(&made, ELEMENT_MODIFIER_OPTIONAL), PDB_CONSTANT_UNKNOWN, 0, 0, 0},
    };
    enum { COUNT = sizeof expected / sizeof *expected };
    for (unsigned i = 0; i < COUNT; i++) {
        (void)made_row(&made, TABLE_LOCAL_CONSTANT, made_string(&made, "name"), expected[i].blob);
    }
    finish(&made, &opened);
    struct pdb_constant constant;
    for (unsigned i = 0; i < COUNT; i++) {
        assert_true(pdb_constant(&opened.pdb, i + 1, &constant));
        assert_text(constant.name, "name");
        assert_int_equal(constant.kind, expected[i].kind);
        assert_int_equal(constant.bits, expected[i].bits);
        assert_int_equal(constant.type, expected[i].type);
        assert_int_equal(bytes_left(&constant.value), expected[i].size);
    }
    assert_false(pdb_constant(&opened.pdb, 0, &constant));
    assert_false(pdb_constant(&opened.pdb, COUNT + 1, &constant));
    buffer_free(&opened.content);
}

static const char hoisted_scopes[] = "6da9a61ef8c74874be6268bc5630df71",
                  async_steps[] = "54fd2ac5e925401a9c2af94f171072f8",
                  tuple_names[] = "ed9fdf71887947478ed3fe5ede3ce710",
                  embedded_source[] = "0e8a571b6926466eb4ad8ab04611f5fe";

// HasCustomDebugInformation
enum { OF_METHOD = 0, OF_DOCUMENT = 22, OF_VARIABLE = 24 };

static void add_custom(struct made_pdb *made, uint32_t row, uint32_t tag, const char *kind, uint32_t blob)
{
    (void)made_row(made, TABLE_CUSTOM_DEBUG_INFORMATION, row << 5 | tag, made_guid(made, kind), blob);
}

static void state_machines_lead_to_their_methods(void **state)
{
    (void)state;
    struct made_pdb made = {0};
    struct opened opened;
    const uint32_t body = TOKEN(TABLE_METHOD_DEF, 9);
    struct pdb_il_range range;
    struct pdb_awaits awaits;
    struct pdb_await await;
    (void)made_row(&made, TABLE_STATE_MACHINE_METHOD, 7, 1);
    (void)made_row(&made, TABLE_STATE_MACHINE_METHOD, 9, 2);
    add_custom(&made, 9, OF_METHOD, hoisted_scopes,
               MADE_BLOB(&made, 1, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 1));
    add_custom(&made, 9, OF_METHOD, async_steps,
               MADE_BLOB(&made, 8, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 9, 5, 0, 0, 0, 6, 0, 0, 0, 0x80, 0x81, 7));
    add_custom(&made, 10, OF_METHOD, async_steps, MADE_BLOB(&made, 0, 0, 0, 0));
    finish(&made, &opened);
    assert_int_equal(pdb_kickoff(&opened.pdb, body), TOKEN(TABLE_METHOD_DEF, 2));
    assert_int_equal(pdb_kickoff(&opened.pdb, TOKEN(TABLE_METHOD_DEF, 8)), 0);
    assert_int_equal(pdb_kickoff(&opened.pdb, TOKEN(TABLE_FIELD, 9)), 0);
    assert_true(pdb_hoisted_scope(&opened.pdb, body, 0, &range));
    assert_int_equal(range.start, 1);
    assert_int_equal(range.end, 6);
    assert_false(pdb_hoisted_scope(&opened.pdb, body, 1, &range)); // empty: no source variable
    assert_false(pdb_hoisted_scope(&opened.pdb, body, 2, &range)); // longer than can be
    assert_false(pdb_hoisted_scope(&opened.pdb, body, 3, &range));
    assert_false(pdb_hoisted_scope(&opened.pdb, body, 0xFFFFFFFF, &range));
    assert_true(pdb_awaits_of(&opened.pdb, body, &awaits));
    assert_int_equal(awaits.catch_handler, 7);
    assert_true(pdb_awaits_next(&awaits, &await));
    assert_int_equal(await.yield, 3);
    assert_int_equal(await.resume, 4);
    assert_int_equal(await.resume_method, body);
    assert_true(pdb_awaits_next(&awaits, &await));
    assert_int_equal(await.resume_method, TOKEN(TABLE_METHOD_DEF, 0x81));
    assert_false(pdb_awaits_next(&awaits, &await)); // one byte is left
    assert_false(pdb_awaits_next(&awaits, &await));
    assert_true(pdb_awaits_of(&opened.pdb, TOKEN(TABLE_METHOD_DEF, 10), &awaits));
    assert_int_equal(awaits.catch_handler, PDB_NO_OFFSET);
    assert_false(pdb_awaits_of(&opened.pdb, TOKEN(TABLE_METHOD_DEF, 11), &awaits));
    buffer_free(&opened.content);
}

// Custom information in the order that the specification asks for, and in another.
static void custom_information_is_found_in_any_order(void **state)
{
    (void)state;
    for (unsigned sorted = 0; sorted < 2; sorted++) {
        struct made_pdb made = {0};
        struct opened opened;
        uint32_t first = MADE_BLOB(&made, 0, 0, 0, 0), second = MADE_BLOB(&made, 8, 0, 0, 0);
        add_custom(&made, sorted ? 3 : 9, OF_METHOD, async_steps, sorted ? first : second);
        add_custom(&made, sorted ? 9 : 3, OF_METHOD, async_steps, sorted ? second : first);
        finish(&made, &opened);
        assert_int_equal(opened.pdb.sorted_custom, sorted);
        struct bytes blob = pdb_custom(&opened.pdb, TOKEN(TABLE_METHOD_DEF, 9), PDB_CUSTOM_ASYNC_STEPS);
        assert_int_equal(bytes_left(&blob), 4);
        assert_int_equal(*blob.at, 8);
        blob = pdb_custom(&opened.pdb, TOKEN(TABLE_METHOD_DEF, 9), PDB_CUSTOM_HOISTED_SCOPES);
        assert_int_equal(bytes_left(&blob), 0);
        blob = pdb_custom(&opened.pdb, 0x70000001, PDB_CUSTOM_ASYNC_STEPS); // a token of no table
        assert_int_equal(bytes_left(&blob), 0);
        buffer_free(&opened.content);
    }
}

static void tuple_names_are_a_list(void **state)
{
    (void)state;
    struct made_pdb made = {0};
    struct opened opened;
    struct text name;
    (void)made_row(&made, TABLE_LOCAL_VARIABLE, 0, 0, made_string(&made, "x"));
    add_custom(&made, 1, OF_VARIABLE, tuple_names, made_blob(&made, "a\0\0bc\0d", 7));
    finish(&made, &opened);
    struct bytes names = pdb_custom(&opened.pdb, TOKEN(TABLE_LOCAL_VARIABLE, 1), PDB_CUSTOM_TUPLE_NAMES);
    const char *const expected[] = {"a", "", "bc"};
    for (unsigned i = 0; i < 3; i++) {
        assert_true(pdb_tuple_names_next(&names, &name));
        assert_text(name, expected[i]);
    }
    assert_false(pdb_tuple_names_next(&names, &name)); // not terminated
    buffer_free(&opened.content);
}

static void sources_may_be_embedded(void **state)
{
    (void)state;
    struct made_pdb made = {0};
    struct opened opened;
    struct pdb_source source;
    add_documents(&made, 5);
    add_custom(&made, 1, OF_DOCUMENT, embedded_source, MADE_BLOB(&made, 0, 0, 0, 0, 'x', 'y'));
    add_custom(&made, 2, OF_DOCUMENT, embedded_source, MADE_BLOB(&made, 9, 1, 0, 0, 'z'));
    add_custom(&made, 3, OF_DOCUMENT, embedded_source, MADE_BLOB(&made, 0, 0, 0, 0x80, 'z')); // reserved
    add_custom(&made, 4, OF_DOCUMENT, embedded_source, MADE_BLOB(&made, 0, 0, 0));
    finish(&made, &opened);
    assert_true(pdb_embedded_source(&opened.pdb, 1, &source));
    assert_int_equal(source.size, 2);
    assert_false(source.packed);
    assert_int_equal(bytes_left(&source.content), 2);
    assert_true(pdb_embedded_source(&opened.pdb, 2, &source));
    assert_int_equal(source.size, 265);
    assert_true(source.packed);
    assert_int_equal(bytes_left(&source.content), 1);
    for (uint32_t i = 3; i < 8; i++) {
        assert_false(pdb_embedded_source(&opened.pdb, i, &source));
    }
    assert_false(pdb_embedded_source(&opened.pdb, 0, &source));
    buffer_free(&opened.content);
}

static void files_that_are_not_pdbs_are_refused(void **state)
{
    (void)state;
    struct pdb pdb;
    struct buffer module = file_read("test/fuzz/corpus/metadata/VisualBasic.dll");
    uint8_t *root = memmem(module.data, module.size, "BSJB", 4);
    assert_non_null(root);
    size_t size = module.size - (size_t)(root - module.data);
    assert_int_equal(pdb_open(bytes_of(root, size), &pdb), CLEW_MALFORMED); // metadata, but without #Pdb
    assert_int_equal(pdb_open(bytes_of(NULL, 0), &pdb), CLEW_MALFORMED);
    buffer_free(&module);
    struct made_pdb made = {0};
    struct opened opened;
    add_documents(&made, 3);
    finish(&made, &opened);
    assert_int_equal(opened.pdb.id[0], 1);
    assert_int_equal(opened.pdb.id[19], 20);
    assert_int_equal(opened.pdb.entry_point, TOKEN(TABLE_METHOD_DEF, 7));
    for (size_t cut = 0; cut < opened.content.size - 1; cut++) {
        uint8_t *copy = malloc(cut + 1); // its own, so that a sanitizer watches its end
        assert_non_null(copy);
        memcpy(copy, opened.content.data, cut);
        assert_int_equal(pdb_open(bytes_of(copy, cut), &pdb), CLEW_MALFORMED);
        free(copy);
    }
    buffer_free(&opened.content);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_relative_to_the_one_before),
        cmocka_unit_test(a_method_may_have_several_documents),
        cmocka_unit_test(methods_without_points_have_none),
        cmocka_unit_test(impossible_points_are_left_out),
        cmocka_unit_test(a_cut_list_gives_its_whole_points),
        cmocka_unit_test(documents_have_names_of_parts),
        cmocka_unit_test(a_slot_is_named_by_the_innermost_scope),
        cmocka_unit_test(variables_of_many_scopes),
        cmocka_unit_test(scopes_out_of_order_are_not_given),
        cmocka_unit_test(constants_have_typed_values),
        cmocka_unit_test(state_machines_lead_to_their_methods),
        cmocka_unit_test(custom_information_is_found_in_any_order),
        cmocka_unit_test(tuple_names_are_a_list),
        cmocka_unit_test(sources_may_be_embedded),
        cmocka_unit_test(files_that_are_not_pdbs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
