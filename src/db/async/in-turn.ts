const lastTurns = new WeakMap<object, Promise<unknown>>();

/**
 * Runs what is handed in for one `owner` one after another, in the order of the calls, whether those before it fail or not.
 *
 * @param owner - What can be used by one at a time.
 */
export function inTurn<T>(owner: object, run: () => Promise<T>): Promise<T> {
  const turn = (lastTurns.get(owner) ?? Promise.resolve()).then(run);
  lastTurns.set(owner, turn.catch(ignore));
  return turn;
}

function ignore(): void {
  // The caller whose turn it was is told.
}
