/* Opens below a folder with Linux's `openat2`: no link is followed, and no path leads outside.
   Also the stat key of what was opened. */

#include <errno.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OPENAT2 437 /* the same number on every architecture */
#define NO_MAGIC_LINKS 0x02
#define NO_LINKS 0x04
#define BENEATH 0x08
#define ATTEMPTS 16

typedef struct {
    uint64_t flags, mode, resolve;
} OpenHow;

/* Tries again where the kernel could not be sure, since something was renamed meanwhile. */
static inline int
open_beneath(int root, const char *path, int flags)
{
    OpenHow how = {(uint64_t)flags, 0, BENEATH | NO_MAGIC_LINKS | NO_LINKS};
    for (int attempt = 1;; attempt++) {
        int opened = (int)syscall(OPENAT2, root, path, &how, sizeof how);
        if (opened >= 0 || (errno != EAGAIN && errno != EINTR) || attempt == ATTEMPTS)
            return opened;
    }
}

static inline uint64_t
nanoseconds(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
}

/* Size, modification and change time in nanoseconds, and inode. */
static inline void
set_key(uint64_t *key, const struct stat *status)
{
    key[0] = (uint64_t)status->st_size;
    key[1] = nanoseconds(&status->st_mtim);
    key[2] = nanoseconds(&status->st_ctim);
    key[3] = (uint64_t)status->st_ino;
}

static inline void
put_key(char *at, const uint64_t *key)
{
    for (int part = 0; part < 4; part++)
        for (int byte = 0; byte < 8; byte++)
            *at++ = (char)(key[part] >> (8 * byte));
}
