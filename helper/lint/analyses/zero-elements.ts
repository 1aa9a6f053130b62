// Descriptors in the elements that a container of a class makes by number: each starts as 0.
import type { Assign, Call, ClassFacts, Event, FileFacts, Variable } from '../facts/index';
import { declarationOf, lastName, pathOf, stripCasts } from '../facts/paths';
import { guardedCloses, isSetToNone } from './zero-fields';
import { type GuardedClose, isZeroInside, type ZeroSentinel } from './zero-sentinels';

const containers = /^(const )?(std::)?(vector|unique_ptr)</;

/** `slots_(count)` and `slots_.resize(count)`, where the class closes every descriptor of its slots that is not negative. */
export function zeroElements(file: FileFacts): ZeroSentinel[] {
  return file.subjectClasses.flatMap((each) =>
    each.fields.flatMap((field) => (containers.test(field.type) ? (inField(file, each, field) ?? []) : [])),
  );
}

function inField(file: FileFacts, { methods }: ClassFacts, field: Variable): ZeroSentinel | undefined {
  const closes = methods.flatMap(guardedCloses).filter(({ path }) => isInElement(path, field));
  const [found] = closes.filter(
    ({ path, close }) => isZeroInside(file, field.type, path.steps.slice(1)) && !isSetToNone(file, lastName(path), close.fn),
  );
  const at = found && methods.flatMap(({ events }) => events).find((event) => makesByNumber(event, field));
  return found && at && { at, field: found.path, close: found.close };
}

function isInElement({ root, steps }: GuardedClose['path'], field: Variable): boolean {
  return root === 'this' && steps[0] === `.${field.name}` && steps.length > 2 && steps[1]!.startsWith('[');
}

function makesByNumber(event: Event, field: Variable): boolean {
  if (event.kind === 'call') return event.name === 'resize' && event.args.length === 1 && isField(event.receiver, field);
  return event.kind === 'assign' && event.op === '=' && isField(event.target, field) && isNumber(event);
}

function isField(expr: Call['receiver'], { name }: Variable): boolean {
  const path = pathOf(expr);
  return path?.kind === 'this' && path.steps.join('') === `.${name}`;
}

const integers = /^(const )?(std::)?(size_t|u?int\d*(_t)?|unsigned( int)?|long|size_type)$/;

/** `(count)`, `std::vector<Slot>(count)`, `std::make_unique<Slot[]>(count)`. */
function isNumber({ fn, value }: Assign): boolean {
  const bare = value && stripCasts(value);
  const made = bare?.kind === 'call' && /vector|make_unique<.*\[\]>/.test(bare.callee) && bare.args.length === 1 ? stripCasts(bare.args[0]!) : bare;
  if (made?.kind === 'number') return made.value > 0;
  return made?.kind === 'path' && integers.test(declarationOf(fn, made.path)?.type ?? '');
}
