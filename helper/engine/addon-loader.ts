/** Finds and loads the native addon. Every path tried keeps its reason, and a failure is one error that lists them all. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import type { NativeAddon } from '../protocol/addon';
import { EngineErrorCode } from '../protocol/errors';
import { PROTOCOL_VERSION } from '../protocol/version';
import { NATIVE_BUILD_ID } from './build-id';
import { describeForeignFile } from './library-file';
import { UserError } from './user-error';

export interface LoadedAddon {
  addon: NativeAddon;
  path: string;
  /** It was built from other native sources than those that this bundle was made beside. */
  stale?: { message: string; nextStep: string };
}

interface Refusal {
  path: string;
  reason: string;
  nextStep: string;
}

const REQUIRED = ['takeStdout', 'probe', 'nvml', 'nvmlClose', 'openScene'] as const satisfies (keyof NativeAddon)[];
const BUILD_STEP = 'Install the Seamscope package of this platform, or run "npm run build" in a source tree.';

/** Where the addon may lie, seen from the folder of the bundle (dist/). SEAMSCOPE_ADDON names the only one, for development. */
export function addonCandidates(bundleDir: string, env: NodeJS.ProcessEnv = process.env): string[] {
  if (env.SEAMSCOPE_ADDON) return [path.resolve(env.SEAMSCOPE_ADDON)];
  return [
    path.join(bundleDir, 'native', 'seamscope.node'),
    path.join(bundleDir, '..', 'build', 'native', 'Release', 'seamscope.node'),
    path.join(bundleDir, '..', 'build', 'native', 'Debug', 'seamscope.node'),
  ];
}

/** Throws a UserError (code addonMissing) naming every candidate and why it was refused. */
export function loadAddon(candidates: readonly string[]): LoadedAddon {
  const refusals: Refusal[] = [];
  for (const candidate of candidates) {
    const result = tryCandidate(candidate);
    if ('addon' in result) return result;
    refusals.push(result);
  }
  throw combine(refusals);
}

function tryCandidate(file: string): LoadedAddon | Refusal {
  const refuse = (reason: string, nextStep: string): Refusal => ({ path: file, reason, nextStep });
  if (!existsSync(file)) return refuse('does not exist', BUILD_STEP);
  try {
    // Stand-ins of tests are scripts; whatever else SEAMSCOPE_ADDON names has to be a library, under any name.
    const isScript = file.endsWith('.cjs');
    const foreign = isScript ? null : describeForeignFile(file);
    if (foreign) return refuse(foreign, BUILD_STEP);
    const addon = isScript ? (createRequire(file)(file) as NativeAddon) : open(file);
    const mismatch = describeMismatch(addon);
    return mismatch
      ? refuse(mismatch, 'Install the extension again so that all its parts are of one version, or run "npm run build".')
      : { addon, path: file, ...staleness(addon, file) };
  } catch (error) {
    return refuse(...explainLoadFailure(error instanceof Error ? error.message : String(error)));
  }
}

/** Node would take a file with a foreign extension for a script. */
function open(file: string): NativeAddon {
  const holder = { exports: {} };
  process.dlopen(holder, file);
  return holder.exports as NativeAddon;
}

function describeMismatch(addon: NativeAddon): string | null {
  if (addon.protocolVersion !== PROTOCOL_VERSION) return `speaks protocol version ${addon.protocolVersion}, this engine speaks ${PROTOCOL_VERSION}`;
  const lacking = REQUIRED.filter((name) => typeof addon[name] !== 'function');
  return lacking.length > 0 ? `lacks ${lacking.join(', ')}: it is of another version` : null;
}

/** What neither side knows is not compared: an addon of a build folder of one's own, code that runs unbundled. */
export function staleness({ buildId }: Pick<NativeAddon, 'buildId'>, file: string, expected = NATIVE_BUILD_ID): Pick<LoadedAddon, 'stale'> {
  if (!buildId || !expected || buildId === expected) return {};
  const message = `The addon ${file} was built from other sources (${buildId}) than the rest of Seamscope (${expected}).`;
  return { stale: { message, nextStep: 'Run "npm run build", or install the extension again.' } };
}

/** The dynamic linker's words, and what they mean for the user. */
function explainLoadFailure(message: string): [reason: string, nextStep: string] {
  const words = message.split('\n')[0] ?? message;
  const missing = /^(?:.*: )?(lib[^\s:]+\.so[^\s:]*): cannot open shared object file/.exec(words)?.[1];
  if (missing?.startsWith('libturbojpeg')) {
    return [
      `needs ${missing}, which is neither beside it nor installed`,
      'Install the extension again, or the package libturbojpeg0 (libturbojpeg on Ubuntu).',
    ];
  }
  if (missing) return [`needs ${missing}, which is not installed`, `Install the package that contains ${missing}.`];
  const symbols = /version `(GLIBC(?:XX)?_[\d.]+)' not found/.exec(words)?.[1];
  if (symbols)
    return [`needs ${symbols}, which this system's C library is too old for`, 'Use the packaged extension: its addon runs on glibc 2.31 and newer.'];
  if (words.startsWith('Module did not self-register')) return ['is a library, but no addon of Node', BUILD_STEP];
  return [`failed to load: ${words}`, BUILD_STEP];
}

/** A file that exists and fails says more than one that is absent: its next step wins. */
function combine(refusals: Refusal[]): UserError {
  const telling = refusals.find((refusal) => refusal.reason !== 'does not exist') ?? refusals[0];
  const tried = refusals.map((refusal) => `${refusal.path} ${refusal.reason}`).join('; ');
  return new UserError(`The native addon could not be loaded. Tried: ${tried}.`, telling?.nextStep ?? BUILD_STEP, EngineErrorCode.addonMissing);
}
