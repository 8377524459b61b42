import { readFile } from "node:fs/promises";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { PostgresSaver as OfficialSaver } from "@langchain/langgraph-checkpoint-postgres";
import type pg from "pg";
import { z } from "zod";
import type { PostgresSaverOptions } from "../src/index.js";

// The address is not a literal, so TypeScript does not resolve it: types are checked before there is a build.
const { PostgresSaver } = (await import(
  import.meta.resolve("langgraph-checkpoint-kysely")
)) as typeof import("../src/index.js");

/** The interface that both savers have. */
export type Saver = BaseCheckpointSaver & { setup(): Promise<void> };

/** One of the two savers. */
export interface Subject {
  readonly id: "ours" | "official";
  readonly packageName: string;
  /** The path of its package.json. */
  readonly manifest: URL;
  /** Creates a saver with default options on a pool, which the caller closes. */
  readonly open: (pool: pg.Pool) => Saver;
}

/** Opens this library's saver with all of its methods. */
export const openOurs = (pool: pg.Pool) => new PostgresSaver(pool);

/** This library with the option `splices`. */
export const SPLICED = oursWith({ splices: true });

/** This library with options. */
export function oursWith(options: PostgresSaverOptions): { readonly open: (pool: pg.Pool) => Saver } {
  return { open: (pool) => new PostgresSaver(pool, undefined, options) };
}

/** This library without group commit. */
export const UNGROUPED = oursWith({ grouping: false });

/** A value for each of the two savers. */
export type PerSubject<T> = Readonly<Record<Subject["id"], T>>;

export const OURS: Subject = {
  id: "ours",
  packageName: "langgraph-checkpoint-kysely",
  manifest: new URL("../package.json", import.meta.resolve("langgraph-checkpoint-kysely")),
  open: openOurs,
};

export const OFFICIAL: Subject = {
  id: "official",
  packageName: "@langchain/langgraph-checkpoint-postgres",
  manifest: new URL("../package.json", import.meta.resolve("@langchain/langgraph-checkpoint-postgres")),
  open: (pool) => new OfficialSaver(pool),
};

/** Asks both savers for a value, one after the other, so that neither disturbs the other. */
export async function ofEach<T>(ask: (subject: Subject) => Promise<T>): Promise<PerSubject<T>> {
  return { ours: await ask(OURS), official: await ask(OFFICIAL) };
}

const Manifest = z.object({ version: z.string() });

/** Returns the installed version. */
export async function versionOf({ manifest }: Subject): Promise<string> {
  return Manifest.parse(JSON.parse(await readFile(manifest, "utf8"))).version;
}
