/** A figure with three digits: more would claim more than was measured. */
export function significant(value: number): string {
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

/** A median, and in brackets how far the values spread. */
export function spread(median: number, low: number, high: number): string {
  return `${significant(median)} (${significant(low)}–${significant(high)})`;
}
