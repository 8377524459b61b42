/** Compares two keys part by part: text by its bytes, numbers by value. */
export function bytewise(a: readonly (string | number)[], b: readonly (string | number)[]): number {
  for (const [index, left] of a.entries()) {
    const right = b[index] ?? "";
    if (left === right) continue;
    if (typeof left === "number") return left - Number(right);
    return Buffer.compare(Buffer.from(left), Buffer.from(String(right)));
  }
  return 0;
}
