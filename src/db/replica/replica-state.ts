import type { CheckpointError } from "../../errors/index.js";

/**
 * Why reads go to the primary instead of a replica:
 *
 * - `unreachable`: it does not answer, or not within a second
 * - `promoted`: it is no standby any more, so that it may hold what the primary does not
 * - `other-database`: it is no standby of the primary's cluster, or the connection is to another of its databases
 * - `unconfirmed`: the primary has not answered yet, so that nothing shows whose standby it is
 * - `behind`: it has not replayed what the primary had `maxLagMs` ago, as far as is known
 * - `failed`: it has refused a read, for example because it lacks the tables
 */
export type ReplicaFault =
  | "unreachable"
  | "promoted"
  | "other-database"
  | "unconfirmed"
  | "behind"
  | "failed";

/** What is known of a replica. */
export interface ReplicaState {
  /** Whether reads go to it. */
  readonly isUsed: boolean;
  /** Why not. */
  readonly fault?: ReplicaFault;
  /** Whether it is a standby. */
  readonly isInRecovery?: boolean;
  /** How far it is behind the primary at most, in milliseconds. Absent where nothing is known. */
  readonly lagMs?: number;
  /** The error of the replica, where there was one. */
  readonly error?: CheckpointError;
}
