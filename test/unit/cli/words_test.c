// Which verbs and options are suggested for a mistyped word.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include <string.h>

#include "cli/words.h"

// The suggestions among a few words.
static const char *near(const char *asked)
{
    static const char *const known[] = {"report", "replay", "repair", "run", "to", "top", "depth"};
    static struct words words;
    words_init(&words, asked, strlen(asked));
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        words_offer(&words, "-", known[i]);
    }
    assert_int_equal(words.size, strlen(words.listed));
    return words.listed;
}

static void abbreviations_come_before_similar_words(void **state)
{
    (void)state;
    assert_string_equal(near("rep"), "-report, -replay, -repair");
    assert_string_equal(near("REP"), "-report, -replay, -repair");
    assert_string_equal(near("repl"), "-replay");
    assert_string_equal(near("r"), ""); // says too little
}

static void similar_words_have_few_other_letters(void **state)
{
    (void)state;
    assert_string_equal(near("replya"), "-replay");
    assert_string_equal(near("raport"), "-report");
    assert_string_equal(near("detph"), "-depth");
    assert_string_equal(near("rn"), ""); // half of it would be wrong
}

static void other_words_are_not_offered(void **state)
{
    (void)state;
    assert_string_equal(near("diff"), "");
    assert_string_equal(near("tops"), "-top");
    assert_string_equal(near("tpo"), "-top"); // and not "to", half of which would be another
    assert_string_equal(near(""), "");
    assert_string_equal(near("a-word-that-is-longer-than-any-verb-of-clew-will-ever-be"), "");
}

// The list leaves out whole names that do not fit.
static void a_full_list_ends_with_a_whole_word(void **state)
{
    struct words words;
    (void)state;
    words_init(&words, "lo", 2);
    for (int i = 0; i < 100; i++) {
        words_offer(&words, "", "longer-words");
    }
    assert_true(words.size < sizeof words.listed && words.size > sizeof words.listed - 15);
    assert_string_equal(words.listed + words.size - 12, "longer-words");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(abbreviations_come_before_similar_words),
        cmocka_unit_test(similar_words_have_few_other_letters),
        cmocka_unit_test(other_words_are_not_offered),
        cmocka_unit_test(a_full_list_ends_with_a_whole_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
