/**
 * # fd/borrowed-stored
 *
 * ## What it does
 * Reports a file descriptor that another object owns and that is kept in a field without `dup`.
 *
 * ## Why is this bad
 * The owner closes the descriptor when it goes. What is left in the field is a number that the next `open`, `socket` or export gets: the
 * later import, poll or close then works on somebody else's file. If the field's class closes it as well, it is closed twice.
 *
 * ## Example
 * ```cpp
 * #include <unistd.h>
 * #include <vulkan/vulkan.h>
 * struct Frame {
 *     ~Frame() { close(fd); }
 *     int fd = -1;
 * };
 * struct Importer {
 *     void remember(const Frame& frame) { fd_ = frame.fd; }
 *     VkDeviceMemory memory_ = VK_NULL_HANDLE;
 *     int fd_ = -1;
 * };
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <unistd.h>
 * #include <vulkan/vulkan.h>
 * struct Frame {
 *     ~Frame() { close(fd); }
 *     int fd = -1;
 * };
 * struct Importer {
 *     void remember(const Frame& frame) { fd_ = dup(frame.fd); }
 *     ~Importer() { close(fd_); }
 *     VkDeviceMemory memory_ = VK_NULL_HANDLE;
 *     int fd_ = -1;
 * };
 * ```
 *
 * ## What it cannot see
 * Owners whose class is declared elsewhere and is not called like one (`unique_fd`, `ScopedFD`, ...), and fields that are used up
 * before the owner goes.
 */
import { borrowedFds } from '../../analyses/borrowed-fds';
import { pathText } from '../../facts/paths';
import { cFamily, defineRule } from '../rule';

interface Data {
  readonly target: string;
  readonly owner: string;
  readonly isLocal: boolean;
  readonly isClosed: boolean;
}

export const rule = defineRule<Data>({
  meta: {
    id: 'fd/borrowed-stored',
    summary: 'A descriptor that another object owns is kept in a field without dup.',
    severity: 'warning',
    tier: 'C',
    precision: 'likely',
    fix: 'none',
    languages: cFamily,
    group: 'preview',
    since: '0.1.0',
  },

  message({ target, owner, isLocal, isClosed }) {
    const when = isLocal ? 'when this function ends' : 'when it goes';
    const then = isClosed ? 'and it is closed a second time through the field' : 'and the field then names whatever gets the number next';
    return `\`${target}\` keeps \`${owner}\`, but its owner closes the descriptor ${when}, ${then}. Keep a dup() of it, or take it over from the owner (release, move).`;
  },

  detect(file, report) {
    for (const { store, target, owner, isLocal, close } of borrowedFds(file)) {
      const related = close ? [{ at: close, message: 'closed here as well' }] : [];
      report({ at: store, data: { target: pathText(target), owner, isLocal, isClosed: close !== undefined }, related });
    }
  },
});
