/**
 * # teardown/gated-destroy
 *
 * ## What it does
 * Reports a clean-up that frees GPU objects only when a flag such as `built_` is set, although the function that creates them can return
 * before it sets the flag.
 *
 * ## Why is this bad
 * When a later step of the build fails, the objects of the earlier steps exist and the flag says that there is nothing to free: they leak
 * on each attempt, and with imported memory the exporter's allocation leaks as well.
 *
 * ## Example
 * ```cuda
 * #include <cuda_runtime.h>
 * class Scene {
 * public:
 *     bool build(size_t bytes) {
 *         if (cudaMalloc(&vertices_, bytes) != cudaSuccess) return false;
 *         if (cudaMalloc(&indices_, bytes) != cudaSuccess) return false;
 *         built_ = true;
 *         return true;
 *     }
 *     ~Scene() {
 *         if (!built_) return;
 *         cudaFree(vertices_);
 *         cudaFree(indices_);
 *     }
 * private:
 *     void* vertices_ = nullptr;
 *     void* indices_ = nullptr;
 *     bool built_ = false;
 * };
 * ```
 *
 * ## Use instead
 * ```cuda
 * #include <cuda_runtime.h>
 * class Scene {
 * public:
 *     bool build(size_t bytes) {
 *         if (cudaMalloc(&vertices_, bytes) != cudaSuccess) return false;
 *         if (cudaMalloc(&indices_, bytes) != cudaSuccess) return false;
 *         built_ = true;
 *         return true;
 *     }
 *     ~Scene() {
 *         cudaFree(vertices_);  // null is skipped: no flag needed
 *         cudaFree(indices_);
 *     }
 * private:
 *     void* vertices_ = nullptr;
 *     void* indices_ = nullptr;
 *     bool built_ = false;
 * };
 * ```
 *
 * ## What it cannot see
 * Ways out through exceptions of unknown functions, and objects that an error path hands to a function of another file.
 */
import { endedFields } from '../../analyses/handle-fields';
import { endedPath, endsGpuObject, makesGpuObject, reachedCalls, writes } from '../../analyses/releases';
import type { Call, ClassFacts, Event, FileFacts, FunctionFacts, Path } from '../../facts/index';
import { pathOf, pathText, samePath, stripCasts, walk } from '../../facts/paths';
import { dominates, postDominates, reachesWithout } from '../../flow/order';
import { resolveCallee } from '../../flow/program';
import { cFamily, defineRule } from '../rule';

interface Data {
  readonly handle: string;
  readonly flag: string;
  readonly builder: string;
}

export const rule = defineRule<Data>({
  meta: {
    id: 'teardown/gated-destroy',
    summary: 'A free depends on a flag that is set later than what it frees is created.',
    severity: 'warning',
    tier: 'C',
    precision: 'likely',
    fix: 'none',
    languages: cFamily,
    group: 'preview',
    since: '0.1.0',
  },

  message({ handle, flag, builder }) {
    return `\`${handle}\` is freed only when \`${flag}\` is set, but \`${builder}\` can return after it was created and before \`${flag}\` is set: it then leaks. Free it whenever the handle is not null.`;
  },

  detect(file, report) {
    for (const each of file.subjectClasses) {
      for (const method of each.methods) {
        if (method.degraded) continue;
        for (const { path, call } of endedFields(file, method)) {
          const flag = gateOf(call, each);
          if (!flag || isFreedElsewhere(file, each, path, flag)) continue;
          const leak = leakOf(file, each, path, flag, call.fn);
          if (!leak) continue;
          report({
            at: call,
            data: { handle: pathText(path), flag: pathText(flag), builder: leak.made.fn.qualifiedName },
            related: [
              { at: leak.made, message: 'created here' },
              { at: leak.way, message: `returns without ${pathText(flag)}` },
            ],
          });
        }
      }
    }
  },
});

/** The boolean field whose being true is the condition of a free. */
function gateOf(call: Call, each: ClassFacts): Path | undefined {
  const target = endedPath(call);
  for (const test of call.fn.events) {
    if (test.kind !== 'test' || !dominates(test, call) || postDominates(call, test)) continue;
    const path = pathOf(test.expr);
    const field = path?.kind === 'this' && path.steps.length === 1 ? each.fields.find((own) => `.${own.name}` === path.steps[0]) : undefined;
    if (!path || !field || !/^(std::atomic<)?bool\b|^std::atomic_bool/.test(field.type) || samePath(path, target)) continue;
    if (leadsTo(test, true, call) && !leadsTo(test, false, call)) return path;
  }
  return undefined;
}

/** The branch of a test that comes out as `outcome` can reach the event. */
function leadsTo(test: Event, outcome: boolean, event: Event): boolean {
  const { blocks } = test.fn;
  const start = blocks[test.block]!.edges.find((edge) => edge.when === outcome)?.to;
  if (start === undefined) return false;
  const seen = new Set([start]);
  for (const id of seen) {
    if (id === event.block) return true;
    for (const edge of blocks[id]!.edges) if (edge.kind === 'flow') seen.add(edge.to);
  }
  return false;
}

/** Some place frees the same field without asking the flag. */
function isFreedElsewhere(file: FileFacts, each: ClassFacts, path: Path, flag: Path): boolean {
  return each.methods.some((method) =>
    endedFields(file, method).some((ended) => ended.call === ended.site && samePath(ended.path, path) && !samePath(gateOf(ended.call, each), flag)),
  );
}

/** A creation of the field behind which another failure returns before the flag is set. */
function leakOf(file: FileFacts, each: ClassFacts, path: Path, flag: Path, cleanup: FunctionFacts): { made: Call; way: Event } | undefined {
  for (const method of each.methods) {
    if (method === cleanup || method.degraded || method.kind === 'destructor') continue;
    const sets = method.events.filter((event) => event.kind === 'assign' && samePath(pathOf(event.target), flag) && isTrue(event.value));
    if (sets.length === 0) continue;
    const made = method.calls.find((call) => makesGpuObject(call) && writes(call, path));
    if (!made || sets.every((set) => set.id < made.id) || hasHelp(file, method, path)) continue;
    const way = method.events.find((event) => event.kind === 'return' && isLaterFailure(event, made, sets));
    if (way) return { made, way };
  }
  return undefined;
}

function isTrue(value: Parameters<typeof stripCasts>[0] | undefined): boolean {
  const bare = value && stripCasts(value);
  return bare?.kind === 'bool' && bare.value;
}

/** The return belongs to the failure of a later call than the creation. */
function isLaterFailure(way: Event, made: Call, sets: readonly Event[]): boolean {
  const later = made.fn.events.find(
    (test) =>
      test.kind === 'test' &&
      test.id < way.id &&
      dominates(test, way) &&
      [...walk(test.expr)].some((part) => part.kind === 'call' && part.id > made.id) &&
      dominates(made, test),
  );
  return later !== undefined && reachesWithout(made, way, (event) => sets.includes(event));
}

/** The builder frees on its own error paths, or hands them to a helper. */
function hasHelp(file: FileFacts, method: FunctionFacts, path: Path): boolean {
  return [...reachedCalls(file, method)].some(({ call, outer }) => {
    if (endsGpuObject(call)) return samePath(outer(endedPath(call)), path);
    return (
      !call.api &&
      call.form === 'call' &&
      /clean|destroy|free|release|reset|tear|shut|abort|fail|rollback/i.test(call.name) &&
      !resolveCallee(file, call)
    );
  });
}
