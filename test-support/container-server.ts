import { existsSync } from "node:fs";
import { get, type RequestOptions } from "node:http";
import { homedir } from "node:os";
import { join } from "node:path";
import type { TestServer } from "./test-server.js";

const IMAGE = "postgres:18";
const REDIS_IMAGE = "redis:8";
const REDIS_PORT = 6379;
const PING_TIMEOUT_MS = 2000;

/**
 * Starts a server in a container. Returns `undefined` where no engine answers. Fails in CI where one answers and can't. Testcontainers hangs on a socket that
 * accepts and never answers, so this asks the engines first and passes the one that answered to testcontainers.
 */
export async function startContainerServer(): Promise<TestServer | undefined> {
  return onEngine(async () => {
    const { PostgreSqlContainer } = await import("@testcontainers/postgresql");
    const container = await new PostgreSqlContainer(IMAGE)
      .withEnvironment({ POSTGRES_INITDB_ARGS: "--locale-provider=icu --icu-locale=en-US --encoding=UTF8" })
      .withCommand(["postgres", "-c", "fsync=off", "-c", "max_connections=300"])
      .start();
    return {
      url: container.getConnectionUri(),
      origin: `testcontainers, ${IMAGE}`,
      stop: async () => {
        await container.stop();
      },
    };
  });
}

/** Starts a Redis in a container, as {@link startContainerServer} starts a Postgres. */
export async function startRedisContainer(): Promise<TestServer | undefined> {
  return onEngine(async () => {
    const { GenericContainer } = await import("testcontainers");
    const container = await new GenericContainer(REDIS_IMAGE).withExposedPorts(REDIS_PORT).start();
    return {
      url: `redis://${container.getHost()}:${container.getMappedPort(REDIS_PORT)}`,
      origin: `testcontainers, ${REDIS_IMAGE}`,
      stop: async () => {
        await container.stop();
      },
    };
  });
}

async function onEngine(start: () => Promise<TestServer>): Promise<TestServer | undefined> {
  const host = await findEngine(engineHosts());
  if (host === undefined) return undefined;
  process.env.DOCKER_HOST = host;
  return fromEngine(host, start, process.env.CI === "true");
}

/**
 * Starts a server on an engine that answers. Where it fails, the tests would run on another server than somebody expects who has set up an
 * engine.
 *
 * @param isCI - Whether that fails the run. Elsewhere it is logged, and another kind of server is tried.
 */
export async function fromEngine(
  host: string,
  start: () => Promise<TestServer>,
  isCI: boolean,
): Promise<TestServer | undefined> {
  try {
    return await start();
  } catch (cause) {
    const problem = `the container engine at ${host} answers, but starts no server for the tests`;
    if (isCI) throw new Error(`${problem}; name a server by DATABASE_URL and REDIS_URL instead`, { cause });
    console.warn(`\n${problem}, so they use another one: ${String(cause)}`);
    return undefined;
  }
}

/** Returns the first of `hosts` where something speaks HTTP within `timeoutMs`. */
export async function findEngine(
  hosts: readonly string[],
  timeoutMs = PING_TIMEOUT_MS,
): Promise<string | undefined> {
  for (const host of hosts) if (await answers(host, timeoutMs)) return host;
  return undefined;
}

/** The addresses where an engine may listen: only `DOCKER_HOST` if set, otherwise the sockets that exist. */
function engineHosts(): string[] {
  const configured = process.env.DOCKER_HOST;
  if (configured !== undefined && configured !== "") return [configured];
  const sockets = [
    "/var/run/docker.sock",
    join(homedir(), ".docker/run/docker.sock"),
    join(homedir(), ".docker/desktop/docker.sock"),
    join(process.env.XDG_RUNTIME_DIR ?? "/nonexistent", "docker.sock"),
  ];
  return sockets.filter((socket) => existsSync(socket)).map((socket) => `unix://${socket}`);
}

// Any response counts: an engine behind TLS answers a plain request with 400.
function answers(host: string, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ ...address(host), path: "/_ping", timeout: timeoutMs }, (response) => {
      response.resume();
      resolve(true);
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => {
      resolve(false);
    });
    request.on("close", () => {
      resolve(false);
    });
  });
}

function address(host: string): RequestOptions {
  if (host.startsWith("unix://")) return { socketPath: host.slice("unix://".length) };
  const { hostname, port } = new URL(host);
  return { host: hostname, port: port === "" ? 2375 : port };
}
