import pg from "pg";
import { PostgresSaver, type PostgresSaverOptions } from "../../src/index.js";
import { type EmbeddedServer, startEmbeddedServer } from "../../test-support/embedded-server.js";
import { until } from "../../test-support/until.js";
import { RecordingLogger } from "../telemetry/recording-logger.js";

/** A server and a standby that follows it by streaming replication. */
export class Replicated {
  readonly primary: EmbeddedServer;
  readonly standby: EmbeddedServer;

  private constructor(primary: EmbeddedServer, standby: EmbeddedServer) {
    this.primary = primary;
    this.standby = standby;
  }

  /** Starts both, with the tables in the schema `public`, and waits until the standby has them. */
  static async start(): Promise<Replicated> {
    const primary = await startEmbeddedServer();
    await using saver = new PostgresSaver(primary.url);
    await saver.setup();
    const servers = new Replicated(primary, await primary.startStandby());
    await servers.catchUp();
    return servers;
  }

  /** Opens a saver that has the standby as its replica. */
  open(
    options: PostgresSaverOptions = {},
    url = this.primary.url,
  ): { saver: PostgresSaver; logger: RecordingLogger } {
    const logger = new RecordingLogger();
    const saver = new PostgresSaver(url, undefined, {
      replica: this.standby.url,
      logger,
      ...options,
    });
    return { saver, logger };
  }

  /** Keeps the standby at what it has now: it receives further changes, and does not apply them. */
  async pause(): Promise<void> {
    await this.catchUp();
    await this.onStandby("select pg_wal_replay_pause()");
    await until(async () => {
      const paused = "select where pg_get_wal_replay_pause_state() = 'paused'";
      return (await this.onStandby(paused)).length > 0;
    });
  }

  async resume(): Promise<void> {
    await this.onStandby("select pg_wal_replay_resume() where pg_is_in_recovery()");
  }

  /** Waits until the standby has everything. */
  async catchUp(): Promise<void> {
    const [row] = await this.onPrimary("select pg_current_wal_flush_lsn()::text as position");
    await until(async () => {
      const caughtUp = "select where pg_last_wal_replay_lsn() >= $1::pg_lsn";
      return (await this.onStandby(caughtUp, [row?.position])).length > 0;
    });
  }

  /**
   * Does something while the server writes nothing to its log, and then checks what it has found. Where a background process of the server
   * has written meanwhile, it is done again.
   */
  async whileQuiet(look: () => Promise<() => void>): Promise<void> {
    const positions =
      "select pg_current_wal_insert_lsn()::text as inserted, pg_current_wal_flush_lsn()::text as flushed";
    const position = async () => JSON.stringify(await this.onPrimary(positions));
    for (;;) {
      const before = await position();
      await this.catchUp();
      const check = await look();
      if ((await position()) === before) {
        check();
        return;
      }
    }
  }

  onPrimary(sql: string, parameters?: unknown[]): Promise<Record<string, unknown>[]> {
    return send(this.primary.url, sql, parameters);
  }

  onStandby(sql: string, parameters?: unknown[]): Promise<Record<string, unknown>[]> {
    return send(this.standby.url, sql, parameters);
  }

  async remove(): Promise<void> {
    await this.standby.remove();
    await this.primary.remove();
  }
}

async function send(
  url: string,
  sql: string,
  parameters: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql, parameters)).rows;
  } finally {
    await client.end();
  }
}
