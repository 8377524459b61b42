import { once } from "node:events";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectByTls, type ConnectionOptions } from "node:tls";

/** The codes that the protocol has for these two messages in place of a version. */
const CANCEL_REQUEST = 80_877_102;
const SSL_REQUEST = 80_877_103;

/** What answers a request for TLS if the server is ready for it. */
const ACCEPTED = "S".charCodeAt(0);

/**
 * Asks the server to cancel what it does on the connection of `client`, by a connection of its own, as the protocol wants
 * it: no connection of the pool is needed, and poolers pass it on, which know the backend's real number.
 *
 * @param client - A client of `pg` whose query is under way.
 * @param giveUp - Ends the attempt.
 * @returns When the server has taken note. Whether anything was cancelled shows on the connection itself.
 */
export async function requestCancel(client: object, giveUp: AbortSignal): Promise<void> {
  const processId = numberOf(client, "processID");
  const secretKey = numberOf(client, "secretKey");
  // Not every driver that looks like pg has them.
  if (processId === undefined || secretKey === undefined) return;
  const socket = openSocket(client);
  try {
    await once(socket, "connect", { signal: giveUp });
    const channel = await secured(socket, client, giveUp);
    channel.end(message(CANCEL_REQUEST, processId, secretKey));
    channel.resume();
    await once(channel, "close", { signal: giveUp });
  } finally {
    socket.destroy();
  }
}

function openSocket(client: object): Socket {
  const host = textOf(client, "host") ?? "localhost";
  const port = numberOf(client, "port") ?? 5432;
  return host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
}

/** The socket itself, or TLS over it where the client's own connection has TLS. */
async function secured(socket: Socket, client: object, giveUp: AbortSignal): Promise<Socket> {
  const ssl = valueOf(client, "ssl");
  if (ssl === undefined || ssl === null || ssl === false) return socket;
  socket.write(message(SSL_REQUEST));
  const [answer] = (await once(socket, "data", { signal: giveUp })) as unknown[];
  if (!(answer instanceof Uint8Array) || answer[0] !== ACCEPTED) {
    throw new Error("the server does not take a request to cancel over TLS");
  }
  const host = textOf(client, "host") ?? "";
  const options: ConnectionOptions = typeof ssl === "object" ? ssl : {};
  const channel = connectByTls({ servername: isIP(host) === 0 ? host : "", ...options, socket });
  await once(channel, "secureConnect", { signal: giveUp });
  return channel;
}

/** A message as it begins a connection: its length, then whole numbers of 32 bits. */
function message(...numbers: number[]): Buffer {
  const bytes = Buffer.alloc((numbers.length + 1) * 4);
  bytes.writeInt32BE(bytes.length);
  // The secret may come as a signed or as an unsigned number.
  numbers.forEach((number, index) => bytes.writeInt32BE(number | 0, (index + 1) * 4));
  return bytes;
}

function numberOf(client: object, name: string): number | undefined {
  const value = valueOf(client, name);
  return typeof value === "number" ? value : undefined;
}

function textOf(client: object, name: string): string | undefined {
  const value = valueOf(client, name);
  return typeof value === "string" && value !== "" ? value : undefined;
}

// pg's types leave some of these out.
function valueOf(client: object, name: string): unknown {
  return Reflect.get(client, name) as unknown;
}
