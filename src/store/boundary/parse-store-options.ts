import { z } from "zod";
import { connectionOptions } from "../../parsing/connection-options.js";
import { parse } from "../../parsing/parse.js";
import { sweepOption } from "../../parsing/sweep-option.js";
import type { ContextualSerializer } from "../../serde/serde-context.js";
import type { StandardSchema } from "../../parsing/standard-schema.js";
import { MAX_TTL_MINUTES } from "./max-ttl.js";
import { indexedPaths, indexOption } from "./parse-index-option.js";
import { parseNamespace } from "./parse-namespace.js";

const minutes = z.number().positive().max(MAX_TTL_MINUTES);

const ttlOptions = z.strictObject({
  defaultTtl: minutes.optional(),
  refreshOnRead: z.boolean().default(true),
  ...sweepOption,
});

const namespaceRule = z.strictObject({
  prefix: z.array(z.string()).transform((prefix) => parseNamespace(prefix)),
  ttl: minutes.nullable().optional(),
  schema: z.custom<StandardSchema>(isStandardSchema, "must be a Standard Schema").optional(),
  index: indexedPaths.optional(),
});

// Strict: a misspelt option would silently have no effect.
const storeOptions = z.strictObject({
  ...connectionOptions,
  ttl: ttlOptions.optional(),
  namespaces: z.array(namespaceRule).default([]),
  index: indexOption.optional(),
  textSearchLanguage: z
    .string()
    .regex(/^[a-z_][a-z0-9_]*$/i, "must be the name of a text search configuration")
    .default("english"),
  serde: z.custom<ContextualSerializer>().optional(),
  visibleKeys: z.array(z.string()).default([]),
  notify: z.boolean().default(false),
  ensureTables: z.boolean().default(true),
});

/** The parsed options of a store, with defaults. */
export type StoreOptions = z.output<typeof storeOptions>;

export function parseStoreOptions(options: unknown): StoreOptions {
  return parse(storeOptions, options, "options");
}

function isStandardSchema(value: unknown): boolean {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  const standard: unknown = Reflect.get(value, "~standard");
  return typeof standard === "object" && standard !== null && "validate" in standard;
}
