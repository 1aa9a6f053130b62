/**
 * # sync/missing-stream-join
 *
 * ## What it does
 * Reports data that work on one CUDA stream produces and work on another stream consumes with neither event nor synchronise between.
 * A struct that carries the stream it was filled on counts as produced there; in Python, so does what is computed inside
 * `with torch.cuda.stream(side)`, also where a kernel of Warp or CuPy takes it inside of that block: each framework has a current stream
 * of its own. With the preview rules, one method of a class fills and another reads, on streams that the class keeps to itself and never
 * joins; and a launcher that nobody sees counts as writing its only pointer that is not const, or one named as a result.
 *
 * ## Why is this bad
 * Streams run beside each other. The consumer may start before the producer is done, and the caching allocator of Torch may even give the
 * memory away. A side stream and the default stream are different streams too.
 *
 * ## Example
 * ```python
 * import torch
 * def overlapped(model, x, side):
 *     with torch.cuda.stream(side):
 *         y = torch.relu(x)
 *     return torch.sum(y)
 * ```
 *
 * ## Use instead
 * ```python
 * import torch
 * def overlapped(model, x, side):
 *     side.wait_stream(torch.cuda.current_stream())
 *     with torch.cuda.stream(side):
 *         y = torch.relu(x)
 *     torch.cuda.current_stream().wait_stream(side)
 *     return torch.sum(y)
 * ```
 *
 * ## What it cannot see
 * Joins in functions that nobody sees silence it, and so do kernels whose body does not show that one stores what the other loads. Two
 * parameters or two fields are believed to be different streams unless the function compares them; of other names the file has to create
 * one. Work of another framework, and structs that carry their stream, show with the preview rules only. The legacy default stream waits for blocking streams by itself, so it counts as another stream only beside non-blocking ones.
 */

import { mayBeOneStream } from '../../analyses/alike-streams';
import { type Framework, foreignWork } from '../../analyses/current-streams';
import { consumes, leftOnStreams, mayJoin } from '../../analyses/left-on-streams';
import { unjoinedMethods } from '../../analyses/method-joins';
import { straySides } from '../../analyses/numba-streams';
import { producedIn, scopeAt, streamScopes } from '../../analyses/python-streams';
import { carriedStreams, type Unjoined, unjoinedHelpers, unjoinedWork } from '../../analyses/stream-joins';
import type { Call, FileFacts, FunctionFacts } from '../../facts/index';
import { pathText } from '../../facts/paths';
import { reachesWithout } from '../../flow/order';
import { defineRule, type Problem } from '../rule';

interface Data {
  readonly data: string;
  readonly producer: string;
  readonly consumer: string;
}

export const rule = defineRule<Data>({
  meta: {
    id: 'sync/missing-stream-join',
    summary: 'Data produced on one stream is consumed on another without event or synchronise between.',
    severity: 'warning',
    tier: 'B',
    precision: 'likely',
    fix: 'none',
    languages: ['c', 'cpp', 'cuda', 'python'],
    group: 'stable',
    since: '0.1.0',
    evidence: 'twins',
  },

  message({ data, producer, consumer }) {
    return `\`${data}\` is produced on ${producer} and consumed on ${consumer}, and nothing makes the consumer wait: it may read before the data is there. Record an event behind the producer and let the consumer's stream wait for it.`;
  },

  detect(file, report) {
    for (const fn of file.subjects) {
      if (fn.degraded) continue;
      if (file.language === 'python') {
        checkPython(file, fn, report);
        checkLeft(file, fn, report);
        checkForeign(file, fn, report);
        checkNumba(file, fn, report);
        continue;
      }
      for (const found of [...carriedStreams(file, fn), ...unjoinedWork(file, fn), ...unjoinedHelpers(file, fn), ...unjoinedMethods(file, fn)])
        if (!mayBeOneStream(file, fn, found.producer, found.consumer)) add(found, report);
    }
  },
});

type Report = (problem: Problem<Data>) => void;

function add({ reader, writer, data, producer, consumer, isSure }: Unjoined, report: Report): void {
  const name = (key: string) => (key === 'default' ? 'the default stream' : `\`${key}\``);
  const related = writer ? [{ at: writer.call, message: 'produced here' }] : [];
  report({ at: reader.call, data: { data: pathText(data), producer: name(producer), consumer: name(consumer) }, related, isPreview: !isSure });
}

const names: Readonly<Record<Framework, string>> = { torch: "Torch's", warp: "Warp's", cupy: "CuPy's" };

function checkForeign(file: FileFacts, fn: FunctionFacts, report: Report): void {
  for (const { work, by, scope, data, produced } of foreignWork(file, fn)) {
    const said = { data: pathText(data), producer: `\`${file.source(scope.stream)}\``, consumer: `${names[by]} own current stream` };
    report({ at: work, data: said, related: [{ at: produced, message: 'produced here' }], isPreview: true });
  }
}

function checkNumba(file: FileFacts, fn: FunctionFacts, report: Report): void {
  for (const { launch, scope, data, produced } of straySides(file, fn)) {
    const said = { data, producer: `\`${file.source(scope.stream)}\``, consumer: "Numba's default stream" };
    report({ at: launch, data: said, related: [{ at: produced, message: 'produced here' }] });
  }
}

function checkLeft(file: FileFacts, fn: FunctionFacts, report: Report): void {
  for (const { reader, data, key, consumer, produced } of leftOnStreams(file, fn)) {
    const said = { data: pathText(data), producer: `\`${key}\``, consumer: consumer ? `\`${consumer}\`` : 'the current stream' };
    report({ at: reader, data: said, related: [{ at: produced, message: 'produced here' }], isPreview: true });
  }
}

function checkPython(file: FileFacts, fn: FunctionFacts, report: Report): void {
  const scopes = streamScopes(fn, file);
  const seen = new Set<Call>();
  for (const scope of scopes) {
    for (const { path, at } of producedIn(fn, scope)) {
      const reader = fn.calls.find((call) => call.id > scope.end.id && consumes(call, path));
      if (!reader || seen.has(reader) || scopeAt(scopes, reader)?.key === scope.key) continue;
      const between = fn.events.filter((event) => event.id > at.id && event.id < reader.id);
      if (between.some((event) => mayJoin(event, path)) || !reachesWithout(at, reader, () => false)) continue;
      seen.add(reader);
      const consumer = scopeAt(scopes, reader)?.key;
      const data = { data: pathText(path), producer: `\`${scope.key}\``, consumer: consumer ? `\`${consumer}\`` : 'the current stream' };
      report({ at: reader, data, related: [{ at, message: 'produced here' }] });
    }
  }
}
