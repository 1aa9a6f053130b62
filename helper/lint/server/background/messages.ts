// What the server and its background thread say to each other.
import type { FileEffects } from '../../effects/file-effects';
import type { Finding } from '../../engine';

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
  | { readonly kind: 'forget' }
  /** Lint all files below these folders, once the effects are known. */
  | { readonly kind: 'check'; readonly id: number; readonly folders: readonly string[] }
  | { readonly kind: 'cancel'; readonly id: number };

export type FromBackground =
  | { readonly kind: 'effects'; readonly file: string; readonly effects: FileEffects | undefined }
  /** Nothing is left to do. `left`: how many files a cap has left out. */
  | { readonly kind: 'idle'; readonly left: number }
  /** A file of a check comes next. */
  | { readonly kind: 'checking'; readonly id: number; readonly file: string; readonly done: number; readonly total: number }
  | { readonly kind: 'checked'; readonly id: number; readonly file: string; readonly findings: readonly Finding[] }
  /** `notes`: what could not be checked, in sentences. */
  | { readonly kind: 'checkEnded'; readonly id: number; readonly notes: readonly string[] };
