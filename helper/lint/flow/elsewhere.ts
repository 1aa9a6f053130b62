// Which function of another file a call may mean, as far as its own file tells.
import type { Call, FileFacts } from '../facts/index';
import { declarationOf } from '../facts/paths';
import type { Question } from './summary';

/** Undefined for a call that cannot mean a function of another file, or of which nobody can tell which. */
export function questionOf(file: FileFacts, call: Call, machine: string): Question | undefined {
  if (call.form !== 'call' || call.launch || call.api) return undefined;
  const common = { machine, name: call.name, arity: call.args.length + call.keywords.size };
  const nothing = { receiver: undefined, scope: undefined, within: undefined, module: undefined };
  if (file.language === 'python') {
    const origin = importedFrom(file, call);
    return origin && { ...common, ...nothing, ...origin };
  }
  const within = call.fn.className;
  if (call.receiver) {
    const receiver = isThis(call) ? within : typeOfReceiver(file, call);
    return receiver === undefined || hides(file, call) ? undefined : { ...common, ...nothing, receiver };
  }
  const scope = /(?<!\w)(\w+)::\w+$/.exec(call.callee)?.[1];
  return hides(file, call) ? undefined : { ...common, ...nothing, scope, within };
}

/** The file has functions of this name: one of them may be meant, and which one could not be told. */
function hides(file: FileFacts, { name }: Call): boolean {
  return file.functionsNamed(name).length > 0;
}

function isThis({ receiver }: Call): boolean {
  return receiver?.kind === 'path' && receiver.path.root === 'this' && receiver.path.steps.length === 0;
}

/** The class of a receiver that is a variable or a field of this file with a declared type. */
function typeOfReceiver(file: FileFacts, { receiver, fn }: Call): string | undefined {
  if (receiver?.kind !== 'path') return undefined;
  const { root, steps } = receiver.path;
  if (root === 'this' && steps.length === 1) {
    const field = file.classNamed(fn.className ?? '')?.fields.find(({ name }) => `.${name}` === steps[0]);
    return field && classOf(field.type);
  }
  const variable = steps.length === 0 ? declarationOf(fn, receiver.path) : undefined;
  const type = (variable ?? (steps.length === 0 ? file.globalNamed(root) : undefined))?.type;
  return type === undefined ? undefined : classOf(type);
}

/** `Importer` of `const base::Importer&` and `std::unique_ptr<Importer>`. */
function classOf(type: string): string | undefined {
  const held = /\b(?:unique_ptr|shared_ptr)<\s*(?:\w+::)*(\w+)\s*>/.exec(type)?.[1];
  return held ?? /^(?:(?:const|struct|class)\s+)*(?:\w+::)*([A-Za-z_]\w*)(?:\s*const)?\s*[*&]*$/.exec(type)?.[1];
}

/** Python: `take` of `from helpers import take`, `helpers.take` of `import helpers`. */
function importedFrom(file: FileFacts, { receiver, name, callee }: Call): { module: string; name: string } | undefined {
  if (!receiver) {
    const origin = file.imports.get(name);
    return origin === undefined ? undefined : split(origin);
  }
  if (receiver.kind !== 'path' || receiver.path.kind === 'local' || receiver.path.kind === 'param' || receiver.path.kind === 'this') return undefined;
  return file.imports.has(receiver.path.root) ? split(callee) : undefined;
}

function split(dotted: string): { module: string; name: string } | undefined {
  const at = dotted.lastIndexOf('.');
  const module = dotted.slice(0, Math.max(0, at)).replace(/^\.+/, '');
  return module === '' ? undefined : { module, name: dotted.slice(at + 1) };
}
