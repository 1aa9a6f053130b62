import { describe, expect, it } from 'vitest';
import { doctorSummary, doctorTree } from '../../../../extension/src/doctor/tree';
import type { DoctorCheck, DoctorReport } from '../../../../helper/protocol/doctor';

const check = (change: Partial<DoctorCheck>): DoctorCheck => ({
  id: 'nvml',
  title: 'NVML',
  status: 'fine',
  severity: 'info',
  message: 'It works.',
  evidence: ['seen'],
  fixes: [],
  ...change,
});
const report = (...checks: DoctorCheck[]): DoctorReport => ({ version: 1, takenAt: '', checks });
const broken = check({
  id: 'device-nodes',
  status: 'found',
  severity: 'problem',
  fixes: [{ text: 'Make them.', command: 'sudo nvidia-modprobe -u' }, { text: 'Or not.' }],
});
const meant = check({ id: 'preload', status: 'found', severity: 'warning' });

describe('the doctor tree', () => {
  it('shows what was found worst first, then what is fine and what does not apply', () => {
    const tree = doctorTree(report(check({}), meant, check({ id: 'wsl', status: 'not-applicable' }), broken));
    expect(tree.map(({ id, icon }) => [id, icon])).toEqual([
      ['device-nodes', 'error'],
      ['preload', 'warning'],
      ['fine', 'pass'],
      ['not-applicable', 'circle-slash'],
    ]);
  });

  it('sets apart what nobody could tell', () => {
    const unasked = check({ id: 'cuda-init', status: 'not-asked', message: 'Not asked: there is no addon.' });
    const [fine, group] = doctorTree(report(check({}), unasked));
    expect([fine?.description, group?.id, group?.icon, group?.children[0]?.description]).toEqual(['1', 'not-asked', 'question', unasked.message]);
  });

  it('lets each check be explained and run again, and its first command be copied', () => {
    const [node, fine] = doctorTree(report(broken, check({})));
    expect([node?.isCheck, node?.command, fine?.children[0]?.isCheck, fine?.children[0]?.command]).toEqual([
      true,
      'sudo nvidia-modprobe -u',
      true,
      undefined,
    ]);
    expect(node?.children.some(({ isCheck }) => isCheck)).toBe(false);
  });

  it('offers the command of a fix, and no other row has one', () => {
    const [node] = doctorTree(report(broken));
    expect(node?.children.map(({ label, command }) => [label, command])).toEqual([
      ['Make them.', 'sudo nvidia-modprobe -u'],
      ['Or not.', undefined],
      ['seen', undefined],
    ]);
  });

  it('gives every row an id of its own, and words for a screen reader', () => {
    const all = (nodes: ReturnType<typeof doctorTree>): ReturnType<typeof doctorTree> => nodes.flatMap((node) => [node, ...all(node.children)]);
    const rows = all(doctorTree(report(broken, meant, check({}))));
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    expect(rows.every(({ spoken }) => spoken.length > 3)).toBe(true);
  });

  it.each([
    [report(broken, broken, meant), '2 problems, 1 warning'],
    [report(meant), '1 warning'],
    [report(check({})), 'nothing to mend'],
  ])('sums up', (each, words) => {
    expect(doctorSummary(each)).toBe(words);
  });
});
