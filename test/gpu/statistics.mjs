// Medians with intervals that need no assumption about how the values are spread.

const sorted = (values) => [...values].sort((a, b) => a - b);

/** Probability of at most `k` heads of `n` fair coins. */
function atMost(k, n) {
  let term = 0.5 ** n;
  let sum = 0;
  for (let i = 0; i <= k; ++i) {
    sum += term;
    term *= (n - i) / (i + 1);
  }
  return sum;
}

/**
 * The median and the narrowest pair of order statistics that holds the true median with at least `confidence`. With fewer than six values
 * there is no such pair at 95 %: the interval is then the whole range and `confidence` says how much it holds.
 */
export function medianInterval(values, confidence = 0.95) {
  const order = sorted(values);
  const n = order.length;
  if (n === 0) return { median: Number.NaN, low: Number.NaN, high: Number.NaN, confidence: 0, count: 0 };
  const middle = (order[(n - 1) >> 1] + order[n >> 1]) / 2;
  let below = 0;
  while (below + 1 < n / 2 && 1 - 2 * atMost(below, n) >= confidence) ++below;
  const cut = Math.max(0, 1 - 2 * atMost(below, n) >= confidence ? below : below - 1);
  return { median: middle, low: order[cut], high: order[n - 1 - cut], confidence: 1 - 2 * atMost(cut, n), count: n };
}

/** Whether the median is at most `goal`: 'yes' or 'no' when the whole interval says so at 95 %, else 'undecided'. */
export function decide({ low, high, confidence }, goal) {
  if (confidence < 0.95) return 'undecided';
  if (high <= goal) return 'yes';
  return low > goal ? 'no' : 'undecided';
}
