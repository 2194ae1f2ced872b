// Binds the agent to old versions of libc's functions, so that it loads on older distributions than the one where it
// was built. The build includes this file into every file of the agent. A function that is not listed here binds to its
// newest version; the test check-agent fails if that is newer than CLEW_GLIBC.
//
// glibc 2.34 moved libpthread and libdl into libc and gave their functions new versions. The old versions still exist,
// and on an older system libcoreclr has loaded libpthread and libdl before the agent.
#ifndef CLEW_AGENT_OLD_GLIBC_H
#define CLEW_AGENT_OLD_GLIBC_H

#define OLD_GLIBC(X)                      \
    X(dladdr, "2.2.5")                    \
    X(dlclose, "2.2.5")                   \
    X(dlerror, "2.2.5")                   \
    X(dlopen, "2.2.5")                    \
    X(dlsym, "2.2.5")                     \
    X(pthread_attr_getstack, "2.2.5")     \
    X(pthread_attr_setguardsize, "2.2.5") \
    X(pthread_attr_setstacksize, "2.2.5") \
    X(pthread_create, "2.2.5")            \
    X(pthread_detach, "2.2.5")            \
    X(pthread_getattr_np, "2.2.5")        \
    X(pthread_getspecific, "2.2.5")       \
    X(pthread_join, "2.2.5")              \
    X(pthread_key_create, "2.2.5")        \
    X(pthread_key_delete, "2.2.5")        \
    X(pthread_kill, "2.2.5")              \
    X(pthread_mutex_trylock, "2.2.5")     \
    X(pthread_once, "2.2.5")              \
    X(pthread_rwlock_rdlock, "2.2.5")     \
    X(pthread_rwlock_unlock, "2.2.5")     \
    X(pthread_rwlock_wrlock, "2.2.5")     \
    X(pthread_setname_np, "2.12")         \
    X(pthread_setspecific, "2.2.5")       \
    X(pthread_sigmask, "2.2.5")           \
    X(sem_destroy, "2.2.5")               \
    X(sem_init, "2.2.5")                  \
    X(sem_post, "2.2.5")                  \
    X(sem_timedwait, "2.2.5")             \
    X(sem_wait, "2.2.5")

#define X(function, version) __asm__(".symver " #function "," #function "@GLIBC_" version);
OLD_GLIBC(X)
#undef X
#undef OLD_GLIBC

#endif
