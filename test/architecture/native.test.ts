import { describe, expect, it } from 'vitest';
import { includesOf, read, under } from './sources';

const sources = under('native/src').filter((file) => /\.(cpp|hpp|h)$/.test(file));
const outside = (...folders: string[]) => sources.filter((file) => !folders.some((folder) => file.startsWith(folder)));

describe('native code', () => {
  it('includes napi.h only in the addon', () => {
    const users = sources.filter((file) => includesOf(file).some((name) => /^(napi|node_api|uv|v8)\b.*\.h$/.test(name)));
    expect(users.length).toBeGreaterThan(0);
    expect(users.filter((file) => !file.startsWith('native/src/addon/'))).toEqual([]);
  });

  it('opens libraries only through the base loader', () => {
    const callers = sources.filter((file) => /\bdl(open|mopen)\s*\(/.test(read(file)));
    expect(callers).toEqual(['native/src/base/dynamic_library.cpp']);
  });

  it('opens vendor libraries only in the drivers', () => {
    const users = sources.filter((file) => /\bDynamicLibrary::open\s*\(/.test(read(file)) && !file.startsWith('native/src/base/'));
    expect(users.length).toBeGreaterThan(0);
    expect(users.filter((file) => !file.startsWith('native/src/drivers/'))).toEqual([]);
  });

  it('keeps what the addon includes out of the layers below it', () => {
    const upward = outside('native/src/addon/').filter((file) => includesOf(file).some((name) => name.startsWith('addon/')));
    expect(upward).toEqual([]);
  });

  it('keeps base free of the layers above it', () => {
    const base = sources.filter((file) => file.startsWith('native/src/base/'));
    const upward = base.flatMap((file) => includesOf(file).filter((name) => /^(drivers|devices|gpu|scene|preview|addon)\//.test(name)));
    expect(upward).toEqual([]);
  });
});
