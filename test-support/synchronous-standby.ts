import type pg from "pg";
import { until } from "./until.js";
import { withClient } from "./with-client.js";

const WAITING = "from pg_stat_activity where wait_event = 'SyncRep'";

/** A synchronous standby that does not exist. While the server requires it, no commit is confirmed. */
export class SynchronousStandby {
  readonly #url: string;

  /** @param url - Of the superuser. */
  constructor(url: string) {
    this.#url = url;
  }

  /** Makes all commits wait from now on. */
  async lose(): Promise<void> {
    await this.#ask("'nobody'");
    // The server's processes read their settings one after another. A commit that waits shows that the last one has
    // done so.
    await withClient(this.#url, async (client) => {
      for (;;) {
        const hasWaited = await this.#commitUntilItWaits(client);
        const isKnown = await this.#query("select where current_setting('synchronous_standby_names') <> ''");
        if (hasWaited && isKnown > 0) return;
      }
    });
  }

  /** Confirms the waiting commits, and all later ones. */
  async restore(): Promise<void> {
    await this.#ask("''");
    await until(async () => (await this.countWaiting()) === 0);
  }

  /** Waits until a commit waits. */
  async untilWaiting(): Promise<void> {
    await until(async () => (await this.countWaiting()) > 0);
  }

  countWaiting(): Promise<number> {
    return this.#query(`select ${WAITING}`);
  }

  /** Cancels the waiting statements, as an administrator does. */
  async cancelWaiting(): Promise<void> {
    await this.#query(`select pg_cancel_backend(pid) ${WAITING}`);
  }

  /**
   * Terminates the waiting connections, as an administrator or a shutdown of the server does, and returns when they are gone. A
   * commit that waits from then on is a later one.
   */
  async terminateWaiting(): Promise<void> {
    const pids = await withClient(this.#url, (client) =>
      client.query<{ pid: number }>(`select pid, pg_terminate_backend(pid) ${WAITING}`),
    );
    const terminated = pids.rows.map(({ pid }) => pid);
    await until(async () => (await this.#query(`select ${WAITING} and pid = any ($1)`, [terminated])) === 0);
  }

  async #ask(names: string): Promise<void> {
    await this.#query(`alter system set synchronous_standby_names = ${names}`);
    await this.#query("select pg_reload_conf()");
  }

  /** Commits once. Returns whether that has waited, and cancels the wait. */
  async #commitUntilItWaits(client: pg.Client): Promise<boolean> {
    const processId: unknown = Reflect.get(client, "processID");
    let hasWaited = false;
    let isDone = false;
    const done = client.query("select pg_logical_emit_message(true, '', '')").finally(() => {
      isDone = true;
    });
    await until(async () => {
      hasWaited = (await this.#cancel(processId)) > 0;
      return hasWaited || isDone;
    });
    await done;
    return hasWaited;
  }

  #cancel(processId: unknown): Promise<number> {
    return this.#query(`select pg_cancel_backend(pid) ${WAITING} and pid = $1`, [processId]);
  }

  #query(sql: string, parameters: unknown[] = []): Promise<number> {
    return withClient(this.#url, async (client) => (await client.query(sql, parameters)).rowCount ?? 0);
  }
}
