/** Does nothing. For a promise whose result is handled elsewhere, and for a listener that only has to exist. */
export function noop(): void {
  // Nothing to do.
}
