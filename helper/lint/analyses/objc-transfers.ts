// Objects that Vulkan exports without a reference and that code takes over as if it owned one. A heuristic over tokens.
import type { FileFacts, Token } from '../facts/index';
import { closing } from './brackets';
import { argumentsAt, type Body, bodyAt, callsOf, lastWord } from './objc-tokens';

export interface Transfer {
  /** `__bridge_transfer` or `CFBridgingRelease`. */
  readonly at: Token;
  readonly name: string;
}

/** Transfers of exported pointers in files that retain nothing across the bridge themselves. */
export function wrongTransfers(file: FileFacts): Transfer[] {
  const { tokens } = file;
  if (tokens.some(({ text }) => retainers.test(text))) return [];
  return tokens.flatMap((token, i): Transfer[] => {
    const operand = operandAt(tokens, i);
    const body = operand && bodyAt(file, i);
    const name = operand && lastWord(operand);
    return body && name && (isExportField(operand) || isExported(tokens, body, i, name)) ? [{ at: token, name }] : [];
  });
}

const retainers = /^(__bridge_retained|CFBridgingRetain|CFRetain|objc_retain)$/;

/** The tokens of `x` in `(__bridge_transfer T)x` and `CFBridgingRelease(x)`. */
function operandAt(tokens: readonly Token[], i: number): readonly Token[] | undefined {
  if (tokens[i]!.text === 'CFBridgingRelease' && tokens[i + 1]?.text === '(') return tokens.slice(i + 2, closing(tokens, i + 1));
  if (tokens[i]!.text !== '__bridge_transfer' || tokens[i - 1]?.text !== '(') return undefined;
  const from = closing(tokens, i - 1) + 1;
  const length = tokens.slice(from).findIndex(({ kind, text }) => kind !== 'word' && !/^(\.|->|\*)$/.test(text));
  return tokens.slice(from, length < 0 ? tokens.length : from + length);
}

/** `info.mtlTexture`, a field of Vulkan's export structs. */
function isExportField(operand: readonly Token[]): boolean {
  return /^mtl(Device|CommandQueue|Buffer|Texture|SharedEvent)$/.test(operand.at(-1)?.text ?? '') && /^(\.|->)$/.test(operand.at(-2)?.text ?? '');
}

/** `export(..., &raw)`, `raw = export(...)` or `raw = info.mtlTexture` before, in the same body. */
function isExported(tokens: readonly Token[], body: Body, until: number, name: string): boolean {
  const before = tokens.slice(body.from, until);
  if (before.some(({ text }, i) => text === name && before[i + 1]?.text === '=' && isExportField(valueAt(before, i + 2)))) return true;
  return [...callsOf(before, exporters)].some(({ token, open, index }) => {
    if (/retain|copy|owned|create/i.test(token.text)) return false;
    const isGiven = argumentsAt(before, open).some((arg) => arg.length === 2 && arg[0]!.text === '&' && arg[1]!.text === name);
    return isGiven || (before[index - 1]?.text === '=' && before[index - 2]?.text === name);
  });
}

function valueAt(tokens: readonly Token[], from: number): readonly Token[] {
  const length = tokens.slice(from).findIndex(({ text }) => text === ';');
  return tokens.slice(from, length < 0 ? tokens.length : from + length);
}

/** Functions that are called after what they do: hand out a Metal object of Vulkan's. */
const exporters = /^(?=.*export)(?=.*(vk|vulkan|mtl|metal))\w*$/i;
