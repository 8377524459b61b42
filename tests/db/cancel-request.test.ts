import { once } from "node:events";
import { chmod, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import pg from "pg";
import { requestCancel } from "../../src/db/pool/cancel-request.js";
import { type EmbeddedServer, startEmbeddedServer } from "../../test-support/embedded-server.js";
import { freePort } from "../../test-support/free-port.js";
import { serverUser } from "../../test-support/postgres-binaries.js";
import { selfSigned } from "../../test-support/self-signed.js";
import { ownedBy } from "../../test-support/shared-folder.js";
import { until } from "../../test-support/until.js";

const NEVER = new AbortController().signal;
const { cert, key } = selfSigned();

/** The first bytes of a connection: a request for TLS, TLS itself, or the cancel request. */
const BEGINNINGS = [
  { way: "without TLS", config: {}, beginning: "0000001004d2162e" },
  { way: "with TLS", config: { ssl: { ca: cert } }, beginning: "0000000804d2162f" },
  {
    way: "with TLS and an unchecked certificate",
    config: { ssl: { rejectUnauthorized: false } },
    beginning: "0000000804d2162f",
  },
  {
    way: "with direct TLS",
    config: { ssl: { ca: cert }, sslnegotiation: "direct" },
    beginning: "160301",
  },
] as const;

describe("a cancel request", () => {
  const closings: (() => void)[] = [];
  afterEach(() => {
    for (const close of closings.splice(0)) close();
  });

  /** A server that passes each connection to `accept`. */
  async function listen(accept: (socket: Socket) => void): Promise<AddressInfo> {
    const server: Server = createServer((socket) => {
      socket.on("error", () => undefined);
      closings.push(() => socket.destroy());
      accept(socket);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    closings.push(() => server.close());
    return server.address() as AddressInfo;
  }

  describe("to a server with TLS", () => {
    let server: EmbeddedServer;
    beforeAll(async () => {
      server = await startEmbeddedServer();
      await turnOnTls(server);
    });
    afterAll(() => server.remove());

    it.each(BEGINNINGS)(
      "connects $way, like the connection of the statement",
      async ({ config, beginning }) => {
        const url = new URL(server.url);
        const beginnings: string[] = [];
        const { port } = await listen((socket) => {
          const upstream = connect(Number(url.port), url.hostname);
          upstream.on("error", () => undefined);
          closings.push(() => upstream.destroy());
          socket.once("data", (bytes: Buffer) => beginnings.push(bytes.toString("hex")));
          socket.pipe(upstream).pipe(socket);
        });
        const { password } = url;
        const client = new pg.Client({
          host: "127.0.0.1",
          port,
          user: "postgres",
          password,
          database: "postgres",
          ...config,
        });
        await client.connect();
        const rejection = expect(client.query("select pg_sleep(600)")).rejects.toMatchObject({
          code: "57014",
        });
        await untilAsleep(server);
        await requestCancel(client, undefined, NEVER);
        await rejection;
        expect(beginnings).toHaveLength(2);
        expect(beginnings[1]?.startsWith(beginning)).toBe(true);
        await client.end();
      },
    );

    it("uses the option `stream` of the pool", async () => {
      const url = new URL(server.url);
      let opened = 0;
      const stream = (): Socket => {
        opened++;
        const socket = connect(Number(url.port), url.hostname);
        return Object.assign(socket, { connect: () => socket });
      };
      const client = new pg.Client({
        user: "postgres",
        password: url.password,
        port: await freePort(),
        stream,
      });
      await client.connect();
      const rejection = expect(client.query("select pg_sleep(600)")).rejects.toMatchObject({ code: "57014" });
      await untilAsleep(server);
      await requestCancel(client, stream, NEVER);
      await rejection;
      expect(opened).toBe(2);
      await client.end();
    });
  });

  const fake = { processID: 1, secretKey: -1, host: "127.0.0.1" };

  it.each([
    ["refuses TLS", "N"],
    ["answers with something other than TLS", "Sxxxxxxxxxxxxxxxxxxxx"],
    ["sends an error", "E"],
  ])("rejects if the server %s", async (_what, answer) => {
    const { port } = await listen((socket) => socket.once("data", () => socket.write(answer)));
    await expect(requestCancel({ ...fake, port, ssl: true }, undefined, NEVER)).rejects.toThrow();
  });

  it("rejects if nothing listens on the port", async () => {
    const port = await freePort();
    await expect(requestCancel({ ...fake, port }, undefined, NEVER)).rejects.toMatchObject({
      code: "ECONNREFUSED",
    });
  });

  it.each([
    ["does not answer", undefined],
    ["falls silent after it agreed on TLS", "S"],
  ])("can be aborted if the server %s, without an unhandled error", async (_what, answer) => {
    const received: string[] = [];
    const { port } = await listen((socket) => {
      socket.on("data", (bytes) => {
        received.push(String(bytes));
        if (received.length === 1 && answer !== undefined) socket.write(answer);
      });
    });
    const giveUp = new AbortController();
    const rejection = expect(
      requestCancel({ ...fake, port, ssl: true }, undefined, giveUp.signal),
    ).rejects.toMatchObject({ name: "AbortError" });
    await until(() => received.length >= (answer === undefined ? 1 : 2));
    giveUp.abort();
    await rejection;
    // An unhandled error of the connection would fail the test.
    for (const close of closings.splice(0)) close();
    await setImmediate();
  });

  it("is not sent for a driver without a backend process id", async () => {
    await expect(requestCancel({ host: "127.0.0.1", port: 1 }, undefined, NEVER)).resolves.toBeUndefined();
  });
});

async function turnOnTls(server: EmbeddedServer): Promise<void> {
  const user = await serverUser();
  const files = { ssl_cert_file: "tests.crt", ssl_key_file: "tests.key" };
  for (const [file, text] of [[files.ssl_cert_file, cert] as const, [files.ssl_key_file, key] as const]) {
    const path = join(server.data, file);
    await writeFile(path, text);
    await chmod(path, 0o600);
    await ownedBy(path, user);
  }
  await onServer(server, async (client) => {
    for (const [setting, file] of Object.entries(files))
      await client.query(`alter system set ${setting} = '${file}'`);
    await client.query("alter system set ssl = on");
    await client.query("select pg_reload_conf()");
  });
  // Server processes load new settings with a delay.
  let isOn = false;
  while (!isOn) {
    isOn = await onServer(
      server,
      async (client) => (await client.query<{ ssl: string }>("show ssl")).rows[0]?.ssl === "on",
    );
  }
}

async function untilAsleep(server: EmbeddedServer): Promise<void> {
  const asleep = "select from pg_stat_activity where wait_event = 'PgSleep'";
  await onServer(server, async (client) => {
    await until(async () => (await client.query(asleep)).rowCount !== 0);
  });
}

async function onServer<T>(server: EmbeddedServer, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
