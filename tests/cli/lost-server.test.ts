import { Readable } from "node:stream";
import { expect, it } from "@jest/globals";
import { run } from "../../src/cli/index.js";
import { describeServer } from "../support/targets.js";
import { TcpProxy } from "../support/tcp-proxy.js";
import { fillDatabase } from "./filled-database.js";

describeServer("a command", (server) => {
  it("says once that it has lost the server and tries again", async () => {
    const database = await server.createDatabase();
    await fillDatabase(database);
    const proxy = await TcpProxy.open(database.source);
    const said: string[] = [];
    const stderr = {
      write: (text: string): void => {
        said.push(text);
        if (text.includes("[y/N]")) proxy.cutNext("toClient");
      },
    };
    const io = {
      env: {},
      stdout: { write: () => undefined },
      stderr,
      stdin: Object.assign(Readable.from(["y\n"]), { isTTY: true }),
    };
    expect(await run(["delete", "42", "--url", proxy.url], io)).toBe(0);
    expect(said.filter((text) => !text.includes("[y/N]"))).toEqual([
      "no connection to the database, trying again\n",
    ]);
    await proxy.close();
  });
});
