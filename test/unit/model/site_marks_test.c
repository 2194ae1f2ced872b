// Each site of each process has a mark of its own, and absurd numbers take no memory.
#include "model/site_marks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../made_recording.h"
#include "../recording_path.h"
#include "loading.h"
#include "trace/instrument.h"

static void define_site(uint32_t process, uint32_t number)
{
    const struct site site = {.kind = SITE_STATEMENT};
    struct buffer blob = {0};
    sites_encode(&blob, &site, 1);
    must(recording_write_sites(
        writer, &(struct recording_sites){
                    .process = process, .method = 16, .first = number, .blob = bytes_of(blob.data, blob.size)}));
    buffer_free(&blob);
}

static void marks_are_of_one_site(void **state)
{
    (void)state;
    struct site_marks marks = {0};
    create(path, INSTRUMENT_STATEMENTS, CLOCK_KIND_MONOTONIC);
    define_process(PROCESS_ENDED);
    define_site(1, 7);
    define_site(1, 0x70000000);
    define_site(2, 3);
    finish(5, 0, 1, true);
    struct sites *sites = load_sites();
    struct site_marks_row *first = site_marks_of(&marks, sites, 1), *second = site_marks_of(&marks, sites, 2);
    struct site_marks_row *none = site_marks_of(&marks, sites, 3);
    assert_true(first && second && none && first != second && second != none);
    assert_int_equal(first->count, 8);
    assert_int_equal(second->count, 4);
    assert_int_equal(none->count, 1);
    first->marks[3] = 5;
    assert_int_equal(second->marks[3], 0);
    assert_ptr_equal(site_marks_of(&marks, sites, 1), first);
    assert_int_equal(first->marks[3], 5);
    site_marks_free(&marks);
    sites_free(sites);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(marks_are_of_one_site)};
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
