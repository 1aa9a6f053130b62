// The notation of the API tables: one line a function, `name(params) roles -> result`.
//
//   cudaImportExternalMemory(memory*, desc:cudaExternalMemoryHandleDesc) import
//
// `x*` is written by the callee, `x:T` is a pointer to descriptor struct T. Parameter names are the vocabulary of the rules: a stream is
// always `stream`, an fd always `fd`. `-> result` overrides the table's default. `...` after the last parameter is ignored.
import type { Api, ApiParam, Family, ResultKind, Role } from './types';

export function table(family: Family, result: ResultKind, rows: string): Api[] {
  return rows
    .split('\n')
    .map((row) => row.trim())
    .filter((row) => row !== '' && !row.startsWith('#'))
    .map((row) => parseRow(family, result, row));
}

function parseRow(family: Family, fallback: ResultKind, row: string): Api {
  const parts = /^([\w.]+)\((.*)\)\s*([\w\s-]*?)(?:->\s*([\w-]+))?$/.exec(row);
  if (!parts) throw new Error(`Malformed API row: ${row}`);
  const [, name, params, roles, result] = parts;
  return {
    name: name!,
    family,
    does: new Set((roles ?? '').split(/\s+/).filter(Boolean) as Role[]),
    result: (result as ResultKind | undefined) ?? fallback,
    params: (params ?? '')
      .split(',')
      .map((text) => text.trim())
      .filter(Boolean)
      .map(parseParam),
  };
}

function parseParam(text: string): ApiParam {
  const [name, descriptor] = text.replace('*', '').split(':');
  return { name: name!, out: text.includes('*'), descriptor };
}
