import { ConnectionError } from "../../errors/index.js";
import { LiveSession, type SessionTiming } from "../pool/live-session.js";
import type { ConnectForLocks } from "./lock-connection.js";

/** What an attempt to take a lock came to. */
export interface LockAttempt {
  readonly locked: boolean;
  /** Whether this session is the next in turn, so that no other process can take the lock before it. */
  readonly turn: boolean;
}

/**
 * The time-outs that would end a transaction that holds a lock for long are switched off, as far as the server knows them.
 * And it is to notice within half a minute that a holder's machine has gone without a word, instead of hours.
 */
const SETTINGS = `
  select set_config(name, value, true)
  from pg_settings join (values
    ('statement_timeout', '0'), ('idle_in_transaction_session_timeout', '0'), ('transaction_timeout', '0'),
    ('tcp_keepalives_idle', '10'), ('tcp_keepalives_interval', '5'), ('tcp_keepalives_count', '3')
  ) as wanted (name, value) using (name)`;

// Numbers stand in the text, since Postgres keeps the snapshot of a statement with parameters until the next one.

/**
 * Who wants a lock takes its turn first, and gives it back when it has the lock: else a process that releases and asks
 * again at once would always be faster than those that look now and then.
 */
function tryLockSql(key: bigint, hasTurn: boolean): string {
  const turn = turnOf(key);
  const takeTurn = hasTurn ? "true" : `pg_try_advisory_lock('${turn}')`;
  return `
    select locked, case when locked then not pg_advisory_unlock('${turn}') else turn end as turn
    from (
      select turn, case when turn then pg_try_advisory_lock('${key}') else false end as locked
      from (select ${takeTurn} as turn offset 0) as queue offset 0
    ) as lock`;
}

/** Tells the number of a lock's turn from that of the lock. */
const TURN_MASK = 0x7475_726e_7475_726en;

/**
 * One connection that holds any number of advisory locks, within one transaction: so it stays the same connection behind
 * a pooler in transaction mode, and ends with the client that had it. Once a statement fails, all of its locks count as lost.
 */
export class LockSession {
  readonly #session: LiveSession;

  private constructor(session: LiveSession) {
    this.#session = session;
  }

  /** Opens a session; nothing is left of one that can't be opened. */
  static async open(connect: ConnectForLocks, timing?: SessionTiming): Promise<LockSession> {
    const session = await LiveSession.open(connect, timing);
    // Whatever the default is: a snapshot that lasts as long as the lock would keep VACUUM from its work.
    await session.send("begin isolation level read committed");
    await session.send(SETTINGS);
    return new LockSession(session);
  }

  /** Aborts when the connection is lost, with the error that it died of. */
  get lost(): AbortSignal {
    return this.#session.lost;
  }

  /**
   * Tries once to take a lock that this session does not have.
   *
   * @param hasTurn - Whether an earlier attempt has taken the turn.
   */
  async tryLock(key: bigint, hasTurn: boolean): Promise<LockAttempt> {
    const [row] = await this.#session.send(tryLockSql(key, hasTurn));
    return row as LockAttempt;
  }

  /** Gives back a lock. */
  async unlock(key: bigint): Promise<void> {
    const [row] = await this.#session.send(`select pg_advisory_unlock('${key}') as unlocked`);
    if (!(row as { unlocked: boolean }).unlocked) throw new ConnectionError("the lock was not held any more");
  }

  /** Gives back the turn that an attempt has taken. */
  async unlockTurn(key: bigint): Promise<void> {
    await this.unlock(turnOf(key));
  }

  /** Ends the session; may be called on one that is lost. */
  async close(): Promise<void> {
    await this.#session.close("commit");
  }
}

function turnOf(key: bigint): bigint {
  return BigInt.asIntN(64, key ^ TURN_MASK);
}
