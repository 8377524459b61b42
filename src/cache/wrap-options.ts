/** The options of `PostgresCache.wrap`. */
export interface WrapOptions<Args extends readonly unknown[]> {
  /** The namespace of the entries. Functions that return different results need different ones. */
  readonly namespace: readonly string[];
  /** Returns the key of a call. Default: a hash of the arguments, which must be values that a saver can store. */
  readonly key?: ((...args: Args) => string) | undefined;
  /** How long an entry lives, in seconds. Default: the cache's `defaultTtl`. */
  readonly ttl?: number | undefined;
  /**
   * How long others wait for the call that computes the result, in seconds; then they compute it themselves. Choose it longer than the
   * function takes. Default 30.
   */
  readonly leaseSeconds?: number | undefined;
}
