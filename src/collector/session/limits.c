#include "collector/session/limits.h"

#include <sys/resource.h>

void limits_more_files(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE,
                        &limit); // on failure the collector only opens the files of threads anew for each sample
    }
}

bool limits_may_keep(int fd)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) != 0 || (rlim_t)fd < limit.rlim_cur / 2;
}
