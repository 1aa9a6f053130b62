import { describe, expect, it } from 'vitest';
import { socketName, socketPath } from '../../../../extension/src/publishers/socket';

describe('the socket of a window', () => {
  it('has one name a workspace, which a reload does not change', () => {
    expect(socketName('file:///home/a/project')).toBe(socketName('file:///home/a/project'));
    expect(socketName('file:///home/a/project')).not.toBe(socketName('file:///home/a/other'));
    expect(socketName(undefined)).toMatch(/^[\w-]{1,64}$/);
  });

  it.each([
    [{ XDG_RUNTIME_DIR: '/run/user/1000' }, '/run/user/1000/seamscope/n.sock'],
    [{}, '/tmp/seamscope-1000/n.sock'],
    [{ XDG_RUNTIME_DIR: 'relative' }, '/tmp/seamscope-1000/n.sock'],
    [{ XDG_RUNTIME_DIR: '' }, '/tmp/seamscope-1000/n.sock'],
  ])('lies where the engine listens: %j', (env, file) => {
    expect(socketPath('n', env, 1000)).toBe(file);
  });
});
