/**
 * # fd/leak
 *
 * ## What it does
 * Reports a file descriptor that this function obtained by export or `dup` and that is neither imported, closed, stored, returned nor
 * sent: at the end, on an early way out, or when the next round of a loop exports again. Also one that was received from another process and
 * goes to an import that takes nothing over, such as `cuMemImportFromShareableHandle`. Properties of DRM, sync files of dma-bufs and acquire
 * fences of Wayland only look at a descriptor.
 *
 * ## Why is this bad
 * Every export and every `dup` makes a new descriptor in the process's table, also when the object behind it is the same. One that
 * nobody closes is lost; one each frame ends a process within seconds at its limit of open files, and then unrelated `open` and
 * `socket` calls fail. The exported memory also stays alive as long as the descriptor does.
 *
 * ## Example
 * ```cpp
 * #include <poll.h>
 * #include <vulkan/vulkan.h>
 * bool is_signaled(VkDevice device, const VkFenceGetFdInfoKHR& query) {
 *     int fd = -1;
 *     if (vkGetFenceFdKHR(device, &query, &fd) != VK_SUCCESS) return false;
 *     pollfd entry{fd, POLLIN, 0};
 *     return poll(&entry, 1, 0) == 1;
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <poll.h>
 * #include <unistd.h>
 * #include <vulkan/vulkan.h>
 * bool is_signaled(VkDevice device, const VkFenceGetFdInfoKHR& query) {
 *     int fd = -1;
 *     if (vkGetFenceFdKHR(device, &query, &fd) != VK_SUCCESS) return false;
 *     pollfd entry{fd, POLLIN, 0};
 *     const bool signaled = poll(&entry, 1, 0) == 1;
 *     close(fd);
 *     return signaled;
 * }
 * ```
 *
 * ## What it cannot see
 * Descriptors in fields, arrays, containers and classes with a destructor, and those that unknown functions got: they may well be closed
 * there. In Python, a descriptor that some way out closes: exceptions in between are not followed. Ways past a `close` that stands under a condition which nobody can decide are taken for right.
 */
import { fdLeaks } from '../../analyses/fd-leaks';
import { pythonFdLeaks } from '../../analyses/python-fds';
import { receivedAndKept } from '../../analyses/received-fds';
import { defineRule } from '../rule';

interface Data {
  readonly origin: string;
  readonly how: 'left' | 'overwritten' | 'again' | 'this way' | 'received';
}

const what: Readonly<Record<Data['how'], string>> = {
  'this way': 'is not closed on this way out, as it is on others',
  left: 'is not closed, imported or handed on when the function leaves',
  received: 'came from another process and stays open, for this import takes nothing over',
  overwritten: 'loses its only name before it is closed or imported',
  again: 'is still open when the next round of the loop obtains another',
};

const places: Readonly<Record<Exclude<Data['how'], 'this way' | 'received'>, string>> = {
  left: 'the function leaves here with the descriptor open',
  overwritten: 'the descriptor is overwritten here',
  again: 'obtained again here while the last one is open',
};

export const rule = defineRule<Data>({
  meta: {
    id: 'fd/leak',
    summary: 'An exported or duplicated file descriptor is never closed, imported, stored or handed on.',
    severity: 'warning',
    tier: 'B',
    precision: 'certain',
    fix: 'none',
    languages: ['c', 'cpp', 'cuda', 'python'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ origin, how }) {
    return `The descriptor ${how === 'received' ? '' : 'from '}${origin} ${what[how]}: each call makes a new one, and the process has only so many. Close it when it is no longer needed, or hand it to an import that adopts it.`;
  },

  detect(file, report) {
    if (file.language === 'python') {
      for (const call of file.subjects.flatMap((fn) => pythonFdLeaks(file, fn))) report({ at: call, data: { origin: call.name, how: 'left' } });
      return;
    }
    for (const { importer, received, name } of file.subjects.flatMap(receivedAndKept))
      report({
        at: importer,
        data: { origin: `\`${name}\``, how: 'received' },
        related: [{ at: received, message: 'received here' }],
        isPreview: true,
      });
    for (const { acquired, at, how, way } of fdLeaks(file)) {
      const origin = acquired.name;
      if (way) report({ at: way, data: { origin, how: 'this way' }, related: [{ at: acquired, message: `${origin} makes the descriptor here` }] });
      else report({ at: acquired, data: { origin, how }, related: at === acquired ? [] : [{ at, message: places[how] }] });
    }
  },
});
