/** The hub that publishers connect to: not open before it is asked for. */
import process from 'node:process';
import type { NativeAddon, NativeHub, NativeSource } from '../protocol/addon';
import type { EngineRequests } from '../protocol/engine';
import { EngineErrorCode } from '../protocol/errors';
import type { SourceDescription } from '../protocol/frames';
import type { PublishedSources } from './sources';
import { UserError } from './user-error';
import { checkNumber, invalid } from './validate';

type Configure = EngineRequests['publishers/configure'];

const MAX_RATE = 1000;
const NAME = /^[\w-]{1,64}$/;

export class Publishers implements PublishedSources {
  readonly #addon: NativeAddon;
  readonly #onChanged: () => void;
  #hub: NativeHub | null = null;
  #name = '';
  #isFixed = false;

  constructor(addon: NativeAddon, onChanged: () => void) {
    this.#addon = addon;
    this.#onChanged = onChanged;
  }

  /** From now on clients may ask, but change nothing. */
  fix(): void {
    this.#isFixed = true;
  }

  configure({ enabled, name = String(process.pid), maxRate = 0 }: Configure['params']): Configure['result'] {
    if (typeof enabled !== 'boolean') throw invalid('enabled', 'true or false', enabled);
    if (typeof name !== 'string' || !NAME.test(name)) throw invalid('name', '1 to 64 letters, digits, "-" and "_"', name);
    if (this.#isFixed) return { socket: this.#hub?.socket ?? null };
    const rate = checkNumber('maxRate', maxRate, 0, MAX_RATE);
    if (!enabled || name !== this.#name) this.close();
    if (!enabled) return { socket: null };
    if (!this.#hub) this.#hub = this.#open(name, rate);
    this.#name = name;
    this.#hub.setMaxRate(rate);
    return { socket: this.#hub.socket };
  }

  list(): SourceDescription[] {
    return this.#hub ? (JSON.parse(this.#hub.list()) as SourceDescription[]) : [];
  }

  open(id: string): NativeSource {
    if (this.#hub) return this.#hub.openSource(id);
    throw new UserError(
      'No program can publish: the preview of programs is turned off.',
      'Turn it on, then start the program.',
      EngineErrorCode.failed,
    );
  }

  close(): void {
    this.#hub?.close();
    this.#hub = null;
    this.#name = '';
  }

  /** A second window on the same folder asks for the same name. */
  #open(name: string, maxRate: number): NativeHub {
    if (!this.#addon.openHub) throw new UserError('This native addon cannot listen for publishers.', 'Install the extension again.');
    const own = String(process.pid);
    const names = name === own ? [own] : [name, `${name}-${own}`];
    let failure: unknown;
    for (const each of names) {
      try {
        return this.#addon.openHub({ folder: '', name: each, maxRate }, this.#onChanged);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }
}
