import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { findEngine, fromEngine } from "./container-server.js";

const TIMEOUT_MS = 200;

describe("looking for a container engine", () => {
  let folder: string;
  const servers: Server[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "engine-"));
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) server.close();
    await rm(folder, { recursive: true });
  });

  async function listen(server: Server, name: string): Promise<string> {
    servers.push(server);
    const socket = join(folder, name);
    server.listen(socket);
    await once(server, "listening");
    return `unix://${socket}`;
  }

  it("passes over a socket where nothing listens and one that never answers", async () => {
    const silent = await listen(
      createServer((connection) => connection.unref()),
      "silent.sock",
    );
    const engine = await listen(
      createHttpServer((_request, response) => response.end("OK")),
      "engine.sock",
    );
    const nobody = `unix://${join(folder, "nobody.sock")}`;
    await expect(findEngine([nobody, silent, engine], TIMEOUT_MS)).resolves.toBe(engine);
    await expect(findEngine([nobody, silent], TIMEOUT_MS)).resolves.toBeUndefined();
  });

  it("fails in CI where an engine answers and starts nothing, and says so elsewhere", async () => {
    const cause = new Error("no such image");
    const start = (): Promise<never> => Promise.reject(cause);
    await expect(fromEngine("unix:///engine", start, true)).rejects.toMatchObject({
      message: expect.stringContaining(
        "the container engine at unix:///engine answers, but starts no server",
      ),
      cause,
    });
    const warn = jest.spyOn(console, "warn").mockImplementation(() => undefined);
    await expect(fromEngine("unix:///engine", start, false)).resolves.toBeUndefined();
    expect(warn.mock.calls).toEqual([[expect.stringContaining("no such image")]]);
    warn.mockRestore();
  });

  it("takes any response for an answer, such as the refusal of plain HTTP by an engine behind TLS", async () => {
    const server = createHttpServer((_request, response) => response.writeHead(400).end());
    servers.push(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const host = `tcp://127.0.0.1:${port}`;
    await expect(findEngine([host], TIMEOUT_MS)).resolves.toBe(host);
  });
});
