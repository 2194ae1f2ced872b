// The hooks of --all-code, called as the JIT does: every register that holds an argument of the method or a result for
// its caller has its value afterwards, even if the C function changes every register that it may change. clang-format
// off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include <stdalign.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void clew_hook_enter(void);
void clew_hook_leave(void);
void clew_hook_tailcall(void);
extern void (*hook_enter_target)(uint32_t method, uintptr_t caller_stack);
extern void (*hook_leave_target)(uint32_t method, uintptr_t caller_stack);

enum registers { RAX, RDI, RSI, RDX, RCX, R8, R9, R10, R11, R14, R15, RBX, RBP, R12, R13, REGISTERS };
enum { VECTORS = 8 };

struct state {
    uint64_t general[REGISTERS];
    alignas(16) uint8_t vectors[VECTORS][16];
};

// Loads all registers, calls, and stores them: with `before`, `hook` and `after` as arguments.
void call_with(const struct state *before, void (*hook)(void), struct state *after);
__asm__(".text\n"
        ".type call_with, @function\n"
        "call_with:\n"
        "    push %rbx\n    push %rbp\n    push %r12\n    push %r13\n    push %r14\n    push %r15\n"
        "    push %rdx\n" // after
        "    push %rsi\n" // hook
        "    mov %rdi, %rax\n"
        "    movdqa 0x80(%rax), %xmm0\n    movdqa 0x90(%rax), %xmm1\n    movdqa 0xa0(%rax), %xmm2\n"
        "    movdqa 0xb0(%rax), %xmm3\n    movdqa 0xc0(%rax), %xmm4\n    movdqa 0xd0(%rax), %xmm5\n"
        "    movdqa 0xe0(%rax), %xmm6\n    movdqa 0xf0(%rax), %xmm7\n"
        "    mov 0x08(%rax), %rdi\n    mov 0x10(%rax), %rsi\n    mov 0x18(%rax), %rdx\n    mov 0x20(%rax), %rcx\n"
        "    mov 0x28(%rax), %r8\n    mov 0x30(%rax), %r9\n    mov 0x38(%rax), %r10\n    mov 0x40(%rax), %r11\n"
        "    mov 0x48(%rax), %r14\n    mov 0x50(%rax), %r15\n    mov 0x58(%rax), %rbx\n    mov 0x60(%rax), %rbp\n"
        "    mov 0x68(%rax), %r12\n    mov 0x70(%rax), %r13\n    mov 0x00(%rax), %rax\n"
        "    sub $8, %rsp\n" // aligned, as before any call
        "    call *8(%rsp)\n"
        "    add $16, %rsp\n"
        "    xchg %rax, (%rsp)\n" // rax on the stack, `after` in it
        "    mov %rdi, 0x08(%rax)\n    mov %rsi, 0x10(%rax)\n    mov %rdx, 0x18(%rax)\n    mov %rcx, 0x20(%rax)\n"
        "    mov %r8, 0x28(%rax)\n    mov %r9, 0x30(%rax)\n    mov %r10, 0x38(%rax)\n    mov %r11, 0x40(%rax)\n"
        "    mov %r14, 0x48(%rax)\n    mov %r15, 0x50(%rax)\n    mov %rbx, 0x58(%rax)\n    mov %rbp, 0x60(%rax)\n"
        "    mov %r12, 0x68(%rax)\n    mov %r13, 0x70(%rax)\n"
        "    movdqa %xmm0, 0x80(%rax)\n    movdqa %xmm1, 0x90(%rax)\n    movdqa %xmm2, 0xa0(%rax)\n"
        "    movdqa %xmm3, 0xb0(%rax)\n    movdqa %xmm4, 0xc0(%rax)\n    movdqa %xmm5, 0xd0(%rax)\n"
        "    movdqa %xmm6, 0xe0(%rax)\n    movdqa %xmm7, 0xf0(%rax)\n"
        "    pop %rcx\n    mov %rcx, 0x00(%rax)\n"
        "    pop %r15\n    pop %r14\n    pop %r13\n    pop %r12\n    pop %rbp\n    pop %rbx\n"
        "    ret\n"
        ".size call_with, . - call_with\n");

static uint32_t told_method;
static uintptr_t told_stack;
static bool told_aligned;

void note_arguments(uint32_t method, uintptr_t caller_stack, uintptr_t stack);
void note_arguments(uint32_t method, uintptr_t caller_stack, uintptr_t stack)
{
    told_method = method;
    told_stack = caller_stack;
    told_aligned = stack % 16 == 8; // a return address is on it
}

// The target of the hooks: changes every register that a function without vector registers may change.
void lose_everything(uint32_t method, uintptr_t caller_stack);
__asm__(".text\n"
        ".type lose_everything, @function\n"
        "lose_everything:\n"
        "    mov %rsp, %rdx\n"
        "    sub $8, %rsp\n"
        "    call note_arguments\n"
        "    add $8, %rsp\n"
        "    mov $-1, %rax\n    mov %rax, %rdi\n    mov %rax, %rsi\n    mov %rax, %rdx\n    mov %rax, %rcx\n"
        "    mov %rax, %r8\n    mov %rax, %r9\n    mov %rax, %r10\n    mov %rax, %r11\n"
        "    ret\n"
        ".size lose_everything, . - lose_everything\n");

static struct state before, after;

static void call(void (*hook)(void))
{
    assert_int_equal(offsetof(struct state, vectors), 0x80);
    for (unsigned i = 0; i < REGISTERS; i++) {
        before.general[i] = UINT64_C(0x1111111100000000) * (i + 1) + i;
    }
    for (unsigned i = 0; i < VECTORS; i++) {
        memset(before.vectors[i], (int)i + 1, sizeof before.vectors[i]);
    }
    hook_enter_target = hook_leave_target = lose_everything;
    told_method = 0;
    memset(&after, 0, sizeof after);
    call_with(&before, hook, &after);
    assert_true(told_aligned);
}

static void expect_kept(const enum registers *kept, size_t count, unsigned vectors)
{
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(after.general[kept[i]], before.general[kept[i]]);
    }
    for (enum registers i = R14; i < REGISTERS; i++) { // callee-saved
        assert_int_equal(after.general[i], before.general[i]);
    }
    assert_memory_equal(after.vectors, before.vectors, vectors * sizeof before.vectors[0]);
}

static const enum registers arguments[] = {RAX, RDI, RSI, RDX, RCX, R8, R9};

static void test_enter_keeps_arguments(void **state)
{
    (void)state;
    call(clew_hook_enter);
    assert_int_equal(told_method, (uint32_t)before.general[R14]);
    assert_int_equal(told_stack, before.general[R15]);
    expect_kept(arguments, sizeof arguments / sizeof *arguments, VECTORS);
}

static void test_leave_keeps_results(void **state)
{
    static const enum registers results[] = {RAX, RDX};
    (void)state;
    call(clew_hook_leave);
    assert_int_equal(told_method, (uint32_t)before.general[RDI]);
    assert_int_equal(told_stack, before.general[RSI]);
    expect_kept(results, sizeof results / sizeof *results, 2);
}

// The coming call has its arguments, and the registers that its stub needs, in place.
static void test_tailcall_keeps_arguments(void **state)
{
    static const enum registers stubs[] = {R10, R11};
    (void)state;
    call(clew_hook_tailcall);
    assert_int_equal(told_method, (uint32_t)before.general[RDI]);
    assert_int_equal(told_stack, before.general[RSI]);
    expect_kept(arguments, sizeof arguments / sizeof *arguments, VECTORS);
    expect_kept(stubs, sizeof stubs / sizeof *stubs, VECTORS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enter_keeps_arguments),
        cmocka_unit_test(test_leave_keeps_results),
        cmocka_unit_test(test_tailcall_keeps_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
