/* Makes one system call fail: call number FAIL_AT of those that change or finish files below FAIL_IN, with errno
 * FAIL_WITH; if FAIL_LOOKING is set, of those that lock, look at, list and close files and directories instead; if
 * FAIL_REMOVING is set, of those that remove files. Number 0 is every one. The date stands still, so that files with it
 * are the same whenever they were written. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static int is_looking(void)
{
    return getenv("FAIL_LOOKING") != NULL;
}

static int is_removing(void)
{
    return getenv("FAIL_REMOVING") != NULL;
}

static int counts(const char *path)
{
    static int calls;
    const char *in = getenv("FAIL_IN"), *at = getenv("FAIL_AT"), *with = getenv("FAIL_WITH");
    if (!in || !at || !with || strncmp(path, in, strlen(in)) != 0)
        return 0;
    int call = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
    if (atoi(at) != 0 && atoi(at) != call)
        return 0;
    const char *mark = getenv("FAIL_MARK");
    FILE *file = mark ? fopen(mark, "w") : NULL;
    if (file)
        fclose(file);
    errno = atoi(with);
    return 1;
}

static int is_due(const char *path)
{
    return !is_looking() && !is_removing() && counts(path);
}

static int counts_for(int descriptor)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t len = readlink(link, path, sizeof path - 1);
    if (len < 0)
        return 0;
    path[len] = 0;
    return counts(path);
}

static int is_due_for(int descriptor)
{
    return !is_looking() && !is_removing() && counts_for(descriptor);
}

static int is_due_for_looking(int descriptor)
{
    return is_looking() && counts_for(descriptor);
}

#define NEXT(type, name) ((type)dlsym(RTLD_NEXT, name))

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int outcome = NEXT(int (*)(clockid_t, struct timespec *), "clock_gettime")(clock, now);
    if (outcome == 0 && clock == CLOCK_REALTIME)
        now->tv_sec = 1700000000;
    return outcome;
}

ssize_t write(int fd, const void *bytes, size_t len)
{
    return is_due_for(fd) ? -1 : NEXT(ssize_t (*)(int, const void *, size_t), "write")(fd, bytes, len);
}

int fsync(int fd)
{
    return is_due_for(fd) ? -1 : NEXT(int (*)(int), "fsync")(fd);
}

int ftruncate64(int fd, off64_t len)
{
    return is_due_for(fd) ? -1 : NEXT(int (*)(int, off64_t), "ftruncate64")(fd, len);
}

/* Whether a descriptor is that of a temporary file; others are closed, and searched, by readers that need not mind. */
static int is_temporary(int fd)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t len = readlink(link, path, sizeof path - 1);
    return len > 4 && strncmp(path + len - 4, ".tmp", 4) == 0;
}

off64_t lseek64(int fd, off64_t offset, int whence)
{
    if (is_temporary(fd) && is_due_for(fd))
        return -1;
    return NEXT(off64_t (*)(int, off64_t, int), "lseek64")(fd, offset, whence);
}

/* Only what was written to, and the first time: the others come when the bytes are on the disk. */
int close(int fd)
{
    static int closed;
    int due = is_temporary(fd) && (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
    due = due && __atomic_fetch_add(&closed, 1, __ATOMIC_SEQ_CST) == 0 && is_due_for(fd);
    due = due || is_due_for_looking(fd);
    int reason = errno, result = NEXT(int (*)(int), "close")(fd);
    if (!due)
        return result;
    errno = reason;
    return -1;
}

int rename(const char *from, const char *to)
{
    return is_due(from) ? -1 : NEXT(int (*)(const char *, const char *), "rename")(from, to);
}

int unlink(const char *path)
{
    return is_removing() && counts(path) ? -1 : NEXT(int (*)(const char *), "unlink")(path);
}

int flock(int fd, int operation)
{
    return is_due_for_looking(fd) ? -1 : NEXT(int (*)(int, int), "flock")(fd, operation);
}

int statx(int fd, const char *path, int flags, unsigned mask, struct statx *found)
{
    /* Rust finds out whether there is such a call by passing nothing, which the header does not expect. */
    const char *volatile given = path;
    const char *name = given;
    if (name && (*name ? is_looking() && counts(name) : is_due_for_looking(fd)))
        return -1;
    return NEXT(int (*)(int, const char *, int, unsigned, struct statx *), "statx")(fd, path, flags, mask, found);
}

int linkat(int from_fd, const char *from, int to_fd, const char *to, int flags)
{
    if (is_looking() && counts(from))
        return -1;
    return NEXT(int (*)(int, const char *, int, const char *, int), "linkat")(from_fd, from, to_fd, to, flags);
}

DIR *opendir(const char *path)
{
    return is_looking() && counts(path) ? NULL : NEXT(DIR * (*)(const char *), "opendir")(path);
}

struct dirent64 *readdir64(DIR *directory)
{
    if (is_due_for_looking(dirfd(directory)))
        return NULL;
    return NEXT(struct dirent64 * (*)(DIR *), "readdir64")(directory);
}

int closedir(DIR *directory)
{
    int due = is_due_for_looking(dirfd(directory)), reason = errno;
    int result = NEXT(int (*)(DIR *), "closedir")(directory);
    if (!due)
        return result;
    errno = reason;
    return -1;
}
