import { execFile, spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { chmod, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { promisify } from "node:util";
import { isReady, RUN_WHILE_PARENT_LIVES, SERVER_PATH } from "../../test-support/child-server.js";
import { freePort } from "../../test-support/free-port.js";
import { serverUser } from "../../test-support/postgres-binaries.js";
import { makeSharedFolder, ownedBy, type ServerUser } from "../../test-support/shared-folder.js";

type PoolerProcess = ChildProcessByStdio<Writable, null, Readable>;

const START_ATTEMPTS = 5;
const READY = /process up/;
const CONFIG = "pgbouncer.ini";

/** Options of a pooler. */
export interface PgBouncerOptions {
  /** The maximum number of connections to the server. Default 3. */
  readonly poolSize?: number;
  /** How long a client keeps its server connection. Default `transaction`. */
  readonly mode?: "session" | "transaction" | "statement";
}

/**
 * A PgBouncer in front of a server, which connects as the user of a connection string. It keeps its port over
 * {@link PgBouncer.stop} and {@link PgBouncer.start}, and dies with the process that started it.
 *
 * @example
 * ```ts
 * const pooler = await PgBouncer.open(database.source);
 * const saver = new PostgresSaver(pooler.url);
 * await pooler.close();
 * ```
 */
export class PgBouncer {
  readonly #server: URL;
  readonly #folder: string;
  readonly #user: ServerUser;
  readonly #options: PgBouncerOptions;
  #port = 0;
  #process: PoolerProcess | undefined;

  private constructor(serverUrl: string, folder: string, user: ServerUser, options: PgBouncerOptions) {
    this.#server = new URL(serverUrl);
    this.#folder = folder;
    this.#user = user;
    this.#options = options;
  }

  /** Starts a pooler in front of the server of `serverUrl`. */
  static async open(serverUrl: string, options: PgBouncerOptions = {}): Promise<PgBouncer> {
    const user = await serverUser();
    const folder = await makeSharedFolder("checkpoint-pgbouncer-", user);
    const pooler = new PgBouncer(serverUrl, folder, user, options);
    try {
      await pooler.start();
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
    return pooler;
  }

  /** The connection string of the server through the pooler. */
  get url(): string {
    const url = new URL(this.#server);
    url.host = `127.0.0.1:${this.#port}`;
    return url.href;
  }

  /** The connection string of PgBouncer's own console. */
  get consoleUrl(): string {
    const url = new URL(this.url);
    url.pathname = "/pgbouncer";
    return url.href;
  }

  /** Starts the pooler, after {@link stop} on the same port. Resolves when it accepts connections. */
  async start(): Promise<void> {
    const log: string[] = [];
    for (let attempt = 0; attempt < START_ATTEMPTS; attempt++) {
      if (this.#port === 0 || attempt > 0) this.#port = await freePort();
      await this.#configure();
      this.#process = this.#spawn();
      if (await isReady(this.#process, this.#process.stderr, READY, log)) return;
    }
    throw new Error(`PgBouncer did not start:\n${log.join("")}`);
  }

  /** Stops the pooler at once, whatever its clients are doing. */
  async stop(): Promise<void> {
    const pooler = this.#process;
    this.#process = undefined;
    if (pooler?.exitCode !== null || pooler.signalCode !== null) return;
    const exit = once(pooler, "exit");
    pooler.kill("SIGKILL");
    await exit;
  }

  /** Stops the pooler and deletes its folder. */
  async close(): Promise<void> {
    await this.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #configure(): Promise<void> {
    const path = join(this.#folder, CONFIG);
    const { hostname, port, username, password } = this.#server;
    const target = {
      host: hostname,
      port: port || "5432",
      user: decodeURIComponent(username),
      password: decodeURIComponent(password),
    };
    const settings = {
      listen_addr: "127.0.0.1",
      listen_port: this.#port,
      unix_socket_dir: "",
      auth_type: "any",
      pool_mode: this.#options.mode ?? "transaction",
      default_pool_size: this.#options.poolSize ?? 3,
      max_client_conn: 500,
    };
    await writeFile(
      path,
      `[databases]\n* = ${lines(target, quoted, " ")}\n[pgbouncer]\n${lines(settings, String, "\n")}\n`,
    );
    await ownedBy(path, this.#user);
    await chmod(path, 0o600);
  }

  #spawn(): PoolerProcess {
    const command = ["pgbouncer", join(this.#folder, CONFIG)];
    const pooler = spawn("/bin/sh", ["-c", RUN_WHILE_PARENT_LIVES, this.#folder, ...command], {
      ...this.#user,
      cwd: this.#folder,
      env: { ...process.env, PATH: SERVER_PATH },
      stdio: ["pipe", "ignore", "pipe"],
    });
    pooler.stdin.on("error", () => undefined);
    return pooler;
  }
}

/** The version of the installed PgBouncer, such as `PgBouncer 1.18.0`; `undefined` if there is none. */
export async function installedPgBouncer(): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)("pgbouncer", ["--version"], {
      env: { ...process.env, PATH: SERVER_PATH },
    });
    return stdout.split("\n")[0];
  } catch {
    return undefined;
  }
}

function lines(entries: object, format: (value: unknown) => string, separator: string): string {
  return Object.entries(entries)
    .map(([name, value]) => `${name}=${format(value)}`)
    .join(separator);
}

function quoted(value: unknown): string {
  return `'${String(value).replaceAll("'", "''")}'`;
}
