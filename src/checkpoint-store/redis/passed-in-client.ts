import { noop } from "../../db/async/noop.js";
import { InvalidConfigError } from "../../errors/index.js";
import type { DatabaseAddress } from "../../telemetry/database-address.js";
import { hasFunction, type IoRedisClient, type NodeRedisClient, type RedisClient } from "./redis-client.js";

/** Returns a client that somebody else has opened, and closes. */
export function passedInClient(client: NodeRedisClient | IoRedisClient): RedisClient {
  refuseOtherClients(client);
  return {
    send: isIoRedis(client)
      ? ([command = "", ...parameters]) => client.call(command, ...parameters)
      : (command, signal) => client.sendCommand([...command], signal && { abortSignal: signal }),
    get closed() {
      // node-redis, and ioredis after `quit` or `disconnect`.
      return Reflect.get(client, "isOpen") === false || Reflect.get(client, "status") === "end";
    },
    reconnect: noop,
    address: () => addressOf(Reflect.get(client, "options")),
    close: () => Promise.resolve(),
  };
}

/** Whether a source is a client, and no options of one. */
export function isClient(source: object): source is NodeRedisClient | IoRedisClient {
  return hasFunction(source, "call") || hasFunction(source, "sendCommand");
}

/** The address among the options of a client: node-redis has a part `socket`. */
export function addressOf(options: unknown): DatabaseAddress {
  const given = objectOf(options);
  const { host, port, path } = { ...given, ...objectOf(given.socket) };
  const database = given.database ?? given.db;
  return {
    host: typeof host === "string" ? host : typeof path === "string" ? path : undefined,
    port: typeof port === "number" ? port : undefined,
    database: typeof database === "number" ? String(database) : undefined,
  };
}

// ioredis has a `sendCommand` too, with other parameters.
function isIoRedis(client: NodeRedisClient | IoRedisClient): client is IoRedisClient {
  return hasFunction(client, "call");
}

function refuseOtherClients(client: object): void {
  // Those of node-redis for a cluster and for sentinels: their `sendCommand` has other parameters.
  if (!hasFunction(client, "call") && ["masters", "getMasterNode"].some((name) => name in client)) {
    throw new InvalidConfigError("source", "must be a client of one server; for others, pass one of ioredis");
  }
  const { keyPrefix = "" } = objectOf(Reflect.get(client, "options"));
  if (keyPrefix !== "") {
    throw new InvalidConfigError(
      "source",
      "the client has a keyPrefix: use the option `prefix` of the store",
    );
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
