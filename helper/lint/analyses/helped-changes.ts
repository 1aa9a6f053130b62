// What helpers of the file do to descriptor sets and resources for their caller, so far as it concerns recorded command buffers.
import type { FileFacts, Path } from '../facts/index';
import { declarationOf, lastName, pathOf, walk } from '../facts/paths';
import { resolveCallee } from '../flow/program';
import { fromFunctions } from '../memo/table';
import { type Change, changesIn, mayRecord } from './command-buffers';
import { translation } from './releases';
import { throughCalls } from './through-calls';

/** `grow(n)` that destroys and makes anew the buffer of the own object, `point_at(pass)` that updates the set of what it is given. */
export const helpedChanges = throughCalls<Change[]>(
  3,
  (ofCallee) => (file, fn) =>
    fn.calls.flatMap((call) => {
      const callee = call.api || !ofCallee ? undefined : resolveCallee(file, call);
      if (!callee || callee === fn || callee.degraded) return [];
      const outer = translation(call, callee);
      return [...changesIn(callee), ...ofCallee!(file, callee)].flatMap((change) => {
        const thing = outer(change.thing);
        return thing ? [{ call, thing }] : [];
      });
    }),
);

const inHpp = /^(bind(DescriptorSets|VertexBuffers|IndexBuffer|Pipeline)|beginRendering|beginRenderPass|draw\w*Indirect|copy\w+)\d*$/;

interface Use {
  readonly commands: string;
  readonly read: string;
}

/** What commands of the file read, by names. */
const recordedUses = fromFunctions((_, fn): Use[] =>
  fn.calls.flatMap((call) => {
    const commands = /^vkCmd/.test(call.name) ? pathOf(call.args[0]) : inHpp.test(call.name) ? pathOf(call.receiver) : undefined;
    if (!commands) return [];
    return call.args.flatMap((arg) =>
      walk(arg).flatMap((part) => (part.kind === 'path' ? [{ commands: lastName(commands), read: lastName(part.path) }] : [])),
    );
  }),
);

/**
 * The helper does not record, and the commands are known to read the thing: some function records so, or both lie in one part of an object,
 * as `pass.set` and `pass.commands` do.
 */
export function concernsCommands(file: FileFacts, commands: Path, { call, thing }: Change): boolean {
  if (mayRecord(file, call, commands)) return false;
  const isRead = recordedUses(file).some((use) => use.commands === lastName(commands) && use.read === lastName(thing));
  const isSet = /set/i.test(lastName(thing));
  const isPart = commands.steps.filter((step) => step.startsWith('.')).length > 1 || /&$/.test(declarationOf(call.fn, commands)?.type ?? '');
  return isRead || (isSet && isPart);
}
