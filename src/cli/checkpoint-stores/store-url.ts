import { Option } from "commander";
import { InvalidConfigError } from "../../errors/index.js";

/** Which end of a copy a store is, or the only store of a command. The options of the command line begin with it. */
export type Side = "from" | "to" | "store";

/** Where a checkpoint store is, as the command line says. */
export interface StoreLocation {
  readonly side: Side;
  readonly kind: "postgres" | "pglite" | "sqlite" | "redis";
  readonly url: string;
  readonly table: string | undefined;
  readonly schema: string | undefined;
  readonly prefix: string | undefined;
}

const KINDS = [
  ["postgres", /^postgres(?:ql)?:\/\//],
  ["pglite", /^file:\/\/./s],
  ["sqlite", /^sqlite:./s],
  ["redis", /^rediss?:\/\//],
] as const;

/** The options that apply to each kind. */
const APPLICABLE = {
  postgres: ["schema", "table"],
  pglite: ["schema", "table"],
  sqlite: ["table"],
  redis: ["prefix"],
} as const;

/** The options about one of the stores. */
export function storeOptions(side: Side, what: string): Option[] {
  return [
    new Option(
      `--${side} <url>`,
      `${what}: postgres://…, file://folder (PGlite), sqlite:path or redis://…`,
    ).makeOptionMandatory(),
    new Option(`--${side}-schema <name>`, "its schema, in Postgres (default: public)"),
    new Option(`--${side}-table <name>`, "its table, in Postgres and SQLite (default: checkpoint_store)"),
    new Option(`--${side}-prefix <text>`, "what its keys begin with, in Redis (default: langgraph:)"),
  ];
}

/**
 * Parses the options about one of the stores.
 *
 * @throws InvalidConfigError for a URL of another kind, and for an option that would have no effect. The message never quotes the URL, which
 *   may hold a password.
 */
export function parseStoreLocation(
  side: Side,
  url: string,
  options: Pick<StoreLocation, "table" | "schema" | "prefix">,
): StoreLocation {
  const [kind] = KINDS.find(([, pattern]) => pattern.test(url)) ?? [];
  if (kind === undefined) {
    throw new InvalidConfigError(
      `--${side}`,
      "must start with postgres://, postgresql://, file://<folder>, sqlite:<path>, redis:// or rediss://",
    );
  }
  const applicable: readonly string[] = APPLICABLE[kind];
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && !applicable.includes(name)) {
      throw new InvalidConfigError(`--${side}-${name}`, `does not apply to ${kind}`);
    }
  }
  return { side, kind, url, ...options };
}
