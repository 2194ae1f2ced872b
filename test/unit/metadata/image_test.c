// PE images, flat and as a loader maps them; broken ones are refused, never overrun.
#include "dotnet.h"

#include <stdlib.h>

#include "metadata/tables/image.h"

static const char csharp[] = "test/fuzz/corpus/metadata/CSharp.dll";

static void a_flat_module_opens(void **state)
{
    (void)state;
    struct buffer file = file_read(csharp);
    struct image image;
    assert_int_equal(image_open(bytes_of(file.data, file.size), IMAGE_FLAT, &image), CLEW_OK);
    assert_memory_equal(image.metadata.at, "BSJB", 4);
    assert_int_equal(image.cli_flags, 1); // IL only
    assert_int_equal(image.entry_point_token >> 24, 6);
    assert_false(image.precompiled);
    assert_true(image.debug_rva != 0 && image.debug_size % 28 == 0);
    assert_int_equal(image_span(file.data, IMAGE_FLAT), file.size);
    buffer_free(&file);
}

// What the loader does: the headers stay, each section goes to its address.
static struct buffer map_image(const struct buffer *file)
{
    struct buffer mapped = {0};
    size_t size = image_span(file->data, IMAGE_MAPPED);
    uint8_t *start = buffer_extend(&mapped, size);
    assert_non_null(start);
    memset(start, 0, size);
    memcpy(start, file->data, 512);
    uint32_t pe = read_u32(file->data + 0x3C);
    const uint8_t *section = file->data + pe + 24 + read_u16(file->data + pe + 20);
    for (unsigned i = 0; i < read_u16(file->data + pe + 6); i++, section += 40) {
        uint32_t address = read_u32(section + 12), raw_size = read_u32(section + 16), raw = read_u32(section + 20);
        uint32_t virtual_size = read_u32(section + 8);
        memcpy(start + address, file->data + raw, raw_size < virtual_size ? raw_size : virtual_size);
    }
    return mapped;
}

static void a_mapped_module_reads_the_same(void **state)
{
    (void)state;
    struct buffer file = file_read(csharp), mapped = map_image(&file);
    struct image flat, loaded;
    assert_int_equal(image_open(bytes_of(file.data, file.size), IMAGE_FLAT, &flat), CLEW_OK);
    assert_int_equal(image_open(bytes_of(mapped.data, mapped.size), IMAGE_MAPPED, &loaded), CLEW_OK);
    assert_int_equal(bytes_left(&flat.metadata), bytes_left(&loaded.metadata));
    assert_memory_equal(flat.metadata.at, loaded.metadata.at, bytes_left(&flat.metadata));
    assert_int_equal(flat.entry_point_token, loaded.entry_point_token);
    struct bytes in_file, in_memory;
    assert_true(image_at(&flat, flat.debug_rva, &in_file) && image_at(&loaded, loaded.debug_rva, &in_memory));
    assert_int_equal(bytes_left(&in_file), bytes_left(&in_memory));
    assert_memory_equal(in_file.at, in_memory.at, bytes_left(&in_file));
    buffer_free(&file);
    buffer_free(&mapped);
}

static void addresses_outside_sections_are_refused(void **state)
{
    (void)state;
    struct buffer file = file_read(csharp);
    struct image image;
    struct bytes bytes;
    assert_int_equal(image_open(bytes_of(file.data, file.size), IMAGE_FLAT, &image), CLEW_OK);
    assert_false(image_at(&image, 0, &bytes));
    assert_false(image_at(&image, 16, &bytes));
    assert_false(image_at(&image, UINT32_MAX, &bytes));
    assert_false(image_at(&image, (uint32_t)image_span(file.data, IMAGE_MAPPED), &bytes));
    buffer_free(&file);
}

static void framework_modules_are_precompiled(void **state)
{
    (void)state;
    char folder[800], path[1024];
    struct image image;
    dotnet_runtime_folder(folder, sizeof folder);
    (void)snprintf(path, sizeof path, "%s/System.Linq.dll", folder);
    struct buffer file = file_read(path);
    assert_int_equal(image_open(bytes_of(file.data, file.size), IMAGE_FLAT, &image), CLEW_OK);
    assert_true(image.precompiled);
    assert_int_equal(image.entry_point_token, 0);
    buffer_free(&file);
}

static void native_libraries_and_texts_are_not_modules(void **state)
{
    (void)state;
    char folder[800], path[1024];
    struct image image;
    dotnet_runtime_folder(folder, sizeof folder);
    (void)snprintf(path, sizeof path, "%s/libcoreclr.so", folder);
    struct buffer file = file_read(path);
    assert_true(file.size > 0);
    assert_int_equal(image_open(bytes_of(file.data, file.size), IMAGE_FLAT, &image), CLEW_MALFORMED);
    assert_int_equal(image_span(file.data, IMAGE_FLAT), 0);
    assert_int_equal(image_open(bytes_of("MZ", 2), IMAGE_FLAT, &image), CLEW_MALFORMED);
    assert_int_equal(image_open((struct bytes){0}, IMAGE_FLAT, &image), CLEW_MALFORMED);
    buffer_free(&file);
}

static void a_module_cut_anywhere_is_refused_or_whole(void **state)
{
    (void)state;
    struct buffer file = file_read(csharp);
    struct image image;
    assert_int_equal(image_open(bytes_of(file.data, file.size), IMAGE_FLAT, &image), CLEW_OK);
    size_t needed = (size_t)(image.metadata.end - file.data);
    for (size_t size = 0; size < file.size; size += size < 1024 ? 1 : 97) {
        uint8_t *copy = malloc(size + 1); // its own, so that the sanitizer watches its end
        assert_non_null(copy);
        memcpy(copy, file.data, size);
        if (image_open(bytes_of(copy, size), IMAGE_FLAT, &image) == CLEW_OK) {
            assert_true(size >= needed && image.metadata.end <= copy + size);
        }
        free(copy);
    }
    buffer_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flat_module_opens),
        cmocka_unit_test(a_mapped_module_reads_the_same),
        cmocka_unit_test(addresses_outside_sections_are_refused),
        cmocka_unit_test(framework_modules_are_precompiled),
        cmocka_unit_test(native_libraries_and_texts_are_not_modules),
        cmocka_unit_test(a_module_cut_anywhere_is_refused_or_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
