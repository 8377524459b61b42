import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { hopsToSocket } from "../../bench/house/call-chain.js";

const HERE = fileURLToPath(new URL("./", import.meta.url));
const server = createServer((socket) => socket.resume());
let socket: Socket;
let other: Socket;

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  [socket, other] = [connect(address.port, "127.0.0.1"), connect(address.port, "127.0.0.1")];
  await Promise.all([once(socket, "connect"), once(other, "connect")]);
});

afterAll(() => {
  for (const opened of [socket, other]) opened.destroy();
  server.close();
});

const waiting: (() => void)[] = [];

async function encode(): Promise<string> {
  await Promise.resolve();
  return "a message";
}

function write(text: string): boolean {
  return socket.write(text);
}

/** Returns a promise without an `await`. */
function send(text: string): Promise<boolean> {
  return Promise.resolve(write(text));
}

const inTurn = async (): Promise<void> => {
  await new Promise<void>((resolve) => waiting.push(resolve));
  await send(await encode());
};

class Saver {
  put(): Promise<void> {
    return this.#run();
  }

  async #run(): Promise<void> {
    await Promise.resolve();
    await inTurn();
  }
}

/** Lets what waits go on, as another call would. */
function goOnLater(): void {
  setImmediate(() => {
    other.write("another message");
    for (const goOn of waiting.splice(0)) goOn();
  });
}

it("finds what returns a promise on the way to the socket, across queues, but nothing beside it", async () => {
  goOnLater();
  const hops = await hopsToSocket(() => new Saver().put(), HERE);
  expect(hops.map(({ name }) => name)).toEqual(["send", "inTurn", "#run", "put"]);
});

it("finds nothing where nothing is written, and leaves sockets as they were", async () => {
  const before = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(socket), "write");
  expect(await hopsToSocket(() => encode(), HERE)).toEqual([]);
  expect(Object.getOwnPropertyDescriptor(Object.getPrototypeOf(socket), "write")).toEqual(before);
});
