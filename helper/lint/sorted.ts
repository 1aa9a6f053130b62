/** How many items at the beginning of a list pass a test that all behind the first that fails it fail, too. */
export function countWhere<T>(items: ArrayLike<T>, test: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (test(items[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}
