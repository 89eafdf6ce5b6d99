/* A disk that lies: stands before the C library's file calls of one process, for everything below one folder.
 *
 * It records what is written (for power cuts, see cuts.py), answers with an error where it was told to, is full, has bad
 * sectors, and kills the process at a call. SQLite and Python both call through it, so the shipped code runs as it is.
 * Built by shim.py, loaded with LD_PRELOAD; steered by the functions at the end, or by the environment at the start.
 * For 64-bit Linux: calls go straight to the kernel, so nothing has to be looked up while libraries are still loading.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILES 65536
#define PATH 4096
#define BAD 16

enum kind { OPEN = 1, READ = 2, WRITE = 4, SYNC = 8, NAME = 16, SIZE = 32, OTHER = 64 };

struct header { /* of one record: `first` and `second` bytes follow it */
    uint32_t what;
    int32_t handle;
    int64_t at;
    uint32_t first, second;
};

struct bad { dev_t device; ino_t file; long from, to; }; /* to: 0: none */

static char folder[PATH];
static size_t folder_size;
static unsigned char ours[FILES]; /* by descriptor: opened below the folder */
static int log_handle = -1;
static long calls, records, kill_at, fail_from, fail_count;
static int fail_with, fail_kinds, full, everything, begun;
static char once[PATH];
static struct bad bad[BAD];
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static long sys_open(int at, const char *path, int flags, mode_t mode) {
    return syscall(SYS_openat, at, path, flags | O_LARGEFILE, mode);
}

/* The path below the folder, or NULL. */
static const char *below(int at, const char *path, char *space) {
    if (!folder_size || path == NULL) return NULL;
    if (path[0] == '/') {
        snprintf(space, PATH, "%s", path);
    } else {
        char base[PATH] = "";
        if (at == AT_FDCWD) {
            if (getcwd(base, sizeof base) == NULL) return NULL;
        } else {
            char link[64];
            snprintf(link, sizeof link, "/proc/self/fd/%d", at);
            ssize_t size = syscall(SYS_readlinkat, AT_FDCWD, link, base, sizeof base - 1);
            if (size < 0) return NULL;
            base[size] = 0;
        }
        if (snprintf(space, PATH, "%s/%s", base, path) >= PATH) return NULL;
    }
    if (strncmp(space, folder, folder_size) || (space[folder_size] != '/' && space[folder_size] != 0)) return NULL;
    return space[folder_size] ? space + folder_size + 1 : space + folder_size;
}

static void put(const void *data, size_t size) {
    const char *from = data;
    while (size > 0) {
        ssize_t done = syscall(SYS_write, log_handle, from, size);
        if (done <= 0) abort(); /* a record with a hole would prove anything */
        from += done;
        size -= done;
    }
}

static void record(char what, int handle, int64_t at, const void *first, size_t one, const void *second, size_t two) {
    if (log_handle < 0) return;
    records++;
    struct header header = {(uint32_t)what, handle, at, (uint32_t)one, (uint32_t)two};
    put(&header, sizeof header);
    put(first, one);
    put(second, two);
}

static int is_ours(int handle) { return folder_size && handle >= 0 && handle < FILES && ours[handle]; }

/* Counts a call. Kills here, or says with which error the call is to fail; 0: it is to be carried out. */
static int meet(enum kind kind, int of_folder) {
    begun |= of_folder;
    if (!of_folder && !(everything && begun)) return 0; /* not while libraries and modules are still loaded */
    calls++;
    if (kill_at && calls == kill_at) {
        if (once[0]) {
            int handle = sys_open(AT_FDCWD, once, O_CREAT | O_EXCL | O_WRONLY, 0600);
            if (handle < 0) return 0; /* it has killed before */
            syscall(SYS_close, handle);
        }
        syscall(SYS_kill, getpid(), SIGKILL);
    }
    if (of_folder && fail_count > 0 && calls >= fail_from && (fail_kinds & kind)) {
        fail_count--;
        return fail_with;
    }
    return 0;
}

#define REFUSED(kind, of_folder)                              \
    do {                                                      \
        int why = meet(kind, of_folder);                      \
        if (why) { pthread_mutex_unlock(&lock); errno = why; return -1; } \
    } while (0)

#define REFUSE(why) do { pthread_mutex_unlock(&lock); errno = (why); return -1; } while (0)
#define LEAVE(result) do { long left = (result); pthread_mutex_unlock(&lock); return left; } while (0)

static int opened(int at, const char *path, int flags, mode_t mode) {
    char space[PATH];
    pthread_mutex_lock(&lock);
    const char *name = below(at, path, space);
    REFUSED(OPEN, name != NULL);
    if (name == NULL) LEAVE(sys_open(at, path, flags, mode));
    struct stat before;
    int there = syscall(SYS_newfstatat, at, path, &before, 0) == 0;
    if (full && !there && (flags & O_CREAT)) REFUSE(ENOSPC);
    int handle = sys_open(at, path, flags, mode);
    if (handle >= 0 && handle < FILES) {
        int64_t what = (there ? 0 : 1) | (there && (flags & O_TRUNC) ? 2 : 0);
        ours[handle] = 1;
        record('O', handle, what, name, strlen(name), NULL, 0);
    }
    LEAVE(handle);
}

#define MODE(flags, last)                                            \
    mode_t mode = 0;                                                 \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {                         \
        va_list rest; va_start(rest, last); mode = va_arg(rest, mode_t); va_end(rest); \
    }

int open(const char *path, int flags, ...) { MODE(flags, flags) return opened(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags, flags) return opened(AT_FDCWD, path, flags, mode); }
int openat(int at, const char *path, int flags, ...) { MODE(flags, flags) return opened(at, path, flags, mode); }
int openat64(int at, const char *path, int flags, ...) { MODE(flags, flags) return opened(at, path, flags, mode); }
int __open_2(const char *path, int flags) { return opened(AT_FDCWD, path, flags, 0); }
int __open64_2(const char *path, int flags) { return opened(AT_FDCWD, path, flags, 0); }
int __openat_2(int at, const char *path, int flags) { return opened(at, path, flags, 0); }
int __openat64_2(int at, const char *path, int flags) { return opened(at, path, flags, 0); }

int close(int handle) {
    pthread_mutex_lock(&lock);
    if (handle == log_handle && handle >= 0) REFUSE(EBADF);
    meet(OTHER, is_ours(handle)); /* a close never fails in a way that matters */
    if (is_ours(handle)) {
        record('C', handle, 0, NULL, 0, NULL, 0);
        ours[handle] = 0;
    }
    LEAVE(syscall(SYS_close, handle));
}

/* True if reading there meets a bad sector: it stays with the file, whatever its name, and a new one has others. */
static int is_bad(int handle, long from, size_t size) {
    struct stat found;
    if (!bad[0].to || fstat(handle, &found)) return 0;
    for (int n = 0; n < BAD && bad[n].to; n++)
        if (bad[n].device == found.st_dev && bad[n].file == found.st_ino && from < bad[n].to
            && from + (long)size > bad[n].from)
            return 1;
    return 0;
}

static long place(int handle) { return syscall(SYS_lseek, handle, 0, SEEK_CUR); }

ssize_t read(int handle, void *to, size_t size) {
    if (!is_ours(handle) && !everything) return syscall(SYS_read, handle, to, size);
    pthread_mutex_lock(&lock);
    REFUSED(READ, is_ours(handle));
    if (is_ours(handle) && is_bad(handle, place(handle), size)) REFUSE(EIO);
    pthread_mutex_unlock(&lock); /* it may wait for somebody */
    return syscall(SYS_read, handle, to, size);
}
ssize_t __read_chk(int handle, void *to, size_t size, size_t room) {
    if (size > room) abort();
    return read(handle, to, size);
}
ssize_t pread64(int handle, void *to, size_t size, off_t at) {
    if (!is_ours(handle) && !everything) return syscall(SYS_pread64, handle, to, size, at);
    pthread_mutex_lock(&lock);
    REFUSED(READ, is_ours(handle));
    if (is_ours(handle) && is_bad(handle, at, size)) REFUSE(EIO);
    LEAVE(syscall(SYS_pread64, handle, to, size, at));
}
ssize_t pread(int handle, void *to, size_t size, off_t at) { return pread64(handle, to, size, at); }
ssize_t __pread64_chk(int handle, void *to, size_t size, off_t at, size_t room) {
    if (size > room) abort();
    return pread64(handle, to, size, at);
}

/* At most as much as a full disk still takes: what is there may be overwritten. */
static size_t room(int handle, long at, size_t size) {
    struct stat now;
    if (!full || fstat(handle, &now)) return size;
    long left = now.st_size - at;
    return left <= 0 ? 0 : (size_t)left < size ? (size_t)left : size;
}

static ssize_t written(int handle, const void *from, size_t size, long at, int placed) {
    pthread_mutex_lock(&lock);
    REFUSED(WRITE, is_ours(handle));
    if (is_ours(handle)) {
        if (!placed) {
            struct stat now;
            int flags = syscall(SYS_fcntl, handle, F_GETFL);
            at = (flags & O_APPEND) && !fstat(handle, &now) ? now.st_size : place(handle);
        }
        size_t wanted = size;
        size = room(handle, at, size);
        if (wanted && !size) REFUSE(ENOSPC);
    } else if (!placed) {
        pthread_mutex_unlock(&lock); /* it may wait for somebody */
        return syscall(SYS_write, handle, from, size);
    }
    ssize_t done = placed ? syscall(SYS_pwrite64, handle, from, size, at) : syscall(SYS_write, handle, from, size);
    if (done > 0 && is_ours(handle)) record('W', handle, at, from, done, NULL, 0);
    LEAVE(done);
}
ssize_t write(int handle, const void *from, size_t size) {
    if (!is_ours(handle) && !everything) return syscall(SYS_write, handle, from, size);
    return written(handle, from, size, 0, 0);
}
ssize_t pwrite64(int handle, const void *from, size_t size, off_t at) {
    if (!is_ours(handle) && !everything) return syscall(SYS_pwrite64, handle, from, size, at);
    return written(handle, from, size, at, 1);
}
ssize_t pwrite(int handle, const void *from, size_t size, off_t at) { return pwrite64(handle, from, size, at); }
ssize_t writev(int handle, const struct iovec *parts, int count) {
    if (!is_ours(handle)) return syscall(SYS_writev, handle, parts, count);
    ssize_t total = 0;
    for (int n = 0; n < count; n++) {
        ssize_t done = write(handle, parts[n].iov_base, parts[n].iov_len);
        if (done < 0) return total ? total : done;
        total += done;
        if ((size_t)done < parts[n].iov_len) break;
    }
    return total;
}

/* Copies inside the kernel would pass by: whoever asks reads and writes instead. */
ssize_t sendfile64(int to, int from, off_t *at, size_t count) {
    if (is_ours(to)) { errno = EINVAL; return -1; }
    return syscall(SYS_sendfile, to, from, at, count);
}
ssize_t sendfile(int to, int from, off_t *at, size_t count) { return sendfile64(to, from, at, count); }
ssize_t copy_file_range(int from, off_t *there, int to, off_t *here, size_t count, unsigned int flags) {
    if (is_ours(to)) { errno = EXDEV; return -1; }
    return syscall(SYS_copy_file_range, from, there, to, here, count, flags);
}

int ftruncate64(int handle, off_t size) {
    struct stat now;
    pthread_mutex_lock(&lock);
    REFUSED(SIZE, is_ours(handle));
    if (is_ours(handle) && full && !fstat(handle, &now) && size > now.st_size) REFUSE(ENOSPC);
    int done = syscall(SYS_ftruncate, handle, size);
    if (!done && is_ours(handle)) record('T', handle, size, NULL, 0, NULL, 0);
    LEAVE(done);
}
int ftruncate(int handle, off_t size) { return ftruncate64(handle, size); }

static int synced(int handle, long number) {
    pthread_mutex_lock(&lock);
    REFUSED(SYNC, is_ours(handle));
    int done = syscall(number, handle);
    if (!done && is_ours(handle)) record('S', handle, 0, NULL, 0, NULL, 0);
    LEAVE(done);
}
int fsync(int handle) { return synced(handle, SYS_fsync); }
int fdatasync(int handle) { return synced(handle, SYS_fdatasync); }

static int renamed(int at, const char *old, int to, const char *new, unsigned int flags) {
    char one[PATH], two[PATH];
    pthread_mutex_lock(&lock);
    const char *from = below(at, old, one), *onto = below(to, new, two);
    REFUSED(NAME, from != NULL || onto != NULL);
    if ((from == NULL) != (onto == NULL)) REFUSE(EXDEV); /* as between two file systems: nothing passes by unrecorded */
    int done = syscall(SYS_renameat2, at, old, to, new, flags);
    if (!done && from != NULL) record('R', 0, 0, from, strlen(from), onto, strlen(onto));
    LEAVE(done);
}
int rename(const char *old, const char *new) { return renamed(AT_FDCWD, old, AT_FDCWD, new, 0); }
int renameat(int at, const char *old, int to, const char *new) { return renamed(at, old, to, new, 0); }
int renameat2(int at, const char *old, int to, const char *new, unsigned int flags) {
    return renamed(at, old, to, new, flags);
}

static int removed(int at, const char *path, int flags) {
    char space[PATH];
    pthread_mutex_lock(&lock);
    const char *name = below(at, path, space);
    REFUSED(NAME, name != NULL);
    int done = syscall(SYS_unlinkat, at, path, flags);
    if (!done && name != NULL) record('U', 0, 0, name, strlen(name), NULL, 0);
    LEAVE(done);
}
int unlink(const char *path) { return removed(AT_FDCWD, path, 0); }
int unlinkat(int at, const char *path, int flags) { return removed(at, path, flags); }
int rmdir(const char *path) { return removed(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char *path) {
    int done = unlink(path);
    return done && (errno == EISDIR || errno == EPERM) ? rmdir(path) : done;
}

static int made(int at, const char *path, mode_t mode) {
    char space[PATH];
    pthread_mutex_lock(&lock);
    const char *name = below(at, path, space);
    REFUSED(NAME, name != NULL);
    if (name != NULL && full) REFUSE(ENOSPC);
    int done = syscall(SYS_mkdirat, at, path, mode);
    if (!done && name != NULL) record('M', 0, 0, name, strlen(name), NULL, 0);
    LEAVE(done);
}
int mkdir(const char *path, mode_t mode) { return made(AT_FDCWD, path, mode); }
int mkdirat(int at, const char *path, mode_t mode) { return made(at, path, mode); }

/* Counted only: at these, too, a process may be killed. */
ssize_t send(int socket, const void *from, size_t size, int flags) {
    if (everything) { pthread_mutex_lock(&lock); meet(OTHER, 0); pthread_mutex_unlock(&lock); }
    return syscall(SYS_sendto, socket, from, size, flags, NULL, 0);
}
ssize_t sendmsg(int socket, const struct msghdr *message, int flags) {
    if (everything) { pthread_mutex_lock(&lock); meet(OTHER, 0); pthread_mutex_unlock(&lock); }
    return syscall(SYS_sendmsg, socket, message, flags);
}

/* How it is steered. All of it holds for this process alone; a child begins with a disk that does not lie. */

void disk_heal(void) {
    fail_count = 0;
    kill_at = full = 0;
    memset(bad, 0, sizeof bad);
}

void disk_leave(void) {
    pthread_mutex_lock(&lock);
    disk_heal();
    if (log_handle >= 0) syscall(SYS_close, log_handle);
    log_handle = -1;
    folder_size = 0;
    everything = begun = 0;
    memset(ours, 0, sizeof ours);
    pthread_mutex_unlock(&lock);
}

/* From now on calls below `path` (absolute, without links) are met; they are recorded if `log` is not NULL. */
int disk_watch(const char *path, const char *log) {
    pthread_mutex_lock(&lock);
    disk_leave();
    if (log != NULL) {
        int handle = sys_open(AT_FDCWD, log, O_CREAT | O_TRUNC | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
        if (handle < 0) LEAVE(-1);
        log_handle = syscall(SYS_fcntl, handle, F_DUPFD_CLOEXEC, 900); /* out of everybody's way */
        if (log_handle < 0) log_handle = handle; else syscall(SYS_close, handle);
    }
    snprintf(folder, sizeof folder, "%s", path);
    folder_size = strlen(folder);
    calls = records = 0;
    LEAVE(0);
}

long disk_calls(void) { return calls; }
long disk_records(void) { return records; }
long disk_recorded(void) { return log_handle < 0 ? 0 : syscall(SYS_lseek, log_handle, 0, SEEK_END); }
void disk_kill(long at) { kill_at = at; }
void disk_everything(int is) { everything = is; }
void disk_full(int is) { full = is; }
void disk_fail(long from, long count, int error, int kinds) {
    fail_from = from;
    fail_with = error;
    fail_kinds = kinds;
    fail_count = count;
}
int disk_bad(const char *path, long from, long to) {
    struct stat found;
    if (stat(path, &found)) return -1;
    for (int n = 0; n < BAD; n++)
        if (!bad[n].to) {
            bad[n] = (struct bad){found.st_dev, found.st_ino, from, to};
            return 0;
        }
    return -1;
}

static int runs(const char *word) {
    char line[8192];
    int handle = sys_open(AT_FDCWD, "/proc/self/cmdline", O_RDONLY, 0);
    ssize_t size = handle < 0 ? 0 : syscall(SYS_read, handle, line, sizeof line);
    if (handle >= 0) syscall(SYS_close, handle);
    return size > 0 && memmem(line, size, word, strlen(word)) != NULL;
}

/* LYING_DISK_IN: a word of the command line of the process that is meant. It is killed at a call, of any file;
 * LYING_DISK_ONCE: a file that is made then, so that it happens once. */
__attribute__((constructor)) static void begin(void) {
    const char *meant = getenv("LYING_DISK_IN"), *path = getenv("LYING_DISK_FOLDER"), *at = getenv("LYING_DISK_KILL");
    const char *mark = getenv("LYING_DISK_ONCE");
    if (meant == NULL || path == NULL || !runs(meant)) return;
    disk_watch(path, getenv("LYING_DISK_LOG"));
    if (mark != NULL) snprintf(once, sizeof once, "%s", mark);
    everything = begun = 1;
    if (at != NULL) kill_at = atol(at);
    unsetenv("LYING_DISK_IN"); /* its children live */
}
