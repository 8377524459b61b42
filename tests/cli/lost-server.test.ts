import { Readable } from "node:stream";
import { expect, it } from "@jest/globals";
import { requireBuild } from "../../test-support/builds.js";
import { describeServer } from "../../test-support/targets.js";
import { TcpProxy } from "../../test-support/tcp-proxy.js";
import { importModule } from "./cli.js";
import { fillDatabase } from "./filled-database.js";

// The build, since only in it can a package be missing that retries.
const { run } = requireBuild("cli");

describeServer("a command that loses its connection", (server) => {
  it("prints one notice, and retries", async () => {
    const database = await server.migratedDatabase();
    await fillDatabase(database);
    const proxy = await TcpProxy.open(database.source);
    const printed: string[] = [];
    const stderr = {
      write: (text: string): void => {
        printed.push(text);
        if (text.includes("[y/N]")) proxy.cutNext("toClient");
      },
    };
    const io = {
      env: {},
      stdout: { write: () => undefined },
      stderr,
      stdin: Object.assign(Readable.from(["y\n"]), { isTTY: true }),
      importModule,
    };
    expect(await run(["delete", "42", "--url", proxy.url], io)).toBe(0);
    expect(printed.filter((text) => !text.includes("[y/N]"))).toEqual([
      // Node.js 24 names the reset.
      expect.stringMatching(/^no connection to the database(?: \(ECONNRESET\))?, retrying\n$/),
    ]);
    await proxy.close();
  });
});
