/**
 * The connections of a pool that are not used again. Whatever made one connection silent has probably silenced the others: each of them
 * would cost a caller its timeout.
 */
export class SuspectConnections {
  /** When the server last answered on a connection. */
  readonly #answeredAt = new WeakMap<object, number>();
  #suspectBefore = -Infinity;

  /** Notes that the server has answered on a connection. */
  answered(connection: object): void {
    this.#answeredAt.set(connection, performance.now());
  }

  /**
   * Notes that the server has fallen silent on a connection. Calls may notice in another order than they began.
   *
   * @param began - When the call began that got no answer, on the clock of `performance.now()`.
   */
  silentSince(began: number): void {
    this.#suspectBefore = Math.max(this.#suspectBefore, began);
  }

  /** Whether a connection last answered before another one fell silent. One that has not been used yet is not suspect. */
  has(connection: object): boolean {
    return (this.#answeredAt.get(connection) ?? Infinity) < this.#suspectBefore;
  }
}
