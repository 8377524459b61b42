import { ConnectionError } from "../../errors/index.js";
import { LiveSession, type SessionTiming, type OpenSessionConnection } from "../sessions/live-session.js";

/** The result of an attempt to take a lock. */
export interface LockAttempt {
  readonly locked: boolean;
  /** Whether this session holds the turn, so that no other process can take the lock before it. */
  readonly turn: boolean;
}

/**
 * Switches off the timeouts that would end a long transaction, as far as the server has them. The keepalives
 * make the server notice within half a minute, instead of hours, that the machine of a lock's holder is gone.
 */
const SETTINGS = `
  select set_config(name, value, true)
  from pg_settings join (values
    ('statement_timeout', '0'), ('idle_in_transaction_session_timeout', '0'), ('transaction_timeout', '0'),
    ('tcp_keepalives_idle', '10'), ('tcp_keepalives_interval', '5'), ('tcp_keepalives_count', '3')
  ) as wanted (name, value) using (name)`;

// The statements contain the numbers instead of parameters, since Postgres keeps the snapshot of a statement
// with parameters until the next statement.

/**
 * Takes the turn, a second advisory lock, before the lock, and releases the turn once it has the lock.
 * Without a turn, a process that releases a lock and asks again at once would always win against those that
 * poll.
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

/** XORed with the key of a lock, gives the key of its turn. */
const TURN_MASK = 0x7475_726e_7475_726en;

/**
 * One connection that holds any number of advisory locks within one transaction. So it keeps its server
 * connection behind a pooler in transaction mode, and releases its locks when the client dies. When a
 * statement fails, all of its locks count as lost.
 */
export class LockSession {
  readonly #session: LiveSession;

  private constructor(session: LiveSession) {
    this.#session = session;
  }

  /** Opens a session. One that can't be opened leaves nothing behind. */
  static async open(connect: OpenSessionConnection, timing?: SessionTiming): Promise<LockSession> {
    const session = await LiveSession.open(connect, timing);
    // Overrides the default isolation level: a snapshot that lasts as long as the lock would block VACUUM.
    await session.send("begin isolation level read committed");
    await session.send(SETTINGS);
    return new LockSession(session);
  }

  /** Aborts when the connection is lost. The reason is the error. */
  get lost(): AbortSignal {
    return this.#session.lost;
  }

  /**
   * Tries once to take a lock that this session does not hold.
   *
   * @param hasTurn - Whether an earlier attempt has taken the turn.
   */
  async tryLock(key: bigint, hasTurn: boolean): Promise<LockAttempt> {
    const [row] = await this.#session.send(tryLockSql(key, hasTurn));
    return row as LockAttempt;
  }

  /** Releases a lock. */
  async unlock(key: bigint): Promise<void> {
    const [row] = await this.#session.send(`select pg_advisory_unlock('${key}') as unlocked`);
    if (!(row as { unlocked: boolean }).unlocked)
      throw new ConnectionError("the session no longer held the lock");
  }

  /** Releases the turn that an attempt has taken. */
  async unlockTurn(key: bigint): Promise<void> {
    await this.unlock(turnOf(key));
  }

  /** Ends the session. May be called on a lost one. */
  async close(): Promise<void> {
    await this.#session.close("commit");
  }
}

function turnOf(key: bigint): bigint {
  return BigInt.asIntN(64, key ^ TURN_MASK);
}
