/* Stands between a program and its files (LD_PRELOAD) and does what disks, signals and the system do on bad days.
 *
 * FAULT says what, FAULT_AT when:
 *   kill   the process dies before its call number FAULT_AT that changes files
 *   after  the same, after the call
 *   torn   the same, in the middle of a write
 *   room   the disk has room for FAULT_AT more bytes
 *   sync   flushing to the disk fails at call FAULT_AT
 *   short  every write takes 61 bytes at most
 *   eintr  every other call is interrupted by a signal
 *   stall  call FAULT_AT never ends
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long calls, used;

static int is(const char *name) {
    const char *mode = getenv("FAULT");
    return mode && strcmp(mode, name) == 0;
}

static long at(void) {
    const char *text = getenv("FAULT_AT");
    return text ? atol(text) : 0;
}

static int is_file(int fd) {
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

/* Counts a call; whether it is the one. */
static int begin(void) {
    long number = atomic_fetch_add(&calls, 1) + 1;
    int due = number == at();
    if (due && is("kill")) die();
    while (due && is("stall")) pause();
    return due;
}

static int interrupted(void) {
    static atomic_long turn;
    return is("eintr") && atomic_fetch_add(&turn, 1) % 2 == 0;
}

ssize_t write(int fd, const void *bytes, size_t length) {
    ssize_t (*real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
    if (!is_file(fd)) return real(fd, bytes, length);
    int due = begin();
    if (interrupted()) { errno = EINTR; return -1; }
    if (is("short") && length > 61) length = 61;
    if (is("room")) {
        long left = at() - atomic_load(&used);
        if (left <= 0) { errno = ENOSPC; return -1; }
        if ((long)length > left) length = left;
        atomic_fetch_add(&used, (long)length);
    }
    if (due && is("torn")) { real(fd, bytes, length / 2); die(); }
    ssize_t done = real(fd, bytes, length);
    if (due && is("after")) die();
    return done;
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    return count > 0 ? write(fd, parts[0].iov_base, parts[0].iov_len) : 0;
}

static int flush(int fd, const char *name) {
    int (*real)(int) = dlsym(RTLD_NEXT, name);
    int due = begin();
    if (interrupted()) { errno = EINTR; return -1; }
    if (due && is("sync") && is_file(fd)) { errno = EIO; return -1; }
    int done = real(fd);
    if (due && is("after")) die();
    return done;
}

int fsync(int fd) { return flush(fd, "fsync"); }
int fdatasync(int fd) { return flush(fd, "fdatasync"); }

int rename(const char *from, const char *to) {
    int (*real)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");
    int due = begin();
    int done = real(from, to);
    if (due && is("after")) die();
    return done;
}

int unlink(const char *path) {
    int (*real)(const char *) = dlsym(RTLD_NEXT, "unlink");
    int due = begin();
    int done = real(path);
    if (due && is("after")) die();
    return done;
}
