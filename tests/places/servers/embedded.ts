import { type EmbeddedServer, startEmbeddedServer } from "../../../test-support/embedded-server.js";
import { describeServerVersion } from "../../../test-support/test-server.js";
import { withClient } from "../../../test-support/with-client.js";
import type { PostgresBinaries } from "../../../test-support/postgres-binaries.js";
import type { PlaceServer } from "../place.js";

/** Starts a server of its own. */
export async function openEmbeddedServer(installed?: PostgresBinaries): Promise<PlaceServer> {
  const server = await startEmbeddedServer(installed === undefined ? {} : { installed });
  const version = await describeServerVersion(server.url);
  return {
    version: version.replace(/,.*/, ""),
    createDatabase: () => createDatabase(server),
    [Symbol.asyncDispose]: () => server.remove(),
  };
}

let created = 0;

/** Creates an empty database, and returns its connection string. */
async function createDatabase({ url }: EmbeddedServer): Promise<string> {
  const name = `place_${created++}`;
  await withClient(url, (client) => client.query(`create database ${name}`));
  const database = new URL(url);
  database.pathname = `/${name}`;
  return database.href;
}
