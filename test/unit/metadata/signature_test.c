// Signature blobs, written out by hand from ECMA-335 II.23.2.
#include "dotnet.h"

#include "metadata/tables/metadata.h"
#include "metadata/tables/signature.h"

#define BLOB(...) bytes_of((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void compressed_integers_have_three_lengths(void **state)
{
    (void)state;
    // The examples of II.23.2.
    static const struct {
        uint8_t bytes[4];
        size_t size;
        uint32_t value;
    } known[] = {{{0x03}, 1, 0x03},
                 {{0x7F}, 1, 0x7F},
                 {{0x80, 0x80}, 2, 0x80},
                 {{0xAE, 0x57}, 2, 0x2E57},
                 {{0xBF, 0xFF}, 2, 0x3FFF},
                 {{0xC0, 0x00, 0x40, 0x00}, 4, 0x4000},
                 {{0xDF, 0xFF, 0xFF, 0xFF}, 4, 0x1FFFFFFF}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct bytes bytes = bytes_of(known[i].bytes, known[i].size), cut = bytes_of(known[i].bytes, known[i].size - 1);
        uint32_t value;
        assert_true(bytes_compressed(&bytes, &value));
        assert_int_equal(value, known[i].value);
        assert_int_equal(bytes_left(&bytes), 0);
        assert_false(bytes_compressed(&cut, &value));
    }
    struct bytes null_text = BLOB(0xFF, 0xFF, 0xFF, 0xFF);
    uint32_t value;
    assert_false(bytes_compressed(&null_text, &value));
}

static void an_instance_method_with_parameters(void **state)
{
    (void)state;
    struct signature_method signature;
    // instance void (int, string)
    assert_int_equal(signature_method(BLOB(0x20, 2, 0x01, 0x08, 0x0E), &signature), CLEW_OK);
    assert_true(signature.has_this && !signature.explicit_this && !signature.returns_value);
    assert_int_equal(signature.parameter_count, 2);
    assert_int_equal(signature.generic_count, 0);
    assert_int_equal(bytes_left(&signature.parameters), 2);
    assert_int_equal(*signature.parameters.at, ELEMENT_I4);
}

static void a_generic_method_that_returns(void **state)
{
    (void)state;
    struct signature_method signature;
    // !!0[] <T, U>(List<!!1>[], ref int modopt, int[,] with bounds)
    assert_int_equal(signature_method(BLOB(0x10, 2, 3, 0x1D, 0x1E, 0, 0x1D, 0x15, 0x12, 0x09, 1, 0x1E, 1, 0x10, 0x20,
                                           0x05, 0x08, 0x14, 0x08, 2, 2, 3, 4, 2, 0, 0),
                                      &signature),
                     CLEW_OK);
    assert_int_equal(signature.generic_count, 2);
    assert_int_equal(signature.parameter_count, 3);
    assert_true(signature.returns_value && !signature.has_this);
    assert_int_equal(bytes_left(&signature.return_type), 3);
    struct bytes at = signature.parameters;
    assert_true(signature_skip_type(&at));
    assert_int_equal(at.at - signature.parameters.at, 7);
    assert_true(signature_skip_type(&at) && signature_skip_type(&at));
    assert_int_equal(bytes_left(&at), 0);
}

static void void_behind_modifiers_and_pointers(void **state)
{
    (void)state;
    struct signature_method signature;
    assert_int_equal(signature_method(BLOB(0, 0, 0x1F, 0x05, 0x01), &signature), CLEW_OK); // init accessors
    assert_false(signature.returns_value);
    assert_int_equal(signature_method(BLOB(0, 0, 0x0F, 0x01), &signature), CLEW_OK); // void*
    assert_true(signature.returns_value);
    assert_int_equal(signature_method(BLOB(0, 0, 0x10, 0x08), &signature), CLEW_OK); // ref int
    assert_true(signature.returns_value);
}

static void explicit_this_and_varargs_at_a_call(void **state)
{
    (void)state;
    struct signature_method signature;
    assert_int_equal(signature_method(BLOB(0x60, 1, 0x01, 0x1C), &signature), CLEW_OK);
    assert_true(signature.explicit_this && !signature.has_this);
    // void (int, ..., string): the sentinel counts as nothing
    assert_int_equal(signature_method(BLOB(0x05, 2, 0x01, 0x08, 0x41, 0x0E), &signature), CLEW_OK);
    assert_int_equal(signature.convention, SIGNATURE_VARARG);
    assert_int_equal(bytes_left(&signature.parameters), 3);
}

static void function_pointers_nest(void **state)
{
    (void)state;
    // FNPTR unmanaged (FNPTR (int) void, !0) string
    struct bytes at = BLOB(0x1B, 0x09, 2, 0x0E, 0x1B, 0, 1, 0x01, 0x08, 0x13, 0, 0x08);
    assert_true(signature_skip_type(&at));
    assert_int_equal(bytes_left(&at), 1);
}

static void locals_and_instantiations_are_counted(void **state)
{
    (void)state;
    uint32_t count;
    struct bytes types;
    // int, pinned ref byte, TypedReference
    assert_int_equal(signature_locals(BLOB(7, 3, 0x08, 0x45, 0x10, 0x05, 0x16), &count, &types), CLEW_OK);
    assert_int_equal(count, 3);
    assert_int_equal(bytes_left(&types), 5);
    assert_int_equal(signature_locals(BLOB(7, 0), &count, &types), CLEW_OK);
    assert_int_equal(count, 0);
    assert_int_equal(signature_locals(BLOB(7, 2, 0x08), &count, &types), CLEW_MALFORMED);
    assert_int_equal(signature_locals(BLOB(6, 1, 0x08), &count, &types), CLEW_MALFORMED);
    assert_int_equal(signature_method_spec(BLOB(0x0A, 1, 0x0E), &count, &types), CLEW_OK);
    assert_int_equal(count, 1);
}

static void broken_blobs_are_refused_and_skip_nothing(void **state)
{
    (void)state;
    struct signature_method signature;
    assert_int_equal(signature_method((struct bytes){0}, &signature), CLEW_MALFORMED);
    assert_int_equal(signature_method(BLOB(0), &signature), CLEW_MALFORMED);
    assert_int_equal(signature_method(BLOB(0, 1, 0x01), &signature), CLEW_MALFORMED); // parameter missing
    assert_int_equal(signature_method(BLOB(0, 0, 0x00), &signature), CLEW_MALFORMED); // no such element
    assert_int_equal(signature_method(BLOB(0, 0, 0x17), &signature), CLEW_MALFORMED); // nor this
    assert_int_equal(signature_method(BLOB(6, 0x08), &signature), CLEW_MALFORMED);    // a field's
    assert_int_equal(signature_method(BLOB(0, 0xDF, 0xFF, 0xFF, 0xFF, 0x01), &signature), CLEW_MALFORMED);
    struct bytes at = BLOB(0x15, 0x12, 0x09, 2, 0x08), before = at;
    assert_false(signature_skip_type(&at));
    assert_ptr_equal(at.at, before.at);
}

static void nesting_is_bounded(void **state)
{
    (void)state;
    // An array of arrays of ..., and generic instances within each other, far too deep.
    static uint8_t deep[1 << 20];
    memset(deep, ELEMENT_ARRAY, sizeof deep);
    struct bytes at = bytes_of(deep, sizeof deep);
    assert_false(signature_skip_type(&at));
    for (size_t i = 0; i + 4 <= sizeof deep; i += 4) {
        memcpy(deep + i, (uint8_t[]){ELEMENT_GENERIC_INSTANCE, ELEMENT_CLASS, 4, 1}, 4);
    }
    assert_false(signature_skip_type(&at));
    // Prefixes need no depth.
    memset(deep, ELEMENT_POINTER, sizeof deep);
    deep[sizeof deep - 1] = ELEMENT_VOID;
    assert_true(signature_skip_type(&at));
    assert_int_equal(bytes_left(&at), 0);
}

static void expect_instance(struct bytes type, const struct signature_arguments *arguments, struct bytes wanted)
{
    struct buffer out = {0};
    assert_int_equal(signature_instantiate(type, arguments, &out), CLEW_OK);
    assert_int_equal(out.size, bytes_left(&wanted));
    assert_memory_equal(out.data, wanted.at, out.size);
    buffer_free(&out);
}

static void type_parameters_are_replaced(void **state)
{
    (void)state;
    // T is int, U string[]; of the method, V is !0 of whoever calls.
    const struct signature_arguments arguments = {BLOB(0x08, 0x1D, 0x0E), BLOB(0x13, 0), 2, 1};
    expect_instance(BLOB(0x13, 0), &arguments, BLOB(0x08));
    expect_instance(BLOB(0x10, 0x13, 1), &arguments, BLOB(0x10, 0x1D, 0x0E));
    expect_instance(BLOB(0x1E, 0), &arguments, BLOB(0x13, 0));
    expect_instance(BLOB(0x15, 0x12, 0x49, 2, 0x13, 1, 0x1D, 0x1E, 0), &arguments,
                    BLOB(0x15, 0x12, 0x49, 2, 0x1D, 0x0E, 0x1D, 0x13, 0));
    expect_instance(BLOB(0x14, 0x13, 0, 2, 1, 3, 1, 0), &arguments, BLOB(0x14, 0x08, 2, 1, 3, 1, 0));
    expect_instance(BLOB(0x1B, 0x00, 1, 0x13, 0, 0x0E), &arguments, BLOB(0x1B, 0x00, 1, 0x08, 0x0E));
    expect_instance(BLOB(0x20, 0x41, 0x0F, 0x08), &arguments, BLOB(0x20, 0x41, 0x0F, 0x08));
    // Without arguments they stand for themselves.
    expect_instance(BLOB(0x13, 7), &(struct signature_arguments){0}, BLOB(0x13, 7));
    struct buffer out = {0};
    assert_int_equal(signature_instantiate(BLOB(0x1D, 0x13, 2), &arguments, &out), CLEW_MALFORMED);
    assert_int_equal(out.size, 0);
    buffer_free(&out);
    assert_true(signature_is_open(BLOB(0x1D, 0x1E, 0)));
    assert_false(signature_is_open(BLOB(0x1D, 0x08)));
}

static void an_instance_does_not_outgrow_its_limit(void **state)
{
    (void)state;
    struct buffer large = {0}, type = {0}, out = {0};
    buffer_u8(&large, 0x15);
    buffer_u8(&large, 0x12);
    buffer_u8(&large, 0x49);
    buffer_compressed(&large, 10000);
    for (int i = 0; i < 10000; i++) {
        buffer_u8(&large, 0x08);
    }
    buffer_append(&type, (const uint8_t[]){0x15, 0x12, 0x49, 100}, 4);
    for (int i = 0; i < 100; i++) {
        buffer_append(&type, (const uint8_t[]){0x13, 0}, 2);
    }
    const struct signature_arguments arguments = {bytes_of(large.data, large.size), {0}, 1, 0};
    assert_int_equal(signature_instantiate(bytes_of(type.data, type.size), &arguments, &out), CLEW_MALFORMED);
    assert_int_equal(out.size, 0);
    buffer_free(&large);
    buffer_free(&type);
    buffer_free(&out);
}

static void prefixes_of_a_type_are_skipped(void **state)
{
    (void)state;
    struct bytes type = BLOB(0x1F, 0x41, 0x45, 0x10, 0x08), none = BLOB(0x20, 0x41);
    assert_true(signature_skip_modifiers(&type));
    assert_int_equal(bytes_left(&type), 2);
    assert_false(signature_skip_modifiers(&none));
    struct bytes field;
    assert_int_equal(signature_field(BLOB(0x06, 0x1D, 0x08), &field), CLEW_OK);
    assert_int_equal(bytes_left(&field), 2);
    assert_int_equal(signature_field(BLOB(0x07, 0x08), &field), CLEW_MALFORMED);
    assert_int_equal(signature_field(BLOB(0x06, 0x1D), &field), CLEW_MALFORMED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(type_parameters_are_replaced),
        cmocka_unit_test(an_instance_does_not_outgrow_its_limit),
        cmocka_unit_test(prefixes_of_a_type_are_skipped),
        cmocka_unit_test(compressed_integers_have_three_lengths),
        cmocka_unit_test(an_instance_method_with_parameters),
        cmocka_unit_test(a_generic_method_that_returns),
        cmocka_unit_test(void_behind_modifiers_and_pointers),
        cmocka_unit_test(explicit_this_and_varargs_at_a_call),
        cmocka_unit_test(function_pointers_nest),
        cmocka_unit_test(locals_and_instantiations_are_counted),
        cmocka_unit_test(broken_blobs_are_refused_and_skip_nothing),
        cmocka_unit_test(nesting_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
