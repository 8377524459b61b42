import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { afterEach, describe, expect, it } from "@jest/globals";
import { freePort } from "../../test-support/free-port.js";
import { describeServer } from "../../test-support/targets.js";
import { cli } from "./cli.js";

const SECRET = "hunter2-Ünïque/p@ss";
const ENCODED = encodeURIComponent(SECRET);
const VERBOSE = ["--verbose", "--json"];

/** Texts that must not be printed: the password, its encoded form, and the parts into which a parser may split it. */
const SPELLINGS = [SECRET, ENCODED, "hunter2", "Ünïque", "p@ss"];

async function failure(argv: readonly string[], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await cli([...argv, ...VERBOSE], { env });
  for (const spelling of SPELLINGS) {
    expect(stdout).not.toContain(spelling);
    expect(stderr).not.toContain(spelling);
  }
  return { code, stdout, stderr };
}

describe("the command line never prints a password", () => {
  let server: Server | undefined;

  afterEach(() => {
    server?.close();
    server = undefined;
  });

  it("when no server listens", async () => {
    const url = `postgres://app:${ENCODED}@127.0.0.1:${await freePort()}/agents`;
    const { code, stdout, stderr } = await failure(["migrate", "--url", url]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: no connection to the database: .*ECONNREFUSED/);
    expect(stderr).toContain("\ncaused by: ");
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: "CONNECTION_FAILED" } });
  });

  it("when the host does not exist", async () => {
    const { code } = await failure([
      "migrate",
      "status",
      `--url=postgres://app:${ENCODED}@nowhere.invalid/x`,
    ]);
    expect(code).toBe(1);
  });

  it("when the server quotes it", async () => {
    server = createServer((socket) => {
      socket.once("data", () => socket.end(errorResponse("28P01", `"${SECRET}" is wrong, so is ${ENCODED}`)));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `postgres://app:${ENCODED}@127.0.0.1:${portOf(server)}/agents?sslmode=disable`;
    const { code, stderr } = await failure(["migrate", "--url", url]);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^error: "\*\*\*" is wrong, so is \*\*\* \(SQLSTATE 28P01\); correct user and password\n/,
    );
  });

  it.each([
    ["an invalid port", `postgres://app:${ENCODED}@db:port/agents`],
    ["a password that is not percent-encoded", `postgres://app:${SECRET}@db/agents`],
    ["an invalid escape", `postgres://app:${ENCODED}%ff@127.0.0.1/agents`],
  ])("when the connection string is malformed: %s", async (_fault, url) => {
    const { code, stderr } = await failure(["migrate", "--url", url]);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^error: --url or DATABASE_URL: not a valid connection string; .*percent-encoded\n/,
    );
  });

  it.each([
    ["without a scheme", ["migrate", "--url", `app:${SECRET}@db/agents`]],
    ["without its option", ["migrate", `postgres://app:${ENCODED}@db/agents`]],
    ["as the command", [`postgres://app:${ENCODED}@db/agents`]],
    ["as a number", ["migrate", "--lock-timeout", `postgres://app:${ENCODED}@db/agents`]],
  ])("when the connection string is in the wrong place: %s", async (_where, argv) => {
    expect(await failure(argv)).toMatchObject({ code: 2, stderr: expect.stringMatching(/^error: /) });
  });

  it("when it comes from the environment", async () => {
    const inUrl = { DATABASE_URL: `postgres://app:${ENCODED}@nowhere.invalid/agents` };
    expect(await failure(["migrate"], inUrl)).toMatchObject({ code: 1 });
    expect(await failure(["--", SECRET], { PGPASSWORD: SECRET })).toMatchObject({ code: 2 });
  });
});

describeServer("the command line never prints a password", (target) => {
  it("when the server refuses it", async () => {
    const url = new URL((await target.createDatabase()).source);
    url.password = ENCODED;
    const { code, stderr } = await failure(["migrate", "--url", url.href]);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^error: password authentication failed for user .* \(SQLSTATE 28P01\); correct user and password\n/,
    );
  });
});

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address.port;
}

/** The message of Postgres's protocol by which a server refuses a connection. */
function errorResponse(sqlState: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C${sqlState}\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write("E");
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
