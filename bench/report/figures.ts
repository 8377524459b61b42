/** Formats a figure with three digits. More would claim more than was measured. */
export function significant(value: number): string {
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

/** Formats a median, with the spread in brackets. */
export function spread(median: number, low: number, high: number): string {
  return `${significant(median)} (${significant(low)}–${significant(high)})`;
}
