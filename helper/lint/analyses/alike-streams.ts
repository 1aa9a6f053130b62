// Two stream parameters that may be one stream: who calls has both of one function that gives an object's stream.
import type { Call, Expr, FileFacts, FunctionFacts } from '../facts/index';
import { stripCasts } from '../facts/paths';
import { valueAt } from '../flow/definitions';
import { callsNamed } from '../flow/program';

/** `run(streamOf(a), streamOf(b))`: whether a and b were made on the same one nobody sees here. */
export function mayBeOneStream(file: FileFacts, fn: FunctionFacts, a: string, b: string): boolean {
  const [first, second] = [a, b].map((name) => fn.params.findIndex((param) => param.name === name));
  if (first! < 0 || second! < 0) return false;
  return callsNamed(file, fn.name).some((call) => {
    const [one, other] = [first!, second!].map((i) => accessorOf(call, call.args[i]));
    return one !== undefined && one === other;
  });
}

/** The function that an argument comes from, when it was asked for something. */
function accessorOf(at: Call, arg: Expr | undefined): string | undefined {
  const value = arg && valueAt(at, stripCasts(arg));
  const bare = value && value !== 'zero' ? stripCasts(value) : undefined;
  return bare?.kind === 'call' && !bare.api && (bare.args.length > 0 || bare.receiver) ? bare.callee : undefined;
}
