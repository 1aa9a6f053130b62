import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { Publishers } from '../../../helper/engine/publishers';
import type { NativeAddon, NativeHub } from '../../../helper/protocol/addon';

/** An addon whose hub cannot have the names in `taken`. */
function fake(taken: string[] = []) {
  const open: string[] = [];
  const rates: number[] = [];
  const openHub = ({ name }: { name: string }): NativeHub => {
    if (taken.includes(name)) throw Object.assign(new Error(`${name} is taken.`), { nextStep: 'Close it.' });
    open.push(name);
    return {
      socket: `/folder/${name}.sock`,
      list: () => '[{"id":"pub:a"}]',
      setMaxRate: (rate) => rates.push(rate),
      openSource: (id) => ({ describe: () => id }) as never,
      close: () => open.splice(open.indexOf(name), 1),
    };
  };
  return { publishers: new Publishers({ openHub } as unknown as NativeAddon, () => {}), open, rates };
}

describe('listening for publishers', () => {
  it('begins when it is asked to, under its own process id, and ends', () => {
    const { publishers, open } = fake();
    expect(publishers.list()).toEqual([]);
    expect(() => publishers.open('pub:a')).toThrow(/turned off/);
    expect(publishers.configure({ enabled: true })).toEqual({ socket: `/folder/${process.pid}.sock` });
    expect(publishers.list()).toEqual([{ id: 'pub:a' }]);
    expect(publishers.open('pub:a').describe()).toBe('pub:a');
    expect(publishers.configure({ enabled: false })).toEqual({ socket: null });
    expect(open).toEqual([]);
  });

  it('keeps its socket when only the rate changes, and moves when the name does', () => {
    const { publishers, open, rates } = fake();
    publishers.configure({ enabled: true, name: 'one', maxRate: 30 });
    publishers.configure({ enabled: true, name: 'one', maxRate: 5 });
    expect(rates).toEqual([30, 5]);
    expect(publishers.configure({ enabled: true, name: 'two' })).toEqual({ socket: '/folder/two.sock' });
    expect(open).toEqual(['two']);
  });

  it('takes another name beside the one that is taken, and says why when there is none', () => {
    expect(fake(['one']).publishers.configure({ enabled: true, name: 'one' }).socket).toBe(`/folder/one-${process.pid}.sock`);
    expect(() => fake(['one', `one-${process.pid}`]).publishers.configure({ enabled: true, name: 'one' })).toThrow(/is taken/);
  });

  it('changes nothing for clients once it is fixed', () => {
    const { publishers, open } = fake();
    const { socket } = publishers.configure({ enabled: true, name: 'fixed' });
    publishers.fix();
    expect(publishers.configure({ enabled: false })).toEqual({ socket });
    expect(publishers.configure({ enabled: true, name: 'other' })).toEqual({ socket });
    expect(open).toEqual(['fixed']);
  });

  it.each([
    [{ enabled: 'yes' }, /enabled must be true or false/],
    [{ enabled: true, name: '../evil' }, /name must be/],
    [{ enabled: true, name: '' }, /name must be/],
    [{ enabled: true, maxRate: -1 }, /maxRate must be/],
    [{ enabled: true, maxRate: Number.NaN }, /maxRate must be/],
  ])('refuses %j', (params, message) => {
    expect(() => fake().publishers.configure(params as never)).toThrow(message);
  });

  it('says so when the addon cannot listen', () => {
    expect(() => new Publishers({} as NativeAddon, () => {}).configure({ enabled: true })).toThrow(/cannot listen/);
  });
});
