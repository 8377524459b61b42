import type { SendableCall } from "./lock-waits.js";

/** A call that stores or deletes. */
export interface GroupedCall extends SendableCall {
  /** Whether it may share a statement with others. */
  readonly mayShare: boolean;
  /**
   * Called before the call is sent by itself because its group has failed.
   *
   * @throws the error where the call must not be sent again.
   */
  readonly afterGroup: (error: unknown) => void;
}

/** What calls share a statement, and how it is sent. */
export interface GroupRules<Call extends GroupedCall> {
  /** How many calls are under way by themselves before further ones share statements. Default: by the number of connections. */
  readonly alone?: number;
  /** Begins to collect the calls of a statement. */
  readonly newContent: () => GroupContent<Call>;
  /** Sends calls together, and returns whether each was stored. Rejects where none was. */
  readonly storeTogether: (calls: readonly Call[]) => Promise<readonly boolean[]>;
}

/** Collects the calls that share a statement. */
export interface GroupContent<Call> {
  /** Adds a call, or returns false where it has to wait for the next statement. */
  add(call: Call): boolean;
}
