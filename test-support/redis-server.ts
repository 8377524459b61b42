import { type ChildProcessByStdio, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import { promisify } from "node:util";
import { isReady, RUN_WHILE_PARENT_LIVES, SERVER_PATH } from "./child-server.js";
import { startRedisContainer } from "./container-server.js";
import { freePort } from "./free-port.js";
import { makeSharedFolder } from "./shared-folder.js";
import type { TestServer } from "./test-server.js";

type ServerProcess = ChildProcessByStdio<Writable, Readable, null>;

const START_ATTEMPTS = 20;
const READY = /Ready to accept connections/;

/**
 * A Redis of its own, in a temporary folder. It keeps its port and its data across {@link RedisServer.kill} and {@link RedisServer.start}, and
 * dies with the process that started it.
 *
 * @example
 * ```ts
 * const server = await RedisServer.open(["--appendonly", "yes", "--appendfsync", "always"]);
 * await server.kill();
 * await server.start();
 * await server.close();
 * ```
 */
export class RedisServer {
  readonly #folder: string;
  readonly #settings: readonly string[];
  #port = 0;
  #process: ServerProcess | undefined;

  private constructor(folder: string, settings: readonly string[]) {
    this.#folder = folder;
    this.#settings = settings;
  }

  /** Starts a server. Without settings it stores nothing on a disk. */
  static async open(settings: readonly string[] = ["--save", ""]): Promise<RedisServer> {
    const server = new RedisServer(await makeSharedFolder("checkpoint-redis-", {}), settings);
    try {
      await server.start();
    } catch (error) {
      await rm(server.#folder, { recursive: true, force: true });
      throw error;
    }
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.#port}`;
  }

  get port(): number {
    return this.#port;
  }

  /** Starts the server, after {@link kill} on its former port. Resolves when it accepts connections. */
  async start(): Promise<void> {
    const log: string[] = [];
    const keepsPort = this.#port !== 0;
    for (let attempt = 0; attempt < START_ATTEMPTS; attempt++) {
      if (!keepsPort) this.#port = await freePort();
      this.#process = this.#spawn();
      if (await isReady(this.#process, this.#process.stdout, READY, log)) return;
    }
    throw new Error(`Redis did not start:\n${log.join("")}`);
  }

  /** Kills the server, as the kernel does when it is out of memory. */
  async kill(): Promise<void> {
    const server = this.#process;
    this.#process = undefined;
    if (server?.exitCode !== null || server.signalCode !== null) return;
    const exit = once(server, "exit");
    server.kill("SIGKILL");
    await exit;
  }

  /** Kills the server and deletes its data. */
  async close(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #spawn(): ServerProcess {
    const place = ["--port", String(this.#port), "--bind", "127.0.0.1", "--dir", this.#folder];
    const command = ["redis-server", ...place, ...this.#settings];
    const server = spawn("/bin/sh", ["-c", RUN_WHILE_PARENT_LIVES, this.#folder, ...command], {
      cwd: this.#folder,
      env: { ...process.env, PATH: SERVER_PATH },
      stdio: ["pipe", "pipe", "ignore"],
    });
    server.stdin.on("error", () => undefined);
    return server;
  }
}

/** The version of the installed server, such as `7.0.15`; `undefined` if there is none. */
export async function installedRedis(): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)("redis-server", ["--version"], {
      env: { ...process.env, PATH: SERVER_PATH },
    });
    return /v=([\d.]+)/.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
}

/**
 * Returns the Redis that the suite runs on: the one that `REDIS_URL` names, else a container where an engine answers, else the installed
 * program. `undefined` where there is none of them.
 */
export async function startTestRedis(): Promise<TestServer | undefined> {
  const url = process.env.REDIS_URL;
  if (url !== undefined && url !== "") return { url, origin: "REDIS_URL", stop: () => Promise.resolve() };
  const container = await startRedisContainer();
  if (container !== undefined) return container;
  const version = await installedRedis();
  if (version === undefined) return undefined;
  const server = await RedisServer.open();
  return { url: server.url, origin: `installed, ${version}`, stop: () => server.close() };
}
