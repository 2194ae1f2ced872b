// Which requests the server answers: guard.c alone, without a socket. test/cli/view asks a running server the same.
#include "serve/guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct guard guard;
static char cookie[128], host[32];

static int begin(void **state)
{
    char name[32];
    (void)state;
    if (!guard_begin(&guard, 8123)) {
        return 1;
    }
    guard_cookie_name(&guard, name);
    (void)snprintf(cookie, sizeof cookie, "other=1; %s=%s; more=2", name, guard.token);
    (void)snprintf(host, sizeof host, "127.0.0.1:8123");
    return 0;
}

static struct guard_request good(const char *target)
{
    return (struct guard_request){.method = "GET", .target = target, .host = host, .hosts = 1, .cookie = cookie};
}

static unsigned status(const struct guard_request *request)
{
    return guard_judge(&guard, request).status;
}

static void test_token(void **state)
{
    struct guard other;
    (void)state;
    assert_int_equal(strlen(guard.token), GUARD_TOKEN);
    assert_int_equal(strspn(guard.token, "0123456789abcdef"), GUARD_TOKEN);
    assert_true(guard_begin(&other, 8123));
    assert_string_not_equal(guard.token, other.token);
}

static void test_enter(void **state)
{
    char target[128];
    (void)state;
    struct guard_request request = good(target);
    request.cookie = NULL;
    (void)snprintf(target, sizeof target, "/?token=%s", guard.token);
    assert_int_equal(guard_judge(&guard, &request).kind, GUARD_ENTER);
    (void)snprintf(target, sizeof target, "/?token=%.31s", guard.token);
    assert_int_equal(status(&request), 403);
    (void)snprintf(target, sizeof target, "/?token=%s1", guard.token);
    assert_int_equal(status(&request), 403);
    (void)snprintf(target, sizeof target, "/x?token=%s", guard.token);
    assert_int_equal(status(&request), 403);
}

static void test_every_digit_counts(void **state)
{
    char target[64];
    (void)state;
    struct guard_request request = good(target);
    for (size_t i = 0; i < GUARD_TOKEN; i++) {
        (void)snprintf(target, sizeof target, "/?token=%s", guard.token);
        target[8 + i] = target[8 + i] == 'a' ? 'b' : 'a';
        assert_int_equal(status(&request), 403);
    }
}

static void test_documents(void **state)
{
    (void)state;
    const struct guard_request request = good("/api/tree?from=1&to=2"), page = good("/"), none = good("/api");
    const struct guard_answer answer = guard_judge(&guard, &request);
    assert_int_equal(answer.kind, GUARD_DOCUMENT);
    assert_true(text_equal(answer.name, text_of("tree")));
    assert_true(text_equal(answer.query, text_of("from=1&to=2")));
    assert_int_equal(guard_judge(&guard, &page).kind, GUARD_PAGE);
    assert_int_equal(status(&none), 404);
}

static void test_names(void **state)
{
    static const char *const foreign[] = {
        "", "evil", "127.0.0.1", "127.0.0.1:81234", "localhost", "127.0.0.1:8123.evil"};
    struct guard_request request = good("/");
    (void)state;
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        request.host = foreign[i];
        assert_int_equal(status(&request), 421);
    }
    request.host = "localhost:8123";
    assert_int_equal(status(&request), 200);
    request.hosts = 2;
    assert_int_equal(status(&request), 421);
    request = good("/");
    request.origin = "http://127.0.0.1:8123";
    assert_int_equal(status(&request), 200);
    request.origin = "https://127.0.0.1:8123";
    assert_int_equal(status(&request), 403);
    request = good("/");
    request.fetch_site = "cross-site";
    assert_int_equal(status(&request), 403);
}

static void test_cookies(void **state)
{
    static const char *const wrong[] = {"", ";", "=", "clew-8123", "clew-8123=", "clew-8123;", "xclew-8123=1", ";;; ;"};
    struct guard_request request = good("/");
    char last[128];
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        request.cookie = wrong[i];
        assert_int_equal(status(&request), 403);
    }
    (void)snprintf(last, sizeof last, "clew-8123=0;clew-8123=%s", guard.token);
    request.cookie = last;
    assert_int_equal(status(&request), 200);
}

static void test_methods_and_bounds(void **state)
{
    static char target[GUARD_TARGET_MAX + 2] = "/";
    struct guard_request request = good("/");
    (void)state;
    request.method = "POST";
    assert_int_equal(status(&request), 405);
    request.method = "HEAD";
    assert_int_equal(status(&request), 200);
    memset(target + 1, 'a', GUARD_TARGET_MAX);
    request.target = target;
    assert_int_equal(status(&request), 414);
    target[GUARD_TARGET_MAX] = '\0';
    assert_int_equal(status(&request), 404);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_token),
        cmocka_unit_test(test_enter),
        cmocka_unit_test(test_documents),
        cmocka_unit_test(test_every_digit_counts),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_cookies),
        cmocka_unit_test(test_methods_and_bounds),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
