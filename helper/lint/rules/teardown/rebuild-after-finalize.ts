/**
 * # teardown/rebuild-after-finalize
 *
 * ## What it does
 * Reports a method that rebuilds GPU buffers (rebuild, reupload, restore, ...) from a CPU copy that another method of the class drops, with
 * no guard that refuses once the copy is gone.
 *
 * ## Why is this bad
 * After the drop the GPU buffer is the only truth. A late rebuild, on device loss or after a scene change, uploads an empty copy over it:
 * nothing fails, the geometry is just gone.
 *
 * ## Example
 * ```cuda
 * #include <cuda_runtime.h>
 * #include <vector>
 * class Mesh {
 * public:
 *     void finalize() { vertices_.clear(); }
 *     void rebuild() {
 *         cudaMemcpy(buffer_, vertices_.data(), vertices_.size() * sizeof(float), cudaMemcpyHostToDevice);
 *     }
 * private:
 *     std::vector<float> vertices_;
 *     float* buffer_ = nullptr;
 * };
 * ```
 *
 * ## Use instead
 * ```cuda
 * #include <cuda_runtime.h>
 * #include <stdexcept>
 * #include <vector>
 * class Mesh {
 * public:
 *     void finalize() { vertices_.clear(); }
 *     void rebuild() {
 *         if (vertices_.empty()) throw std::logic_error("rebuild after finalize");
 *         cudaMemcpy(buffer_, vertices_.data(), vertices_.size() * sizeof(float), cudaMemcpyHostToDevice);
 *     }
 * private:
 *     std::vector<float> vertices_;
 *     float* buffer_ = nullptr;
 * };
 * ```
 *
 * ## What it cannot see
 * Guards at the callers, and refills that happen between the two in other files. Only methods whose name says that they build again are
 * looked at.
 */
import { reachedCalls } from '../../analyses/releases';
import type { Call, ClassFacts, Event, Expr, FileFacts, FunctionFacts, Path } from '../../facts/index';
import { lastName, mentions, pathOf, samePath, stripCasts, walk } from '../../facts/paths';
import { defineRule } from '../rule';

interface Data {
  readonly mirror: string;
  readonly rebuild: string;
  readonly drop: string;
}

export const rule = defineRule<Data>({
  meta: {
    id: 'teardown/rebuild-after-finalize',
    summary: 'GPU buffers are rebuilt from a CPU copy that the class has dropped.',
    severity: 'warning',
    tier: 'C',
    precision: 'likely',
    fix: 'none',
    languages: ['c', 'cpp', 'cuda', 'python'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ mirror, rebuild, drop }) {
    return `\`${rebuild}\` uploads \`${mirror}\`, which \`${drop}\` has dropped: run after it, the rebuild writes nothing over correct GPU data. Refuse to rebuild once the copy is gone, or keep the copy.`;
  },

  detect(file, report) {
    for (const each of file.subjectClasses) {
      const rebuilds = each.methods.filter((method) => again.test(method.name) && !method.degraded);
      if (rebuilds.length === 0) continue;
      for (const drop of dropsIn(each)) {
        for (const method of rebuilds) {
          const upload = uploadIn(file, method, drop);
          if (!upload) continue;
          report({
            at: upload,
            data: { mirror: lastName(drop.mirror), rebuild: method.name, drop: drop.at.fn.name },
            related: [{ at: drop.at, message: 'the copy is dropped here' }],
          });
        }
      }
    }
  },
});

const again = /^_*(on_?)?re_?(build|upload|create|load|store|init|fresh|alloc|make)\w*$|^_*on_?(device|context)_?(lost|reset|restored)/i;

interface Drop {
  readonly mirror: Path;
  readonly at: Event;
}

/** Where methods that build nothing again let go of a field: `clear`, `= {}`, `free`, a move. Destructors and constructors do not count. */
function dropsIn(each: ClassFacts): Drop[] {
  const methods = each.methods.filter(
    (method) => method.kind === 'method' && !again.test(method.name) && !/^__/.test(method.name) && !method.degraded,
  );
  const found = methods.flatMap((method) => method.events.flatMap((event) => dropped(event).map((mirror) => ({ mirror, at: event }))));
  return found.filter(({ mirror, at }) => isField(mirror) && !isRefilled(at.fn, at, mirror));
}

function dropped(event: Event): Path[] {
  if (event.kind === 'assign') {
    const path = pathOf(event.target);
    return path && event.op === '=' && event.value && isEmpty(event.value) ? [path] : [];
  }
  if (event.kind !== 'call') return [];
  if (/^(clear|reset)$/.test(event.name) && event.args.length === 0) return [pathOf(event.receiver)].filter((path) => path !== undefined);
  if (event.form === 'delete' || /^(std::)?free$/.test(event.callee)) return [pathOf(event.args[0])].filter((path) => path !== undefined);
  if (event.name === 'swap' && event.receiver?.kind === 'call') return [pathOf(event.args[0])].filter((path) => path !== undefined);
  return [];
}

function isEmpty(value: Expr): boolean {
  const bare = stripCasts(value);
  if (bare.kind === 'null') return true;
  if (bare.kind === 'init') return bare.entries.length === 0;
  return bare.kind === 'call' && bare.args.length === 0 && /^(std::)?vector\b/.test(bare.callee);
}

function isField(path: Path): boolean {
  return path.kind === 'this' && path.steps.length === 1 && !/gpu|device|buffer|handle|texture|fence|stream|event/i.test(lastName(path));
}

/** The method fills the field again behind the drop: it starts anew rather than finishing. */
function isRefilled(fn: FunctionFacts, at: Event, mirror: Path): boolean {
  return fn.events.some((event) => event.id > at.id && fills(event, mirror));
}

function fills(event: Event, mirror: Path): boolean {
  if (event.kind === 'assign') return samePath(pathOf(event.target), mirror) && event.value !== undefined && !isEmpty(event.value);
  if (event.kind !== 'call') return false;
  if (samePath(pathOf(event.receiver), mirror)) return /^(push_back|emplace_back|assign|resize|insert|append|extend|reserve|load)$/.test(event.name);
  return (
    event.args.some((arg) => arg.kind === 'unary' && arg.op === '&' && mentions(arg, mirror)) ||
    (!event.api && /^(load|read|fill|generate|parse|fetch)/i.test(event.name))
  );
}

const uploads =
  /^(memcpy|memmove|copy_n|copy|glBufferData|glBufferSubData|glNamedBuffer\w*Data|glTex\w*Image\w*|vkCmdUpdateBuffer|array|asarray|from_numpy|tensor|as_tensor|to_gpu|to_device)$|upload|HtoD/i;

/** The upload of the field in a rebuild, when neither a test of it or of what the drop sets, nor a refill, comes before. */
function uploadIn(file: FileFacts, method: FunctionFacts, drop: Drop): Call | undefined {
  const isUpload = (call: Call) =>
    (uploads.test(call.name) || (call.api?.does('copy') ?? false)) && call.args.some((arg) => mentions(arg, drop.mirror));
  const upload = method.calls.find(isUpload);
  if (!upload || callsFirst(file, drop.at, method)) return undefined;
  const flags = drop.at.fn.events.flatMap((event) => (event.kind === 'assign' ? (pathOf(event.target) ?? []) : []));
  const before = method.events.filter((event) => event.id < upload.id);
  const isGuard = (event: Event) =>
    event.kind === 'test' &&
    [...walk(event.expr)].some((part) => part.kind === 'path' && (mentions(part, drop.mirror) || flags.some((flag) => samePath(flag, part.path))));
  const isHelped = (event: Event) => event.kind === 'call' && !event.api && /check|require|ensure|assert|guard|valid|expect/i.test(event.name);
  return before.some((event) => isGuard(event) || fills(event, drop.mirror) || isHelped(event)) ? undefined : upload;
}

/** The dropping method itself runs the rebuild before it drops. */
function callsFirst(file: FileFacts, drop: Event, method: FunctionFacts): boolean {
  return [...reachedCalls(file, drop.fn)].some(({ call }) => call.fn === method);
}
