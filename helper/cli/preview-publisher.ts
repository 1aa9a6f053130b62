/** Finds the program that `seamscope preview --source NAME` asks for: this engine listens until it publishes or the time is over. */
import process from 'node:process';
import { type EngineClient, UserError } from '../engine/client';
import { EngineErrorCode } from '../protocol/errors';
import type { OutputDescription, SourceDescription } from '../protocol/frames';
import { complain } from './output';
import type { PreviewOptions } from './preview-options';
import { socketRemark, wantedSocketName } from './socket-name';

export interface Found {
  source: SourceDescription;
  output: OutputDescription;
}

/** Rejects with a UserError that says what did publish meanwhile. */
export async function findPublisher(client: EngineClient, { source, output, waitMs }: PreviewOptions): Promise<Found> {
  const socket = await listen(client);
  const find = async () => pick(await client.request('sources/list', {}), source, output);
  const found = await find();
  if (found) return found;
  const remark = socketRemark(socket);
  if (remark) complain(remark);
  complain(`Waiting up to ${waitMs / 1000} s for a program to publish as "${source}" (SEAMSCOPE_SOCKET=${socket}).`);
  return new Promise((resolve, reject) => {
    const settle = (answer: () => void) => {
      clearTimeout(timer);
      client.off('sourcesChanged', look);
      answer();
    };
    const look = () =>
      void find().then(
        (now) => {
          if (now) settle(() => resolve(now));
        },
        (error) => settle(() => reject(error)),
      );
    // Not what keeps this process going: after Ctrl+C the engine is gone, and with it the last reason to wait.
    const timer = setTimeout(() => settle(() => void explain(client, source, output, socket).then(reject, reject)), waitMs).unref();
    client.on('sourcesChanged', look);
    look();
  });
}

async function listen(client: EngineClient): Promise<string> {
  const { socket } = await client.request('publishers/configure', { enabled: true, ...wantedSocketName() });
  return socket ?? '';
}

function pick(sources: SourceDescription[], name: string, wanted: string | undefined): Found | null {
  const source = named(
    sources.filter(({ state }) => state !== 'gone'),
    name,
  );
  const output = source?.outputs.find((each) => wanted === undefined || each.name === wanted);
  return source && output ? { source, output } : null;
}

/**
 * By id, by name, or by name without its ending: "train" is "train.py" too. Last without its number: a program that was started again before the
 * one before it had quite ended is "train.py#2" for as long as it runs.
 */
export function named(sources: SourceDescription[], name: string): SourceDescription | undefined {
  const published = sources.filter(({ kind }) => kind === 'publisher');
  const stem = (label: string) => label.replace(/\.\w+$/, '');
  const unnumbered = (label: string) => label.replace(/#\d+$/, '');
  return (
    published.find(({ id, label }) => id === name || label === name) ??
    published.find(({ label }) => stem(label) === name) ??
    published.find(({ label }) => [unnumbered(label), stem(unnumbered(label))].includes(name))
  );
}

async function explain(client: EngineClient, name: string, wanted: string | undefined, socket: string): Promise<UserError> {
  const published = (await client.request('sources/list', {})).filter(({ kind }) => kind === 'publisher');
  const same = named(published, name);
  const outputs = same?.outputs.map((output) => `"${output.name}"`).join(', ');
  const message = same
    ? `"${name}" did not publish ${wanted === undefined ? 'any output' : `an output "${wanted}"`}${outputs ? `; it has ${outputs}` : ''}.`
    : `No program published as "${name}" in time${published.length > 0 ? `; these did: ${published.map(({ label }) => `"${label}"`).join(', ')}` : ''}.`;
  const theirs = process.env.SEAMSCOPE_SOCKET;
  const elsewhere = theirs && theirs !== 'off' && theirs !== socket;
  const step = elsewhere
    ? `Programs of this terminal publish to the editor; start the program with SEAMSCOPE_SOCKET=${socket}.`
    : 'Start the program while this waits, or wait longer with --wait SECONDS.';
  return new UserError(message, step, EngineErrorCode.timedOut);
}
