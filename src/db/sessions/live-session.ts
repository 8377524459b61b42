import { ConnectionError } from "../../errors/index.js";
import { afterLoopTime, unref } from "../async/timers.js";
import { onAbort } from "../async/on-abort.js";
import { raceAgainst } from "../async/within-time.js";
import { toDatabaseError } from "../to-database-error.js";
import { noop } from "../async/noop.js";

/** How a session detects that its connection is dead. */
export interface SessionTiming {
  /** The interval between two checks, in milliseconds. */
  readonly heartbeatMs: number;
  /** How long an answer may take before the connection counts as lost, in milliseconds. */
  readonly answerMs: number;
}

const DEFAULT_TIMING: SessionTiming = { heartbeatMs: 5_000, answerMs: 10_000 };

/** One connection that is kept for long, and detects by itself that it is dead. */
export class LiveSession {
  readonly #connection: SessionConnection;
  readonly #timing: SessionTiming;
  readonly #lost: AbortController;
  #last: Promise<unknown> = Promise.resolve();
  #isClosing = false;
  #heartbeat: NodeJS.Timeout | undefined;

  private constructor(connection: SessionConnection, lost: AbortController, timing: SessionTiming) {
    this.#connection = connection;
    this.#timing = timing;
    this.#lost = lost;
    onAbort(lost.signal, () => {
      clearTimeout(this.#heartbeat);
      connection.close("broken");
    });
    this.#beat();
  }

  /** Opens a session. One that can't be opened leaves nothing behind. */
  static async open(connect: OpenSessionConnection, timing = DEFAULT_TIMING): Promise<LiveSession> {
    const lost = new AbortController();
    const connection = await connect((error) => {
      lost.abort(toDatabaseError(error));
    });
    return new LiveSession(connection, lost, timing);
  }

  /** Aborts when the connection is lost. The reason is the error. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /**
   * Sends a statement without parameters, and returns its rows. Statements run one after another, as pg
   * requires.
   */
  async send(sql: string): Promise<unknown[]> {
    const sent = this.#last.then(() => this.#sendNow(sql));
    this.#last = sent.catch(noop);
    return raceAgainst(this.lost, sent);
  }

  /**
   * Ends the session. May be called on a lost one.
   *
   * @param goodbye - The last statement to send.
   */
  async close(goodbye: string): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#heartbeat);
    try {
      await this.send(goodbye);
      this.#connection.close("clean");
    } catch {
      // The session is lost, and its connection closed.
    }
  }

  async #sendNow(sql: string): Promise<unknown[]> {
    this.lost.throwIfAborted();
    const stopTimer = this.#limitAnswer();
    try {
      return await this.#connection.send(sql);
    } catch (error) {
      this.#lost.abort(toDatabaseError(error));
      throw error;
    } finally {
      stopTimer();
    }
  }

  /**
   * No statement of a session takes long. A server that does not answer is gone, which TCP may take a quarter
   * of an hour to report.
   */
  #limitAnswer(): () => void {
    const { answerMs } = this.#timing;
    return afterLoopTime(answerMs, () => {
      this.#lost.abort(new ConnectionError(`the server has not answered for ${answerMs} ms`));
    });
  }

  // An idle connection does not show that it is dead.
  #beat(): void {
    if (this.#isClosing) return;
    this.#heartbeat = setTimeout(() => {
      this.send("select 1").then(() => {
        this.#beat();
      }, noop);
    }, this.#timing.heartbeatMs);
    unref(this.#heartbeat);
  }
}

/** A connection that is used for long by one session, which holds locks or listens. */
export interface SessionConnection {
  /** The process id of its backend, as the server reported it on connecting. A pooler makes one up. */
  readonly processId?: unknown;
  /** Sends a statement without parameters and returns its rows. */
  readonly send: (sql: string) => Promise<unknown[]>;
  /** Closes the connection. A `broken` one may still have a transaction and locks, which end with it. */
  readonly close: (state: "clean" | "broken") => void;
}

/**
 * Opens a connection.
 *
 * @param onLost - Called when the connection dies, where that shows by itself.
 */
export type OpenSessionConnection = (onLost: (error: unknown) => void) => Promise<SessionConnection>;
