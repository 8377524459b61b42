import pg from "pg";
import { waitFor } from "../clock.js";

/** Sends statements as the superuser without the proxy, each on a new connection. */
export class Admin {
  readonly #url: string;

  /** @param url - The database that the load uses. */
  constructor(url: string) {
    this.#url = url;
  }

  async query<Row extends Record<string, unknown>>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return this.onConnection(async (client) => (await client.query<Row>(sql, parameters)).rows);
  }

  /** Calls `run` with a connection, and closes it afterwards. */
  async onConnection<T>(use: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: this.#url });
    client.on("error", () => undefined);
    await client.connect();
    try {
      return await use(client);
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /** Waits until the server answers. */
  async untilUp(timeoutMs: number): Promise<void> {
    const isUp = await waitFor(() => this.query("select").then(Boolean, () => undefined), timeoutMs);
    if (isUp === undefined) throw new Error(`the server did not come back within ${timeoutMs} ms`);
  }

  /** Runs `meanwhile` while a lock blocks all reads and writes of checkpoints. */
  async whileLocked(meanwhile: (client: pg.Client) => Promise<unknown>): Promise<void> {
    await this.onConnection(async (client) => {
      await client.query("begin");
      await client.query("lock table checkpoints in access exclusive mode");
      await meanwhile(client);
      await client.query("rollback");
    });
  }
}
