import { table } from './table';

export const posix = table(
  'posix',
  'errno',
  `
close(fd) close
_close(fd) close
dup(fd) dup -> fd
dup2(fd, target) dup -> fd
dup3(fd, target, flags) dup -> fd
fcntl(fd, command, argument) query -> fd
open(path, flags, mode) open -> fd
memfd_create(name, flags) open -> fd
eventfd(value, flags) open -> fd
socket(domain, type, protocol) open -> fd
poll(fds, count, timeout) sync
ppoll(fds, count, timeout, mask) sync
read(fd, buffer, size) read
write(fd, buffer, size)
pread(fd, buffer, size, offset) read
pwrite(fd, buffer, size, offset)
ioctl(fd, request, argument)
mmap(address, size, protection, flags, fd, offset) map -> handle
lseek(fd, offset, whence)
fstat(fd, buffer*)
fsync(fd)
ftruncate(fd, size)
sendmsg(socket, message, flags) send
recvmsg(socket, message, flags)
setenv(name, value, overwrite)
putenv(text)
`,
);

export const win32 = table(
  'win32',
  'bool',
  `
CloseHandle(handle) close
DuplicateHandle(sourceProcess, handle, targetProcess, target*, access, inherit, options) dup
SetEnvironmentVariableA(name, value)
SetEnvironmentVariableW(name, value)
`,
);

/** C library calls that borrow their arguments; listed so that passing a handle to them is no escape. */
export const libc = table(
  'c',
  'object',
  `
printf(format)
fprintf(file, format)
snprintf(buffer, size, format)
sprintf(buffer, format)
perror(text)
puts(text)
memcpy(dst, src, size) copy
memmove(dst, src, size) copy
memset(dst, value, size) reset
memcmp(left, right, size) query
strcmp(left, right) query
strncmp(left, right, size) query
strstr(text, part) query
malloc(size) alloc
calloc(count, size) alloc
free(ptr) free
to_string(value)
`,
);
