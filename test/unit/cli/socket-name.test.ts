import { describe, expect, it } from 'vitest';
import { socketRemark, wantedSocketName } from '../../../helper/cli/socket-name';

const SOCKET = '/run/user/1000/seamscope/train.sock';

describe('SEAMSCOPE_SOCKET', () => {
  it.each([[undefined], [''], ['off'], [SOCKET]])('needs no remark for %j', (value) => {
    expect(socketRemark(SOCKET, value === undefined ? {} : { SEAMSCOPE_SOCKET: value })).toBeNull();
  });

  it.each([
    ['/tmp/mine/train.sock', /sockets lie in \/run\/user\/1000\/seamscope/],
    ['/run/user/1000/seamscope/other.sock', /another engine listens there already/],
    ['/run/user/1000/seamscope/train', /the name of a socket is .*"\.sock"/],
  ])('%s: says why it is not taken, and what programs need', (value, why) => {
    const remark = socketRemark(SOCKET, { SEAMSCOPE_SOCKET: value });
    expect(remark).toMatch(why);
    expect(remark).toContain(`SEAMSCOPE_SOCKET=${value} is not listened at`);
    expect(remark).toMatch(/export SEAMSCOPE_SOCKET=\/run\/user\/1000\/seamscope\/train\.sock$/);
  });

  it('gives its name', () => {
    expect(wantedSocketName({ SEAMSCOPE_SOCKET: '/x/train.sock' })).toEqual({ name: 'train' });
    expect(wantedSocketName({ SEAMSCOPE_SOCKET: '/x/a b.sock' })).toEqual({});
  });
});
