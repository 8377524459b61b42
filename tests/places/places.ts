import { esbuild } from "./bundlers/esbuild.js";
import { rollup } from "./bundlers/rollup.js";
import { vite } from "./bundlers/vite.js";
import { webpack } from "./bundlers/webpack.js";
import { kyselys } from "./drivers/kysely.js";
import { neon } from "./drivers/neon.js";
import { pg } from "./drivers/pg.js";
import { pgNative } from "./drivers/pg-native.js";
import { pglite } from "./drivers/pglite.js";
import { postgresJs } from "./drivers/postgres-js.js";
import { express } from "./frameworks/express.js";
import { fastify } from "./frameworks/fastify.js";
import { hono } from "./frameworks/hono.js";
import { nests } from "./frameworks/nest.js";
import { next } from "./frameworks/next.js";
import { nodeHttp } from "./frameworks/node-http.js";
import { pnpm } from "./package-managers/pnpm.js";
import { yarn } from "./package-managers/yarn.js";
import type { Place } from "./place.js";
import { bun } from "./runtimes/bun.js";
import { deno } from "./runtimes/deno.js";
import { nodes } from "./runtimes/node.js";
import { workerd } from "./runtimes/workerd.js";
import { pgbouncer } from "./servers/pgbouncer.js";
import { withJit } from "./servers/with-jit.js";
import { jest } from "./test-runners/jest.js";
import { vitest } from "./test-runners/vitest.js";

/** Every place, in the order of docs/places.md. */
export const PLACES: readonly Place[] = [
  ...nodes,
  ...[bun, deno, workerd],
  ...[next, nodeHttp, express, hono, fastify, ...nests],
  ...[webpack, esbuild, rollup, vite],
  ...[jest, vitest],
  ...[pg, pgNative, neon, postgresJs, pglite],
  ...kyselys,
  ...[withJit, pgbouncer],
  ...[pnpm, yarn],
];
