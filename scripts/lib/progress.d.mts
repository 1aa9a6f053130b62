export interface StepOptions {
  prefix?: string;
  /** Milliseconds that pass before anything is said. */
  quietMs?: number;
  stream?: { write(text: string): unknown };
}
export function step<T>(what: string, work: () => T | Promise<T>, options?: StepOptions): Promise<T>;
