// Which constructor of the file an expression runs: `T x(a)`, `new T(a)`, `std::make_unique<T>(a)`, `holder.emplace(a)`, Python's `T(a)`.
import type { Call, FileFacts, FunctionFacts } from '../facts/index';
import { pathOf } from '../facts/paths';
import { typeOfPath } from '../flow/visible';

const made = /^(?:std::)?make_(?:unique|shared)<(?:\w+::)*(\w+)>$/;
const holder = /^(?:std::)?(?:optional|vector|deque|list)<(?:\w+::)*(\w+)>$/;

/** The class of the object that a call makes, by its name. */
export function classMade(file: FileFacts, call: Call): string | undefined {
  if (call.form === 'construct' || call.form === 'new') return call.name;
  if (file.language === 'python') return call.receiver ? undefined : file.classNamed(call.name)?.name;
  if (/^emplace(_back|_front)?$/.test(call.name)) {
    const path = pathOf(call.receiver);
    return path && holder.exec(typeOfPath(file, call.fn, path) ?? '')?.[1];
  }
  return made.exec(call.callee)?.[1];
}

/** The one constructor of a class that takes so many arguments. */
export function constructorOf(file: FileFacts, className: string, given: number): FunctionFacts | undefined {
  const fitting = file.classNamed(className)?.methods.filter(({ kind, params }) => {
    const most = params.length - (file.language === 'python' ? 1 : 0);
    return kind === 'constructor' && given <= most && given >= most - params.filter((param) => param.init).length;
  });
  return fitting?.length === 1 ? fitting[0] : undefined;
}
