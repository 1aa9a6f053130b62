// The lint server with a parser that traps on texts that say TRAP, in its background thread too.
import { Parser } from 'web-tree-sitter';

const { parse } = Parser.prototype;
Parser.prototype.parse = function (this: Parser, ...given) {
  const [text] = given;
  if (typeof text === 'string' && text.includes('TRAP')) throw Object.assign(new Error('unreachable'), { name: 'RuntimeError' });
  return parse.apply(this, given);
};

void import('../../../helper/lint/server/main');
