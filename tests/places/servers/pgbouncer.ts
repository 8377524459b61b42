import { installedPgBouncer, PgBouncer } from "../../poolers/pgbouncer.js";
import type { Place, PlaceServer } from "../place.js";
import { openEmbeddedServer } from "./embedded.js";

export const pgbouncer: Place = {
  name: "PgBouncer",
  kind: "Servers and poolers",
  packages: {},
  tried: {},
  notes:
    "[Poolers](poolers.md) says what to set in transaction mode, and what needs a connection of its own.",
  openServer: async () => {
    const version = await installedPgBouncer();
    return version === undefined ? undefined : openPooledServer(version);
  },
  trials: {
    "transaction mode, ES modules": (project) => project.node("main.mjs"),
    "transaction mode, CommonJS": (project) => project.node("main.cjs"),
  },
};

/** A pooler in front of a server. It passes on any name of a database. */
async function openPooledServer(version: string): Promise<PlaceServer> {
  const server = await openEmbeddedServer();
  const pooler = await PgBouncer.open(await server.createDatabase());
  return {
    version,
    createDatabase: async () => {
      const url = new URL(pooler.url);
      url.pathname = new URL(await server.createDatabase()).pathname;
      return url.href;
    },
    [Symbol.asyncDispose]: async () => {
      await pooler.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
