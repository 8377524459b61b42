import { noop } from "./noop.js";

const lastTurns = new WeakMap<object, Promise<unknown>>();

/**
 * Runs the functions passed for one `owner` one after another, in the order of the calls, whether or not
 * earlier ones fail.
 *
 * @param owner - Whatever only one caller at a time may use.
 */
export function inTurn<T>(owner: object, run: () => Promise<T>): Promise<T> {
  const turn = (lastTurns.get(owner) ?? Promise.resolve()).then(run);
  lastTurns.set(owner, turn.catch(noop));
  return turn;
}
