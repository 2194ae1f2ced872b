// Lists of names as Roslyn writes them, put where they belong in the type. What the lists are was read out of a compiled
// program: a tuple's own names first, then those of its items; the tuple of the rest has empty ones of its own.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../il/made_metadata.h"
#include "metadata/names/names_tuple.h"
#include "metadata/tables/signature.h"

// TypeRefs by row, as signatures name them.
#define PAIR 0x15, 0x11, 1 << 2 | 1, 2
#define EIGHT 0x15, 0x11, 2 << 2 | 1, 8
#define SINGLE 0x15, 0x11, 3 << 2 | 1, 1
#define LIST 0x15, 0x12, 4 << 2 | 1, 1
#define MAP 0x15, 0x12, 5 << 2 | 1, 2
#define OTHER_PAIR 0x15, 0x11, 6 << 2 | 1, 2
#define NULLABLE 0x15, 0x11, 7 << 2 | 1, 1
#define INT 0x08
#define TEXT 0x0E
#define ARRAY_OF 0x1D

static struct made_metadata module;
static uint32_t item_1, item_7, rest, other_item, length, of_list, of_parameter;

static int make_module(void **state)
{
    (void)state;
    made_begin(&module);
    made_type_ref(&module, "System", "ValueTuple`2");
    made_type_ref(&module, "System", "ValueTuple`8");
    made_type_ref(&module, "System", "ValueTuple`1");
    made_type_ref(&module, "System.Collections.Generic", "List`1");
    made_type_ref(&module, "System.Collections.Generic", "Dictionary`2");
    made_type_ref(&module, "Mine", "ValueTuple`2");
    made_type_ref(&module, "System", "Nullable`1");
    uint32_t pair = made_signature_row(&module, TABLE_TYPE_SPEC, SIG(PAIR, INT, TEXT));
    uint32_t eight =
        made_signature_row(&module, TABLE_TYPE_SPEC, SIG(EIGHT, INT, INT, INT, INT, INT, INT, INT, SINGLE, INT));
    uint32_t other = made_signature_row(&module, TABLE_TYPE_SPEC, SIG(OTHER_PAIR, INT, TEXT));
    uint32_t list = made_signature_row(&module, TABLE_TYPE_SPEC, SIG(LIST, PAIR, INT, TEXT));
    item_1 = made_member(&module, pair, "Item1", SIG(6, 0x13, 0));
    item_7 = made_member(&module, eight, "Item7", SIG(6, 0x13, 6));
    rest = made_member(&module, eight, "Rest", SIG(6, 0x13, 7));
    other_item = made_member(&module, other, "Item1", SIG(6, 0x13, 0));
    length = made_member(&module, pair, "Item12", SIG(6, INT));
    of_list = made_member(&module, list, "_items", SIG(6, ARRAY_OF, 0x13, 0));
    of_parameter = made_member(&module, list, "value", SIG(6, 0x13, 0));
    made_open(&module);
    return 0;
}

static int free_module(void **state)
{
    (void)state;
    made_free(&module);
    return 0;
}

// Words, `-` for none.
static bool take_word(struct bytes *names, struct text *name)
{
    struct text rest_of_them = {(const char *)names->at, bytes_left(names)};
    if (rest_of_them.size == 0) {
        return false;
    }
    *name = text_take_word(&rest_of_them);
    names->at = names->end - rest_of_them.size;
    name->size = text_equal(*name, text_of("-")) ? 0 : name->size;
    return true;
}

static void expect(struct bytes signature, const char *words, const char *expected)
{
    struct buffer out = {0};
    names_tuple_append(&module.metadata, signature, bytes_of(words, strlen(words)), take_word, &out);
    buffer_u8(&out, 0);
    assert_string_equal((const char *)out.data, expected);
    buffer_free(&out);
}

static void names_belong_to_their_items(void **state)
{
    (void)state;
    expect(SIG(PAIR, INT, TEXT), "Count Name", "(Count,Name)");
    expect(SIG(PAIR, INT, TEXT), "- Name", "(,Name)");
    expect(SIG(PAIR, INT, TEXT), "a<b Name", "(,Name)");
    expect(SIG(PAIR, PAIR, INT, TEXT, PAIR, INT, TEXT), "- k - - x y", "(,k(x,y))");
    expect(SIG(PAIR, INT, LIST, PAIR, INT, INT), "a l b c", "(a,l<(b,c)>)");
}

static void names_pass_through_types_that_contain_tuples(void **state)
{
    (void)state;
    expect(SIG(ARRAY_OF, ARRAY_OF, PAIR, INT, TEXT), "a b", "(a,b)");
    expect(SIG(0x10, PAIR, INT, TEXT), "a b", "(a,b)");
    expect(SIG(0x14, PAIR, INT, TEXT, 2, 0, 0), "a b", "(a,b)");
    expect(SIG(NULLABLE, PAIR, INT, TEXT), "a b", "<(a,b)>");
    expect(SIG(MAP, TEXT, PAIR, INT, TEXT), "a b", "<,(a,b)>");
    expect(SIG(MAP, OTHER_PAIR, INT, INT, PAIR, INT, TEXT), "a b", "<,(a,b)>");
    expect(SIG(0x1F, 1, PAIR, INT, TEXT), "a b", "(a,b)"); // behind a modifier
}

static void many_items_go_to_the_rest(void **state)
{
    (void)state;
    expect(SIG(EIGHT, INT, INT, INT, INT, INT, INT, INT, SINGLE, INT), "a b c d e f g h -", "(a,b,c,d,e,f,g,(h))");
    expect(SIG(EIGHT, INT, INT, INT, INT, INT, INT, INT, PAIR, INT, PAIR, INT, INT), "a b c d e f g h i - - x y",
           "(a,b,c,d,e,f,g,(h,i(x,y)))");
    expect(SIG(EIGHT, INT, INT, INT, INT, INT, INT, INT, EIGHT, INT, INT, INT, INT, INT, INT, INT, SINGLE, INT),
           "a b c d e f g h i j k l m n o - - - - - - - - -", "(a,b,c,d,e,f,g,(h,i,j,k,l,m,n,(o)))");
    expect(SIG(EIGHT, INT, INT, INT, INT, INT, INT, INT, INT), "", ""); // no tuple to the compiler
}

static void lists_that_do_not_fit_give_no_names(void **state)
{
    (void)state;
    expect(SIG(PAIR, INT, TEXT), "a", "");
    expect(SIG(PAIR, INT, TEXT), "a b c", "");
    expect(SIG(PAIR, INT, TEXT), "- -", "");
    expect(SIG(INT), "a", "");
    expect(SIG(PAIR, INT), "a b", "");
    expect(SIG(0x1B, 0, 0, 0x01), "a b", ""); // a function pointer
    struct buffer deep = {0};
    for (int i = 0; i < 200; i++) {
        buffer_append(&deep, (const uint8_t[]){LIST}, 4);
    }
    buffer_append(&deep, (const uint8_t[]){PAIR, INT, TEXT}, 6);
    expect(bytes_of(deep.data, deep.size), "a b", "");
    buffer_free(&deep);
}

static void fields_of_tuples_are_known(void **state)
{
    (void)state;
    assert_int_equal(names_tuple_item(&module.metadata, item_1), 1);
    assert_int_equal(names_tuple_item(&module.metadata, item_7), 7);
    assert_int_equal(names_tuple_item(&module.metadata, rest), 8);
    assert_int_equal(names_tuple_item(&module.metadata, other_item), 0);
    assert_int_equal(names_tuple_item(&module.metadata, length), 0);
    assert_int_equal(names_tuple_item(&module.metadata, of_list), 0);
    assert_int_equal(names_tuple_item(&module.metadata, TOKEN(TABLE_FIELD, 1)), 0);
}

static void fields_of_type_parameters_name_their_argument(void **state)
{
    (void)state;
    struct buffer out = {0};
    names_tuple_of_field(&module.metadata, of_parameter, &out);
    names_tuple_of_field(&module.metadata, of_list, &out); // another module's: nothing is known
    buffer_u8(&out, 0);
    assert_string_equal((const char *)out.data, "!0");
    buffer_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_belong_to_their_items), cmocka_unit_test(names_pass_through_types_that_contain_tuples),
        cmocka_unit_test(many_items_go_to_the_rest),   cmocka_unit_test(lists_that_do_not_fit_give_no_names),
        cmocka_unit_test(fields_of_tuples_are_known),  cmocka_unit_test(fields_of_type_parameters_name_their_argument),
    };
    return cmocka_run_group_tests(tests, make_module, free_module);
}
