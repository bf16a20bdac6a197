/* A last word where mapped memory is gone: a file that is cut, or a disk that fails, under a mapping.
 *
 * To touch such a page raises SIGBUS, which ends a process without a word. The handler here knows
 * ranges of memory with a line each. If the address is in one, it writes the line to standard error
 * and ends the process with code 1, by write and _exit alone, which a handler may call at any
 * instant. There is no way back: the search that met the page has no value to go on with. Any other
 * fault is left to whoever handled it before.
 */
#if defined(__linux__) || defined(__APPLE__)
#define FACELET_GUARD 1
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

enum { GUARDS = 32, GUARD_LINE = 1024 };

typedef struct {
    _Atomic uintptr_t first, end; /* no range while first is 0 */
    size_t length;
    char line[GUARD_LINE];
} Guard;

static Guard guards[GUARDS];
static struct sigaction guard_before;
static int guard_ready = 0;

static void guard_fault(int number, siginfo_t *info, void *context) {
    uintptr_t at = (uintptr_t)info->si_addr;
    (void)number, (void)context;
    for (int k = 0; k < GUARDS; k++) {
        uintptr_t first = atomic_load(&guards[k].first);
        if (first && at >= first && at < atomic_load(&guards[k].end)) {
            ssize_t written = write(STDERR_FILENO, guards[k].line, guards[k].length);
            (void)written;
            _exit(1);
        }
    }
    sigaction(SIGBUS, &guard_before, NULL); /* the fault comes again, and is theirs */
}

/* Return 1 if a range is guarded now, 0 if there is no room, -1 with errno on failure. */
static int guard_range(uintptr_t first, size_t size, const char *line, size_t length) {
    if (!guard_ready) {
        struct sigaction action = {0};
        action.sa_sigaction = guard_fault;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigemptyset(&action.sa_mask);
        if (sigaction(SIGBUS, &action, &guard_before)) return -1;
        guard_ready = 1;
    }
    for (int k = 0; k < GUARDS; k++)
        if (!atomic_load(&guards[k].first)) {
            guards[k].length = length < GUARD_LINE ? length : GUARD_LINE;
            memcpy(guards[k].line, line, guards[k].length);
            atomic_store(&guards[k].end, first + size);
            atomic_store(&guards[k].first, first);
            return 1;
        }
    return 0;
}

static void guard_release(uintptr_t first) {
    for (int k = 0; k < GUARDS; k++)
        if (atomic_load(&guards[k].first) == first) atomic_store(&guards[k].first, 0);
}
#endif
