import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CompiledProgram } from "../../../test-support/compiled-program.js";
import { type EmbeddedServer, startEmbeddedServer } from "../../../test-support/embedded-server.js";
import { TcpProxy } from "../../../test-support/tcp-proxy.js";
import type { Scene } from "../faults/fault.js";
import { ROLE } from "../faults/server-faults.js";
import { Random } from "../random.js";
import { PostgresSaver } from "../../../src/index.js";
import { Admin } from "./admin.js";
import { ChaosClient, CLIENT } from "./chaos-client.js";
import { type ChaosOptions, type Load, LOAD } from "./chaos-options.js";

/** The server of a run with its tables, the proxy in front of it, and the process of the load. */
export interface Stage extends Scene {
  readonly client: ChaosClient;
  readonly settings: Load;
  /** The path of the journal. */
  readonly journal: string;
  /** The URL of the database without the proxy. */
  readonly directUrl: string;
  readonly calmMs: number;
  /** Stops everything, and removes all files. */
  close(): Promise<void>;
}

/** Sets up everything that a run needs, without starting the load. */
export async function openStage({
  seed,
  saver,
  load = LOAD,
  calmMs,
  forks = true,
  sabotage = false,
}: ChaosOptions): Promise<Stage> {
  const program = await CompiledProgram.compile(CLIENT);
  const server = await startEmbeddedServer();
  const directUrl = await createDatabase(server);
  if (sabotage) await acknowledgeBeforeWriting(server);
  const proxy = await TcpProxy.open(directUrl);
  const folder = await mkdtemp(join(tmpdir(), "checkpoint-chaos-"));
  const journal = join(folder, "journal");
  const client = new ChaosClient(program, { ...load, url: proxy.url, journal, saver, seed, forks });
  return {
    ...{ server, proxy, client, journal, directUrl, calmMs },
    admin: new Admin(asSuperuser(server, directUrl)),
    settings: load,
    random: new Random(seed),
    close: async () => {
      await client.kill();
      await proxy.close();
      await server.remove();
      await program.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Creates the database of a load with its tables. The load is not a superuser, for whom the server reserves connections.
 *
 * @returns Its URL for the role of the load.
 */
export async function createDatabase(server: EmbeddedServer): Promise<string> {
  const admin = new Admin(server.url);
  await admin.query(`create role ${ROLE} login password '${ROLE}'`);
  await admin.query(`create database ${ROLE} owner ${ROLE}`);
  const url = new URL(server.url);
  Object.assign(url, { username: ROLE, password: ROLE, pathname: `/${ROLE}` });
  await using saver = PostgresSaver.fromConnString(url.href);
  await saver.setup();
  return url.href;
}

async function acknowledgeBeforeWriting(server: EmbeddedServer): Promise<void> {
  const admin = new Admin(server.url);
  await admin.query("alter system set synchronous_commit = off");
  await admin.query("alter system set wal_writer_delay = '10s'");
  await admin.query("select pg_reload_conf()");
  await admin.query("checkpoint");
}

/** Returns the URL of a database for the superuser. */
export function asSuperuser(server: EmbeddedServer, databaseUrl: string): string {
  const url = new URL(server.url);
  url.pathname = new URL(databaseUrl).pathname;
  return url.href;
}
