/** Every wait has an end. The work itself goes on; only nobody waits for it any more. */
export function withTimeout<T>(work: Promise<T>, ms: number, onTimeout: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(onTimeout()), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
