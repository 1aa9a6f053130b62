// Says on stderr what a long wait is for, and how long it has been.

const everyMs = 5_000;

/**
 * Runs `work` and names it: at once, or only once it has taken `quietMs`; then every few seconds, then its end.
 * @returns what `work` returns
 */
export async function step(what, work, { prefix = '', quietMs = 0, stream = process.stderr } = {}) {
  const start = Date.now();
  const seconds = () => Math.round((Date.now() - start) / 1000);
  let shown = false;
  const show = () => {
    stream.write(shown ? `${prefix}${what} ... ${seconds()} s\n` : `${prefix}${what} ...\n`);
    shown = true;
  };
  if (quietMs === 0) show();
  const first = quietMs > 0 ? setTimeout(show, quietMs) : undefined;
  const timer = setInterval(() => shown && show(), everyMs);
  try {
    return await work();
  } finally {
    clearTimeout(first);
    clearInterval(timer);
    if (shown && seconds() > 0) stream.write(`${prefix}${what}: ${seconds()} s\n`);
  }
}
