/** The names of cases that a store fails, by what is wrong with it. */
export type KnownFailures = Readonly<Record<string, readonly string[]>>;

/** The names of the cases of filters that combine nothing. */
export function filters(...conditions: readonly string[]): string[] {
  return conditions.map((condition) => `a filter finds exactly the items that fulfil it: ${condition}`);
}

/** The names of the cases of filters that must be refused. */
export function unknownFilters(...conditions: readonly string[]): string[] {
  return conditions.map((condition) => `a filter of unknown meaning is refused: ${condition}`);
}

/** The names of the cases of lists. */
export function lists(...conditions: readonly string[]): string[] {
  return conditions.map((condition) => `namespaces are listed sorted, once each, by: ${condition}`);
}

/** The names of cases that exist for several calls. */
export function byCall(promise: string, ...calls: readonly string[]): string[] {
  return calls.map((call) => `${promise}: ${call}`);
}

/** The names of all cases, sorted. */
export function namesIn(failures: KnownFailures): string[] {
  return Object.values(failures).flat().sort();
}
