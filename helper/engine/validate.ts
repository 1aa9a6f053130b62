/** Checks of what a client sends, before anything reaches the addon: one table, one error path. */
import { EngineErrorCode } from '../protocol/errors';
import type { ViewParams } from '../protocol/frames';
import { UserError } from './user-error';

type Check = (value: unknown) => string | null;

const MAX_PICTURE_SIDE = 8192;

const integer =
  (min: number, max: number): Check =>
  (value) =>
    Number.isInteger(value) && (value as number) >= min && (value as number) <= max ? null : `an integer from ${min} to ${max}`;
const finite =
  (min: number, max: number): Check =>
  (value) =>
    typeof value === 'number' && value >= min && value <= max ? null : `a number from ${min} to ${max}`;
const oneOf =
  (...allowed: string[]): Check =>
  (value) =>
    allowed.includes(value as string) ? null : `one of ${allowed.join(', ')}`;
const flag: Check = (value) => (typeof value === 'boolean' ? null : 'true or false');
const text: Check = (value) => (typeof value === 'string' && value !== '' && value.length <= 4096 ? null : 'a text of 1 to 4096 characters');
const coordinate = finite(-1e9, 1e9);
const extent = finite(1e-3, 1e9);

const rect: Check = (value) => {
  const { x, y, width, height } = (value ?? {}) as Record<string, unknown>;
  return coordinate(x) || coordinate(y) || extent(width) || extent(height) ? 'a rectangle of finite x, y and positive width, height' : null;
};

const range: Check = (value) => {
  if (value === null) return null;
  const pair = Array.isArray(value) && value.length === 2 && value.every(Number.isFinite);
  return pair ? null : 'null or two finite numbers';
};

const compare: Check = (value) => {
  const { mode, reference, split, signed = false } = (value ?? {}) as Record<string, unknown>;
  const bad = oneOf('off', 'difference', 'swipe')(mode) || integer(0, 0xffffffff)(reference) || finite(0, 1)(split) || flag(signed);
  return bad ? 'a mode (off, difference, swipe), a reference from view/pin or 0, a split from 0 to 1, and signed or not' : null;
};

const history: Check = (value) => (value === null ? null : integer(0, Number.MAX_SAFE_INTEGER)(value) && 'null or the number of a kept frame');

/** What a view has where its client says nothing. */
function withDefaults(given: Record<string, unknown>): Record<string, unknown> {
  const { overlayNan } = given;
  const compareOff = { mode: 'off', reference: 0, split: 0.5 };
  const quiet = { batch: 0, compare: compareOff, history: null, wantHistogram: false, wantMetrics: false };
  return { overlayInf: overlayNan, overlayNegative: overlayNan, ...quiet, ...given };
}

const VIEW_CHECKS: { readonly [K in keyof Required<ViewParams>]: Check } = {
  output: text,
  width: integer(1, MAX_PICTURE_SIDE),
  height: integer(1, MAX_PICTURE_SIDE),
  rect,
  exposure: finite(-64, 64),
  gamma: finite(0.01, 100),
  toneMap: oneOf('none', 'reinhard', 'aces'),
  falseColor: oneOf('none', 'gray', 'turbo', 'viridis', 'ids', 'labels', 'bool', 'normal', 'motion', 'diverging'),
  range,
  channelMask: integer(0, 15),
  flipY: flag,
  swapRb: flag,
  overlayNan: flag,
  overlayClip: flag,
  overlayInf: flag,
  overlayNegative: flag,
  batch: integer(0, 0xffffff),
  compare,
  history,
  wantHistogram: flag,
  wantMetrics: flag,
  encoding: oneOf('jpeg', 'rgba', 'png'),
  jpegQuality: integer(1, 100),
  maxRate: finite(0.1, 1000),
};

/** A complete ViewParams (with every default) without foreign properties, or a UserError that names the parameter. */
export function checkView(view: unknown): Required<ViewParams> {
  const given = withDefaults(object(view, 'view'));
  const checked = Object.entries(VIEW_CHECKS).map(([name, check]) => [name, checkValue(`view.${name}`, given[name], check)]);
  return Object.fromEntries(checked) as unknown as Required<ViewParams>;
}

export function checkText(name: string, value: unknown): string {
  return checkValue(name, value, text) as string;
}

export function checkInteger(name: string, value: unknown, min: number, max: number): number {
  return checkValue(name, value, integer(min, max)) as number;
}

export function checkNumber(name: string, value: unknown, min: number, max: number): number {
  return checkValue(name, value, finite(min, max)) as number;
}

export function object(value: unknown, name: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(name, 'an object', value);
  return value as Record<string, unknown>;
}

/** Environment overrides: names to texts, or null to remove. */
export function checkEnv(value: unknown): Record<string, string | null> {
  const entries = Object.entries(value === undefined ? {} : object(value, 'env'));
  for (const [name, setting] of entries) {
    if (setting !== null && typeof setting !== 'string') throw invalid(`env.${name}`, 'a text or null', setting);
    if (/[=\0]/.test(name) || setting?.includes('\0')) throw invalid(`env.${name}`, 'a name without "=" and no NUL', setting);
  }
  return Object.fromEntries(entries) as Record<string, string | null>;
}

export function invalid(name: string, expected: string, actual: unknown): UserError {
  const shown = JSON.stringify(actual)?.slice(0, 80) ?? 'nothing';
  return new UserError(`${name} must be ${expected}, not ${shown}.`, 'Correct the parameter.', EngineErrorCode.invalidParams);
}

function checkValue(name: string, value: unknown, check: Check): unknown {
  const expected = check(value);
  if (expected) throw invalid(name, expected, value);
  return value;
}
