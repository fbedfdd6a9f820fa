// Library that shifts the wall clock of a process by an offset, which another process can change at any time. LD_PRELOAD
// loads it before the C library. CLOCK_OFFSET_FILE names the file with the offset: nanoseconds as a 64-bit integer. The
// monotonic clock stays as it is, as at a real step of the clock.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS 1000000000

static const volatile int64_t none;
static const volatile int64_t *offset_ns = &none;

__attribute__((constructor)) static void map_offset(void) {
  const char *path = getenv("CLOCK_OFFSET_FILE");
  int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  void *offset = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  if (offset != MAP_FAILED) offset_ns = offset;
  close(file);
}

// Makes a system call instead of calling the C library. A search for the function of the C library would allocate
// memory, but the allocator of Redis reads the clock before the allocator is ready.
int clock_gettime(clockid_t id, struct timespec *now) {
  int status = syscall(SYS_clock_gettime, id, now);
  if (status != 0 || (id != CLOCK_REALTIME && id != CLOCK_REALTIME_COARSE)) return status;
  int64_t ns = (int64_t)now->tv_sec * SECOND_NS + now->tv_nsec + *offset_ns;
  now->tv_sec = ns / SECOND_NS;
  now->tv_nsec = ns % SECOND_NS;
  return 0;
}

int gettimeofday(struct timeval *now, void *zone) {
  struct timespec exact;
  (void)zone;
  if (clock_gettime(CLOCK_REALTIME, &exact) != 0) return -1;
  now->tv_sec = exact.tv_sec;
  now->tv_usec = exact.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *result) {
  struct timespec exact;
  if (clock_gettime(CLOCK_REALTIME, &exact) != 0) return -1;
  if (result != NULL) *result = exact.tv_sec;
  return exact.tv_sec;
}
