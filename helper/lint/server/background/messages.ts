// What the server and its background thread say to each other.
import type { FileEffects } from '../../effects/file-effects';

export interface BackgroundInput {
  /** The folder of the bundles. */
  readonly dir: string;
  /** What is known already. */
  readonly effects: readonly (readonly [file: string, effects: FileEffects])[];
  /** Files that an editor has open: their effects come from the server. */
  readonly open: readonly string[];
}

export type ToBackground =
  /** Read all source files below these folders. */
  | { readonly kind: 'scan'; readonly folders: readonly string[] }
  /** Files that have changed on disk, or that no editor has open any more. */
  | { readonly kind: 'changed'; readonly files: readonly string[] }
  /** The effects of an open file. */
  | { readonly kind: 'open'; readonly file: string; readonly effects: FileEffects | undefined }
  /** Configuration or headers have changed. */
  | { readonly kind: 'forget' };

export type FromBackground =
  | { readonly kind: 'effects'; readonly file: string; readonly effects: FileEffects | undefined }
  /** Nothing is left to do. `left`: how many files a cap has left out. */
  | { readonly kind: 'idle'; readonly left: number };
